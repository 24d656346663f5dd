/** Real-shaped log text for benches and throughput tests: Slime metric lines among ordinary ones. */
export function realisticLog(
  bytes: number,
  startStep = 0
): { text: string; samples: number; steps: number } {
  const parts: string[] = []
  let length = 0
  let samples = 0
  let step = startStep
  while (length < bytes) {
    const block = stepBlock(step)
    parts.push(block.text)
    length += block.text.length
    samples += block.samples
    step++
  }
  return { text: parts.join(''), samples, steps: step - startStep }
}

function stepBlock(step: number): { text: string; samples: number } {
  const wobble = (seed: number): string => (Math.sin(step * seed) * 0.5 + 0.5).toPrecision(16)
  const time = new Date(Date.UTC(2026, 2, 4) + step * 1000)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')
  const trainer = `(MegatronTrainRayActor pid=4711) [${time}]`
  const manager = `(RolloutManager pid=4102, ip=10.0.0.7) [${time}]`
  const lines = [
    `${manager} rollout_metrics.py:268 - perf ${String(step)}: {'rollout/response_len/mean': ${wobble(1.1)}, 'rollout/response_len/median': 2210.0, 'rollout/response_len/max': 8192, 'rollout/zero_std/count_1.0': 6, 'rollout/truncated_ratio': 0.0625, 'perf/rollout_time': ${wobble(1.2)}, 'perf/tokens_per_gpu_per_sec': 1467.2}`,
    `(SGLangEngine pid=901) [${time} TP0] Decode batch, #running-req: 61, #token: 120931, token usage: 0.19, cuda graph: True, gen throughput (token/s): 4211.30, #queue-req: 0`,
    `(SGLangEngine pid=901) [${time}] INFO:     127.0.0.1:51234 - "POST /generate HTTP/1.1" 200 OK`,
    `${trainer} timer.py:32 - Timer actor_train start`,
    `${trainer} data.py:301 - rollout ${String(step)}: {'rollout/response_lengths': ${wobble(2.1)}, 'rollout/rewards': ${wobble(2.2)}, 'rollout/truncated': 0.0625, 'rollout/total_lengths': 3011.9, 'rollout/advantages': 1.1e-09, 'rollout/returns': 1.1e-09}`,
    `${trainer} model.py:918 - step ${String(step)}: {'train/loss': ${wobble(3.1)}, 'train/pg_loss': ${wobble(3.2)}, 'train/entropy_loss': ${wobble(3.3)}, 'train/pg_clipfrac': 0.00042, 'train/ppo_kl': 1.9e-05, 'train/train_rollout_logprob_abs_diff': ${wobble(3.4)}, 'train/grad_norm': ${wobble(3.5)}, 'train/lr-pg_0': 1e-06, 'train/lr-pg_1': 1e-06, 'train/global_batch_size': 256, 'train/step': ${String(step)}}`,
    `${trainer} timer.py:40 - Timer actor_train end (elapsed: 18.9s)`
  ]
  return { text: `${lines.join('\n')}\n`, samples: 7 + 5 + 6 + 11 + 1 }
}
