import { charts } from './charts'
import { common } from './common'
import { compare } from './compare'
import { curves } from './curves'
import { frame } from './frame'
import { launch } from './launch'
import { log } from './log'
import { nexrl } from './nexrl'
import { notes } from './notes'
import { preflight } from './preflight'
import { recipes } from './recipes'
import { releases } from './releases'
import { run } from './run'
import { runs } from './runs'
import { settings } from './settings'
import { stack } from './stack'
import { states } from './states'
import { talk } from './talk'
import { weaver } from './weaver'

export const zh = {
  charts,
  common,
  compare,
  curves,
  frame,
  launch,
  log,
  nexrl,
  notes,
  preflight,
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
