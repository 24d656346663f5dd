import { dirname } from 'node:path'
import type { Override } from '../../contract/launch'
import type { NexrlMode } from '../../contract/nexrl'
import type { RecipeFacts } from '../../contract/recipes'
import { checkRecipe, gatherInput } from '../recipes'

/** What a launch needs to know of a resolved NexRL recipe. */
export interface NexrlRecipeFacts {
  facts: RecipeFacts
  service: 'weaver' | 'tinker' | 'own'
  /** The mode its services ask for. */
  mode: NexrlMode
  syncMode: string
  totalSteps: number | null
  prompts: number | null
  repeats: number | null
  workers: number | null
  /** Seconds between two liveness lines. */
  heartbeat: number
  /** Environment names its texts ask for, and whether they have a default there. */
  asked: readonly { name: string; optional: boolean }[]
  /** Sinks of metrics: console, wandb, … */
  sinks: readonly string[]
  agent: boolean
  /** Path of the script that the pod sources before the driver starts; null: none. */
  setupScript: string | null
  /** Every field the recipe has: an override of another one must be an addition. */
  fields: ReadonlySet<string>
}

const NEXRL = /^(?:rollout_worker|trajectory_pool|trainer|weight|service|defaults):/m
const REEF = /^(?:schema[-_]version|reef|services|inference):/m
const REFERENCE = /\$\{oc\.env:([A-Za-z_]\w*)(,[^}]*)?\}/g
const HEARTBEAT = 10

/** True for a text that can only be NexRL's, told without parsing it. */
export function mayBeNexrl(text: string): boolean {
  return NEXRL.test(text) && !REEF.test(text)
}

/** Reads a NexRL recipe with its base files; null when it is another stack's. */
export async function readNexrlRecipe(recipe: {
  path: string
  text: string
  overrides: readonly Override[]
  environment: Readonly<Record<string, string | undefined>>
}): Promise<NexrlRecipeFacts | null> {
  if (!mayBeNexrl(recipe.text)) return null
  const input = await gatherInput({ ...recipe, dialect: 'nexrl' }, null)
  const { facts, resolved } = checkRecipe(input)
  const values = new Map(resolved.map(({ path, value }) => [path, value]))
  const count = (path: string): number | null => whole(values.get(path))
  const service = serviceOf(values)
  const texts = [recipe.text, ...basesOf(recipe.text, input.siblings ?? {})]
  const script = values.get('environment.setup_script') ?? ''
  return {
    facts,
    service,
    mode: service === 'own' ? 'self-hosted' : 'training-service',
    syncMode: values.get('weight.sync_mode') ?? 'sync',
    totalSteps: count('trainer.total_train_steps'),
    prompts: count('data.batch_size'),
    repeats: count('data.rollout_repeat_n') ?? 1,
    workers: count('rollout_worker.num_workers'),
    heartbeat: heartbeatOf(values.get('runtime_monitor.health_check.check_interval')),
    asked: askedNames([...texts, ...recipe.overrides.map(({ value }) => value)]),
    sinks: ['console', 'wandb', 'mlflow', 'swanlab'].filter((sink) =>
      resolved.some(({ path, value }) => path.startsWith('logger.backend') && value.includes(sink))
    ),
    agent: values.get('rollout_worker.type') === 'nexau',
    setupScript: script === '' || script === 'null' ? null : `${dirname(recipe.path)}/${script}`,
    fields: new Set(values.keys())
  }
}

function whole(value: string | undefined): number | null {
  const number = Number(value)
  return value !== undefined && value !== '' && Number.isInteger(number) ? number : null
}

function serviceOf(values: ReadonlyMap<string, string>): NexrlRecipeFacts['service'] {
  const named = [...values].flatMap(([path, value]) =>
    /^service\..*\.backend$/.test(path) || path === 'weight.sync_method' ? [value] : []
  )
  if (named.includes('weaver')) return 'weaver'
  return named.includes('tinker') ? 'tinker' : 'own'
}

/** The interval is used as a modulus on a counter of seconds: 2.5 fires every 5 s, below 1 every second (`nexrl/controller.py`). */
function heartbeatOf(value: string | undefined): number {
  const seconds = Number(value)
  if (value === undefined || value === '' || !(seconds > 0)) return HEARTBEAT
  if (seconds < 1) return 1
  let every = seconds
  for (let times = 2; !Number.isInteger(every) && times <= 20; times += 1) every = seconds * times
  return every
}

/** Texts of the files that `defaults` names, where they lie beside the recipe. */
function basesOf(text: string, siblings: Readonly<Record<string, string>>): string[] {
  const list = /^defaults:\s*\n((?:\s*-\s*\S+.*\n?)+)/m.exec(text)?.[1] ?? ''
  return [...list.matchAll(/-\s*["']?([\w./-]+)/g)].flatMap(([, name = '']) => {
    const base = siblings[/\.ya?ml$/.test(name) ? name : `${name}.yaml`]
    return base === undefined ? [] : [base]
  })
}

/** The driver resolves every reference at start, also in branches it never uses. */
function askedNames(texts: readonly string[]): { name: string; optional: boolean }[] {
  const found = new Map<string, boolean>()
  for (const text of texts) {
    const live = text.replace(/(^|\s)#.*$/gm, '$1')
    for (const [, name = '', fallback] of live.matchAll(REFERENCE)) {
      found.set(name, (found.get(name) ?? true) && fallback !== undefined)
    }
  }
  return [...found].map(([name, optional]) => ({ name, optional }))
}
