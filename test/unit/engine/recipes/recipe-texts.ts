/** Recipes written for the tests: each one is free of errors and warnings in the newest generation. */
export function saoRecipe(): string {
  return `schema-version: 2
reef:
  host: 127.0.0.1
  port: 8900
  token: \${REEF_TOKEN}
  run-dir: /srv/run/stack
inference:
  num-gpus: "1"
  tensor-parallel-size: "1"
  options:
    router-port: "30000"
  model-path: /models/Qwen2.5-1.5B-Instruct
  timeout-s: 7200
recipe:
  implementation: recipes.sao.recipe:SAORecipe
  config:
    batch-size: 128 # reports per step
    max-staleness: 18
    checkpoint-every-n-versions: 1
training:
  backend: slime
  timeout-s: 14400
  config:
    checkpoint_dir: /srv/run/checkpoints
    global_batch_size: 128
  options:
    megatron-to-hf-mode: "bridge"
    load: "\${training.config.checkpoint_dir}/megatron"
    save: "\${training.config.checkpoint_dir}/megatron"
    save-interval: "100"
    save-hf: "\${training.config.checkpoint_dir}/hf/{rollout_id}"
    num-rollout: "100000000"
    rollout-batch-size: "\${training.config.global_batch_size}"
    global-batch-size: "\${training.config.global_batch_size}"
    micro-batch-size: "1"
    padded-vocab-size: "151936"
    position-embedding-type: "rope"
    swiglu: true
    disable-bias-linear: true
    add-qkv-bias: true
    normalization: "RMSNorm"
    actor-num-nodes: "1"
    actor-num-gpus-per-node: "1"
    num-gpus-per-node: "2"
    tensor-model-parallel-size: "1"
    seq-length: "4096"
    rollout-max-response-len: "2048"
    optimizer: "adam"
    lr: "1e-6"
    attention-dropout: "0"
    hidden-dropout: "0"
    loss-type: "policy_loss"
    use-rollout-logprobs: true
    use-critic: true
    eps-clip: "0.3"
    eps-clip-high: "5.0"
    critic-steps-per-actor: "2"
    critic-lr: "5e-6"
    num-critic-only-steps: "0"
    sao-length-adaptive-lambda: true
    sao-lambda-alpha: "1.5"
    n-samples-per-prompt: "1"
storage:
  artifact-repository: /srv/run/artifacts.git
  artifact-work-dir: /srv/run/artifact-work
  artifact-cache-dir: /srv/run/artifact-cache
  agent-record-dir: /srv/run/agent-record
observability:
  wandb:
    enabled: false
    directory: /srv/run/wandb
`
}

export function tttdRecipe(): string {
  return `schema-version: 2
reef:
  run-dir: /srv/run/stack
inference:
  num-gpus: 2
  tensor-parallel-size: 1
  options:
    context-length: "30000"
  model-path: /models/Qwen3-8B
  timeout-s: 7200
recipe:
  implementation: recipes.tttd.recipe:TTTDRecipe
  config:
    groups-per-step: 8
    rollouts-per-group: 64
    checkpoint-every-n-versions: 1
training:
  colocate: true
  timeout-s: 7200
  config:
    checkpoint_dir: /srv/run/checkpoints
  options:
    load: "\${training.config.checkpoint_dir}/megatron"
    ref-load: "\${inference.model-path}"
    save: "\${training.config.checkpoint_dir}/megatron"
    save-hf: "\${training.config.checkpoint_dir}/hf/{rollout_id}"
    save-interval: "\${recipe.config.checkpoint-every-n-versions}"
    megatron-to-hf-mode: "bridge"
    num-rollout: "100000000"
    rollout-batch-size: "\${recipe.config.groups-per-step}"
    n-samples-per-prompt: "\${recipe.config.rollouts-per-group}"
    global-batch-size: "512"
    actor-num-nodes: "1"
    actor-num-gpus-per-node: "2"
    num-gpus-per-node: "2"
    tensor-model-parallel-size: "2"
    padded-vocab-size: "151936"
    qk-layernorm: true
    normalization: "RMSNorm"
    swiglu: true
    disable-bias-linear: true
    position-embedding-type: "rope"
    seq-length: "30000"
    use-dynamic-batch-size: true
    max-tokens-per-gpu: "30000"
    recompute-granularity: "full"
    recompute-method: "uniform"
    recompute-num-layers: "1"
    megatron-lora-rank: "32"
    megatron-lora-alpha: "32"
    megatron-lora-dropout: "0"
    lr: "4e-5"
    loss-type: "custom_loss"
    use-rollout-logprobs: true
    kl-coef: "0.1"
    rollout-temperature: "1"
    rollout-max-response-len: "26000"
    rollout-max-context-len: "30000"
    attention-dropout: "0"
    hidden-dropout: "0"
storage:
  artifact-repository: /srv/run/artifacts.git
  artifact-work-dir: /srv/run/artifact-work
  artifact-cache-dir: /srv/run/artifact-cache
  agent-record-dir: /srv/run/agent-record
`
}

