import type { AlertWatch, Webhook } from '../alerts'
import type { TrialService } from '../behaviour'
import type { ClusterService } from '../cluster'
import type { ErrandService } from '../errands'
import type { Clock } from '../lib'
import type { Host } from '../host'
import type { LaunchQueue } from '../queue'
import type { RecipeLibrary } from '../recipes'
import type { SettingsStore } from '../settings'
import type { RunService } from '../stacks'
import type { TalkService } from '../talk'
import type { TargetRegistry } from '../targets'
import type { WeaverService } from '../weaver'
import type { LogReaders } from './log-readers'
import type { MetricReaders } from './metric-readers'

/** What the handlers stand on. Made once by the engine's composition. */
export interface Services {
  runs: RunService
  alerts: AlertWatch
  webhook: Webhook
  cluster: ClusterService
  errands: ErrandService
  queue: LaunchQueue
  settings: SettingsStore
  metrics: MetricReaders
  logs: LogReaders
  talk: TalkService
  trials: TrialService
  /** The window's side; null where there is none (the command line). */
  host: Host | null
  clock: Clock
  library: RecipeLibrary
  targets: TargetRegistry
  weaver: WeaverService
  home: string
}
