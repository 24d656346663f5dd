import type { Completion } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import type { Cursor } from './cursor'
import { fieldDetail, flagDetail, keyItem, NONE, valueItem } from './completion-items'
import { canonical, fieldFact } from './fields'
import { allFlags } from './flags'
import { legacyNames, modernHome } from './legacy-map'
import { flagNote, recipeFieldNote } from './notes'
import type { ReefRecipe } from './reef-recipe'

/** Fields that only the unversioned layout has (docs/reference/configuration.rst, reef/service/deploy/orchestrator.py). */
const OWN: Readonly<Record<string, Text>> = {
  reef: { en: 'The service and its recipe.', zh: '服务及其 recipe。' },
  training: { en: 'Free variables of the training side.', zh: '训练端的自由变量。' },
  services: { en: 'Processes of the stack, in order.', zh: '栈中的进程，按顺序启动。' },
  'training.num_gpus': { en: 'GPUs Ray is started with.', zh: '启动 Ray 时的 GPU 数。' },
  'training.ray_port': { en: 'Port of Ray.', zh: 'Ray 的端口。' },
  'training.sglang_port': { en: 'Port of the engine’s router.', zh: '引擎路由的端口。' },
  'training.checkpoint_dir': { en: 'Folder of checkpoints.', zh: 'checkpoint 目录。' },
  'training.global_batch_size': {
    en: 'Samples of one optimizer step.',
    zh: '一步优化的样本数。'
  },
  'training.slime_flags': {
    en: 'Flags of the trainer in one folded text; no comments inside.',
    zh: '写成一段折叠文本的训练参数，其中不能有注释。'
  },
  'services.name': { en: 'Name others depend on.', zh: '供其他服务依赖的名称。' },
  'services.command': { en: 'Command line, or a list of words.', zh: '命令行或词的列表。' },
  'services.ready': { en: 'Command that succeeds once it is ready.', zh: '就绪后会成功的命令。' },
  'services.ready_timeout': { en: 'Seconds it may take.', zh: '就绪的最长秒数。' },
  'services.depends_on': { en: 'Services started before.', zh: '先启动的服务。' },
  'services.cuda': { en: 'Devices it sees.', zh: '可见的 GPU。' },
  'services.env': { en: 'Variables of its environment.', zh: '环境变量。' },
  'services.cwd': { en: 'Folder it starts in.', zh: '启动目录。' },
  'services.endpoint': {
    en: 'Address others use: http://{host}:PORT.',
    zh: '他人访问的地址：http://{host}:PORT。'
  },
  'services.resources': { en: 'What Ray reserves for it.', zh: 'Ray 为其预留的资源。' }
}

/** What could be written at a place of an unversioned recipe. */
export function* unversionedCompletions(recipe: ReefRecipe, cursor: Cursor): Generator<Completion> {
  if (inCommand(cursor)) {
    yield* flagWords()
    return
  }
  if (cursor.inValue) {
    yield* values(cursor)
    return
  }
  const parent = cursor.parents.join('.')
  const offered = new Map<string, Completion>()
  for (const [path, note] of Object.entries(OWN)) {
    const name = nameBelow(parent, path)
    if (name !== null) offered.set(name, keyItem(name, NONE, note))
  }
  for (const [legacy, modern] of legacyNames()) {
    const name = nameBelow(parent, legacy.replaceAll('-', '_'))
    if (name !== null && !name.includes('.'))
      offered.set(name, keyItem(name, fieldDetail(modern), fieldFact(modern)?.note ?? NONE))
  }
  if (parent === 'reef')
    for (const field of recipe.family?.fields ?? []) {
      const name = field.replaceAll('-', '_')
      offered.set(name, keyItem(name, NONE, recipeFieldNote(field) ?? NONE))
    }
  for (const [name, item] of offered) if (!cursor.siblings.has(name)) yield item
}

/** What a field of the unversioned layout does, in the parts a hover shows; null for a free variable. */
export function describeUnversioned(path: string): Text[] | null {
  const modern = modernHome(canonical(path))
  const fact = modern === undefined ? undefined : fieldFact(modern)
  if (fact !== undefined && modern !== undefined)
    return [
      fact.note,
      fieldDetail(modern),
      { en: `In version 2: ${modern}`, zh: `version 2 中为 ${modern}` }
    ]
  const own = OWN[path]
  return own === undefined ? null : [own]
}

function nameBelow(parent: string, path: string): string | null {
  if (parent === '') return path.includes('.') ? null : path
  const name = path.startsWith(`${parent}.`) ? path.slice(parent.length + 1) : ''
  return name === '' || name.includes('.') ? null : name
}

/** Behind two dashes, in a command or a folded text of flags. */
function inCommand(cursor: Cursor): boolean {
  return cursor.typed.startsWith('--')
}

function* flagWords(): Generator<Completion> {
  for (const flag of allFlags()) {
    const insert = flag.type === 'switch' ? `--${flag.name}` : `--${flag.name}=`
    yield {
      label: `--${flag.name}`,
      insert,
      detail: flagDetail(flag.name),
      documentation: flagNote(flag.name) ?? NONE
    }
  }
}

function* values(cursor: Cursor): Generator<Completion> {
  const modern = modernHome(canonical([...cursor.parents, cursor.key].join('.')))
  const fact = modern === undefined ? undefined : fieldFact(modern)
  for (const choice of fact?.choices ?? []) yield valueItem(choice, NONE)
  if (fact?.type === 'bool') {
    yield valueItem('true', NONE)
    yield valueItem('false', NONE)
  }
}
