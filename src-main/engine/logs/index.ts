export { classify } from './classify'
export { peelHead, stripAnsi, type LineHead } from './line-head'
export { barText, parseBar, type Bar } from './progress-bar'
export { scanUnits, UNIT_CAP, type OnUnit, type ScanState } from './unit-scanner'
