export { CheatSheet, KeyList } from './cheat-sheet'
export { Palette } from './palette'
export { activeCommands, registry, useCommands, type Command, type CommandGroup } from './registry'
export { listenForShortcuts } from './shortcuts'
