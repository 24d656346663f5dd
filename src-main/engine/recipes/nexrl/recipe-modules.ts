import type { ModuleSubject } from './module-rules'
import type { NexrlRecipe } from './nexrl-recipe'
import { PythonOutline } from './python-outline'
import { moduleFile } from './self-hosted-rules'

const CUSTOM: readonly {
  role: ModuleSubject['role']
  path: string
  name: string
  standard: string
}[] = [
  {
    role: 'worker',
    path: 'rollout_worker.custom_rollout_worker_module_path',
    name: 'rollout_worker.custom_rollout_worker_class_name',
    standard: 'CustomRolloutWorker'
  },
  {
    role: 'trainer',
    path: 'trainer.custom_trainer_module_path',
    name: 'trainer.custom_trainer_class_name',
    standard: 'CustomTrainer'
  }
]

/** The Python files a recipe names for its own worker or trainer, with the class it takes from each. */
export function* recipeModules(recipe: NexrlRecipe): Generator<ModuleSubject> {
  for (const { role, path, name, standard } of CUSTOM) {
    const file = recipe.text(path)
    const text = file === undefined ? undefined : recipe.modules[moduleFile(file)]
    if (file === undefined || text === undefined || text === null) continue
    const className = recipe.text(name) ?? standard
    yield { role, className, outline: new PythonOutline(moduleFile(file), text) }
  }
}
