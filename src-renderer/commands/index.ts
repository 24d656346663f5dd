export { CheatSheet, KeyList } from './cheat-sheet'
export { Palette } from './palette'
export { useCommands, type Command } from './registry'
export { listenForShortcuts } from './shortcuts'
