export type RunTab =
  | 'curves'
  | 'releases'
  | 'compare'
  | 'stack'
  | 'log'
  | 'recipe'
  | 'preflight'
  | 'records'
  | 'notes'
  | 'weaver'

export type SettingsSection =
  'targets' | 'weaver' | 'alerts' | 'appearance' | 'keyboard' | 'experimental' | 'about'

/** Every place of the window. */
export type Route =
  | { page: 'runs' }
  | { page: 'new'; recipe?: string }
  | { page: 'run'; id: string; tab: RunTab }
  /** Without a path the list, else the workbench with that recipe. */
  | { page: 'recipes'; path?: string }
  | { page: 'settings'; section: SettingsSection }
