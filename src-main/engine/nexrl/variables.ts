import type { NexrlVariable, NexrlWay } from '../../contract/nexrl'
import type { Text } from '../../contract/text'
import type { NexrlRecipeFacts } from './launch-recipe'

const t = (en: string, zh: string): Text => ({ en, zh })

const askedByRecipe = t('The recipe takes a value from it.', '配方从中取值。')

/** Names and reasons: `nexrl/utils`, `cli/utils/config_manager.py` and the recipes’ own `*.env.sh`. */
const known: Readonly<Record<string, Text>> = {
  WEAVER_API_KEY: t('Key of the Weaver service.', 'Weaver 服务的密钥。'),
  WEAVER_BASE_URL: t('Another Weaver server than the usual one.', '改用其他 Weaver 服务器。'),
  TINKER_API_KEY: t('Key of the Tinker service.', 'Tinker 服务的密钥。'),
  TINKER_BASE_URL: t('Another Tinker server than the usual one.', '改用其他 Tinker 服务器。'),
  WANDB_KEY: t(
    'The wandb sink logs in with it at start (not WANDB_API_KEY).',
    'wandb 输出启动时用它登录（不是 WANDB_API_KEY）。'
  ),
  WANDB_HOST: t(
    'The wandb sink reads it at start and stops without it.',
    'wandb 输出启动时读取它，缺少即退出。'
  ),
  SWANLAB_API_KEY: t('The swanlab sink logs in with it.', 'swanlab 输出用它登录。'),
  INFERENCE_BASE_URL: t('Where the inference service answers.', '推理服务的地址。'),
  API_SERVER_URL: t('Where the training API server answers.', '训练 API 服务器的地址。'),
  NEXRL_DATA_PATH: t('Folder of the data files.', '数据文件所在目录。'),
  NEXRL_MODEL_PATH: t('Folder of the models.', '模型所在目录。'),
  SERPER_API_KEY: t('The search tool of the agent asks with it.', 'agent 的搜索工具用它查询。'),
  FEISHU_WEBHOOK_URL: t('Messages at begin, end and error.', '开始、结束与出错时发送消息。')
}

const launchSets: Readonly<Record<string, Text>> = {
  TRAIN_CONFIG: t('Path of the recipe.', '配方路径。'),
  EXPERIMENT_PATH: t('Folder of this attempt’s files.', '本次尝试的文件目录。'),
  NEXRL_PATH: t('The NexRL checkout.', 'NexRL 检出目录。')
}

function person(name: string, need: NexrlVariable['need']): NexrlVariable {
  return { name, need, from: 'person', why: known[name] ?? askedByRecipe }
}

/** Every variable a launch stands on, by name, each once; what the person has to give first. */
export function nexrlVariables(recipe: NexrlRecipeFacts, way: NexrlWay): NexrlVariable[] {
  const all: NexrlVariable[] = []
  if (recipe.service === 'weaver') {
    all.push(person('WEAVER_API_KEY', 'required'), person('WEAVER_BASE_URL', 'optional'))
  }
  if (recipe.service === 'tinker') {
    all.push(person('TINKER_API_KEY', 'required'), person('TINKER_BASE_URL', 'optional'))
  }
  if (recipe.service === 'own' && way === 'driver') {
    all.push(person('INFERENCE_BASE_URL', 'required'), person('API_SERVER_URL', 'required'))
  }
  if (recipe.sinks.includes('wandb')) {
    all.push(person('WANDB_KEY', 'required'), person('WANDB_HOST', 'required'))
  }
  if (recipe.sinks.includes('swanlab')) all.push(person('SWANLAB_API_KEY', 'required'))
  if (recipe.agent) {
    all.push(
      ...['SERPER_API_KEY', 'LLM_MODEL', 'LLM_API_KEY', 'LLM_BASE_URL'].map((name) =>
        person(name, 'optional')
      )
    )
  }
  for (const { name, optional } of recipe.asked) {
    if (!(name in launchSets)) all.push(person(name, optional ? 'optional' : 'required'))
  }
  const once = new Map<string, NexrlVariable>()
  for (const one of all) {
    const before = once.get(one.name)
    once.set(one.name, before?.need === 'required' ? before : { ...one, need: one.need })
  }
  const set = Object.entries(launchSets).map(([name, why]): NexrlVariable => ({
    name,
    need: 'required',
    from: 'launch',
    why
  }))
  // The launcher of the cluster chooses the experiment folder and sets all three inside the pod.
  return [...once.values(), ...(way === 'driver' ? set : set.slice(2))]
}
