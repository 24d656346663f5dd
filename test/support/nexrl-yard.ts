import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { RunService, RunServiceOptions } from '../../src-main/engine/stacks'
import { createProcessTarget } from '../../src-main/engine/targets'
import { openService, type Yard } from './run-service'

/** A home, a Python environment whose python is the stand-in driver, a checkout and a recipe with its base file. */
export interface NexrlYard extends Yard {
  checkout: string
  python: string
  /** The same for GPUs of one's own. */
  selfHosted: string
}

const common = (steps: number): string => `project_name: "yard"
launch_mode: "local"
logger: { backend: ['console'] }
data:
  type: "torch"
  data_files: ["\${oc.env:NEXRL_DATA_PATH}/rows.jsonl"]
  batch_size: 2
  keep_batch_order: true
  rollout_repeat_n: 4
  max_prompt_length: 64
  max_response_length: \${rollout_worker.max_response_length}
rollout_worker:
  type: "agent"
  num_workers: 4
  max_response_length: 64
  max_sequence_length: 128
  resource: { num_workers: 0, agents_per_worker: 4 }
trajectory_pool: { type: default, batch_size: 8, check_batch_ready_function: loaded_batch_finished }
trainer: { total_train_steps: ${steps}, save_freq: 0 }
service: null
weight: { type: default, sync_mode: sync, staleness_threshold: 0 }
runtime_monitor:
  health_check: { enabled: true, check_interval: 1.0 }
`

const leaf = `defaults:
  - common
  - _self_
experiment_name: "yard-run"
trainer: { type: remote_api_grpo }
weight: { sync_method: weaver }
service:
  inference_service:
    identifier: default
    model: "Qwen/Qwen3-8B"
    max_tokens: \${data.max_response_length}
    backend: weaver
  weaver_service: { api_key: "\${oc.env:WEAVER_API_KEY}", lora_rank: 32 }
  train_service:
    main_actor:
      identifier: default
      role: actor
      backend: weaver
      config: { loss_fn: importance_sampling, learning_rate: 1e-4 }
`

const selfHosted = `defaults:
  - common
  - _self_
experiment_name: "yard-own"
trainer: { type: self_hosted_grpo, sync_weight_path: /tmp/sync }
weight: { sync_method: disk, sync_weight_path: /tmp/sync }
service:
  inference_service:
    identifier: default
    model: "Qwen/Qwen3-8B"
    model_path: /models/Qwen3-8B
    max_tokens: \${data.max_response_length}
    backend: sglang
    resource: { replicas: 4, gpus_per_replica: 2, backend: sglang }
  train_service:
    main_actor:
      identifier: default
      role: actor
      backend: direct-zmq
      resource: { world_size: 8, gpus_per_pod: 8 }
      actor: { ppo_mini_batch_size: 2, ppo_micro_batch_size: 8, rollout: { n: 4 } }
`

/** Writes an executable that runs one of our Node scripts under another name. */
export function standIn(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${resolve(script)}" "$@"\n`)
  chmodSync(path, 0o755)
}

/** `steps`: what the recipe asks for; the driver itself goes by NEXRL_DRIVER_STEPS. */
export function makeNexrlYard(steps = 3): NexrlYard {
  const root = mkdtempSync(join(tmpdir(), 'slipway-nexrl-'))
  const python = join(root, 'venv')
  const checkout = join(root, 'NexRL')
  const folder = join(checkout, 'recipe', 'yard')
  mkdirSync(join(python, 'bin'), { recursive: true })
  mkdirSync(join(checkout, 'cli'), { recursive: true })
  mkdirSync(folder, { recursive: true })
  standIn(join(python, 'bin', 'python'), 'test/support/nexrl-driver.mjs')
  writeFileSync(join(checkout, 'cli', 'run.py'), '# The launcher of a checkout.\n')
  writeFileSync(join(folder, 'common.yaml'), common(steps))
  writeFileSync(join(folder, 'weaver.yaml'), leaf)
  writeFileSync(join(folder, 'self_hosted.yaml'), selfHosted)
  writeFileSync(join(root, 'rows.jsonl'), '{"prompt":"1 + 1"}\n'.repeat(40))
  return {
    root,
    home: join(root, 'home'),
    resources: resolve('resources'),
    checkout,
    python,
    recipe: join(folder, 'weaver.yaml'),
    selfHosted: join(folder, 'self_hosted.yaml'),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

export function openNexrlService(
  yard: NexrlYard,
  options: Partial<RunServiceOptions> = {}
): Promise<RunService> {
  return openService(yard, {
    secret: (name) => Promise.resolve(process.env[name] ?? null),
    target: (id, installation) =>
      Promise.resolve(
        createProcessTarget({
          spec: { kind: 'process', id, name: 'This machine', python: yard.python },
          installation,
          resources: yard.resources,
          home: yard.home
        })
      ),
    ...options
  })
}
