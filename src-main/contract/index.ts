import { alerts } from './alerts'
import { behaviour } from './behaviour'
import { checkpoints } from './checkpoints'
import { cluster } from './cluster'
import { compare } from './compare'
import { errands } from './errands'
import { host } from './host'
import { launch } from './launch'
import { logs } from './logs'
import { metrics } from './metrics'
import { preflight } from './preflight'
import { queue } from './queue'
import { recipes } from './recipes'
import { releases } from './releases'
import { runs } from './run'
import { settings } from './settings'
import { talk } from './talk'
import { targets } from './targets'
import { weaver } from './weaver'

/** Everything the page can ask of the engine. */
export const contract = {
  alerts,
  behaviour,
  checkpoints,
  cluster,
  compare,
  errands,
  host,
  launch,
  logs,
  metrics,
  preflight,
  queue,
  recipes,
  releases,
  runs,
  settings,
  talk,
  targets,
  weaver
}
export type Contract = typeof contract
