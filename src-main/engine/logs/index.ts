export { peelHead, stripAnsi, type LineHead } from './line-head'
export { LogBook, type BookSource } from './log-book'
export { parseBar, type Bar } from './progress-bar'
export { scanUnits, UNIT_CAP, type ScanState } from './unit-scanner'
