import { alerts } from './alerts'
import { charts } from './charts'
import { cluster } from './cluster'
import { common } from './common'
import { compare } from './compare'
import { curves } from './curves'
import { errands } from './errands'
import { frame } from './frame'
import { launch } from './launch'
import { log } from './log'
import { nexrl } from './nexrl'
import { notes } from './notes'
import { preflight } from './preflight'
import { queue } from './queue'
import { recipes } from './recipes'
import { releases } from './releases'
import { run } from './run'
import { runs } from './runs'
import { settings } from './settings'
import { stack } from './stack'
import { states } from './states'
import { talk } from './talk'
import { weaver } from './weaver'

/** All English catalogues, one namespace a feature. Chinese must have the same keys; the types see to it. */
export const en = {
  alerts,
  charts,
  cluster,
  common,
  compare,
  curves,
  errands,
  frame,
  launch,
  log,
  nexrl,
  notes,
  preflight,
  queue,
  recipes,
  releases,
  run,
  runs,
  settings,
  stack,
  states,
  talk,
  weaver
}