/** An unversioned stack of the middle generation: a driver with folded flags, a judge and the service. */
export function unversionedRecipe(): string {
  return `# a judge scores the traffic
run_dir: /srv/run/stack
reef:
  host: 127.0.0.1 # this machine only
  port: 28900
  token: \${REEF_TOKEN}
  recipe: recipes.openclawrl.recipe:OpenClawRLRecipe
  model_path: /models/Qwen3-4B-Thinking-2507
  batch_size: 16
  checkpoint_every_n_versions: 1
  inference_timeout_s: 7200
  train_timeout_s: 7200
  prm_url: \${endpoints.judge}
  prm_tokenizer_path: \${judge.model_path}
  inference_backend_factory: reef.train.slime_backend.reef_adapters.sglang.chat.SGLangChatTrainingInferenceBackend
  artifact_repository: /srv/run/artifacts.git
  agent_record_dir: /srv/run/agent-record
judge:
  model_path: /models/Qwen3-4B-Thinking-2507
  port: "23001"
training:
  # the router of the engine
  sglang_port: "23000"
  checkpoint_dir: /srv/run/checkpoints
  global_batch_size: 16
  slime_flags: >-
    --actor-num-nodes=1 --actor-num-gpus-per-node=4 --rollout-num-gpus=1
    --rollout-num-gpus-per-engine=1 --num-gpus-per-node=6
    --tensor-model-parallel-size=4 --sequence-parallel
    --seq-length=65536 --rollout-max-response-len=8192
    --use-dynamic-batch-size --max-tokens-per-gpu=65536
    --attention-dropout=0.0 --hidden-dropout=0.0
    --lr=1e-5 --loss-type=custom_loss
    --n-samples-per-prompt=1 --num-steps-per-rollout=1
    --openclawrl-w-rl=1.0 --padded-vocab-size=151936
    --qk-layernorm --rotary-base=5000000
    --normalization=RMSNorm --swiglu --disable-bias-linear --position-embedding-type=rope
    --sglang-tool-call-parser=qwen25
services:
  - name: judge
    endpoint: http://{host}:\${judge.port}
    command: >-
      "\${REEF_PYTHON}" -m sglang.launch_server
      --model-path=\${judge.model_path} --tp 1
      --host 127.0.0.1 --port=\${judge.port}
    ready: curl -sf http://127.0.0.1:\${judge.port}/health
    resources:
      num_gpus: 1
  - name: slime-driver
    command: >-
      "\${REEF_PYTHON}" -m reef.service.slime_driver
      --megatron-to-hf-mode bridge
      --hf-checkpoint=\${reef.model_path}
      --load=\${training.checkpoint_dir}/megatron
      --save=\${training.checkpoint_dir}/megatron
      --save-interval=100
      --save-hf=\${training.checkpoint_dir}/hf/{rollout_id}
      --sglang-router-port=\${training.sglang_port}
      --num-rollout=100000000
      --rollout-batch-size=\${training.global_batch_size}
      --global-batch-size=\${training.global_batch_size}
      \${training.slime_flags}
    ready: test -f "$REEF_BRIDGE_READY_FILE"
    depends_on: [judge]
  - name: reef
    command: ["\${REEF_PYTHON}", "-m", "reef.service"]
    ready: curl -sf http://127.0.0.1:\${reef.port}/healthz
    depends_on: [slime-driver, judge]
`
}

