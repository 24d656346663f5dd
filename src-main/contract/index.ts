import { alerts } from './alerts'
import { checkpoints } from './checkpoints'
import { compare } from './compare'
import { host } from './host'
import { launch } from './launch'
import { logs } from './logs'
import { metrics } from './metrics'
import { preflight } from './preflight'
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
  checkpoints,
  compare,
  host,
  launch,
  logs,
  metrics,
  preflight,
  recipes,
  releases,
  runs,
  settings,
  talk,
  targets,
  weaver
}
export type Contract = typeof contract