export function practiceRecipe(): string {
  return `schema-version: 2
reef:
  port: 8900
  token: \${REEF_TOKEN}
inference:
  model-path: practice/tiny-policy
recipe:
  implementation: recipes.sao.recipe:SAORecipe
  config:
    batch-size: 16
training:
  backend: practice
  options:
    seed: 7
    task: letters
    lr: 0.05
    lora-rank: 4
    speed: 1
    traffic: on
    rollback: api
    generation: C
    evaluation: off
`
}

/** An ordinary recipe grown to this many lines by free variables. */
export function largeRecipe(lines: number): string {
  const base = saoRecipe()
  const more = lines - base.split('\n').length
  const rows = Array.from(
    { length: more },
    (_, row) => `    variable_${row}: "value ${row}" # note`
  )
  return base.replace(
    '    global_batch_size: 128',
    `    global_batch_size: 128\n${rows.join('\n')}`
  )
}

/** The text with one line replaced; a line that is not there is a mistake in the test. */
export function withLine(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`no such text: ${from}`)
  return text.replace(from, () => to)
}

/** A composed NexRL recipe: the file and its shared base. */
export function nexrlBase(): { text: string; siblings: Record<string, string> } {
  const text = `defaults:
  - common
  - _self_
experiment_name: mine
data:
  tokenizer_path: tok
  batch_size: 32 # prompts
  rollout_repeat_n: 8
  keep_batch_order: true
  data_files: ["\${oc.env:DATA}/train.parquet"]
  max_response_length: 8192
rollout_worker:
  type: agent
  num_workers: 256 # threads
  max_response_length: 8192
  max_sequence_length: 12288
  resource:
    num_workers: 0
    agents_per_worker: 32
trainer:
  type: remote_api_grpo
weight:
  sync_mode: sync
  sync_method: weaver
service:
  inference_service:
    identifier: default # inference
    model: Qwen/Qwen3-8B
    max_tokens: 8192
    backend: weaver
  weaver_service:
    lora_rank: 32
    api_key: \${oc.env:WEAVER_API_KEY}
  train_service:
    main_actor:
      identifier: default
      role: actor
      backend: weaver
      config:
        loss_fn: importance_sampling
        learning_rate: 1e-4
`
  const common = `project_name: p
data:
  type: torch
  max_prompt_length: 4096
trajectory_pool:
  batch_size: 256
service: null
`
  return { text, siblings: { 'common.yaml': common } }
}

/** A worker and a trainer as NexRL wants them. */
export const soundWorker = `from nexrl.rollout_worker import BaseRolloutWorker
from nexrl.nexrl_types import Trajectory


class CustomRolloutWorker(BaseRolloutWorker):
    """Answers one prompt: "Trajectory(" in here is no call."""

    def rollout(self, task):
        answer = self.completion(task["prompt"])
        train = answer["nexrl_train"]
        tokens = train["prompt_tokens"] + train["response_tokens"]
        loss_mask = [0] * len(train["prompt_tokens"]) + [1] * len(train["response_tokens"])
        logprobs = [0.0] * len(train["prompt_tokens"]) + train["response_logprobs"]
        tokens, loss_mask, logprobs = self._check_and_truncate(tokens, loss_mask, logprobs)
        return self._put_trajectory(
            Trajectory(
                tokens=tokens,
                loss_mask=loss_mask,
                reward=1.0,
                is_val=task.get("is_val", False),
                extra_fields={
                    "logprobs": logprobs,
                    "group_id": task["group_id"],
                    "run_id": task["run_id"],
                    "model_tag": self.model_tag,
                },
            )
        )
`

export const soundTrainer = `from nexrl.trainer import RemoteApiTrainer


class CustomTrainer(RemoteApiTrainer):
    def _prepare_trajectories(self, trajectories, metrics):
        for trajectory in trajectories:
            trajectory["advantage"] = trajectory["reward"]
        return trajectories
`
