import type { StackEvent } from './model'

interface Pattern {
  kind: string
  severity: StackEvent['severity']
  /** The message begins with this; or, with `inside`, holds it anywhere. Keeps the expressions off ordinary lines. */
  begins?: string
  inside?: string
  /** Named groups become the event's data. */
  shape: RegExp
}

const info = 'info'
const warning = 'warning'
const error = 'error'

/** Lines of the Reef launcher, behind `[reef] ` (`reef/service/deploy/orchestrator.py`). */
const launcher: readonly Pattern[] = [
  {
    kind: 'launcher-config',
    severity: info,
    begins: 'config: ',
    shape: /^config: (?<path>.+?) \((?<layout>[^)]*)\)$/
  },
  {
    kind: 'service-starting',
    severity: info,
    begins: 'starting ',
    shape: /^starting (?<service>[^:]+): (?<argv>.*)$/
  },
  { kind: 'stack-up', severity: info, begins: 'stack up', shape: /^stack up\. logs: (?<logs>.*)$/ },
  {
    kind: 'startup-failed',
    severity: error,
    begins: 'deployment startup failed: ',
    shape: /^deployment startup failed: (?<reason>.*)$/
  },
  {
    kind: 'shutdown-asked',
    severity: info,
    begins: 'received signal',
    shape: /^received signal(?<during> during startup)?, shutting down/
  },
  {
    kind: 'shutdown-forced',
    severity: warning,
    begins: 'received another signal',
    shape: /^received another signal, forcing process cleanup/
  },
  {
    kind: 'service-stopping',
    severity: info,
    begins: 'stopping ',
    shape: /^stopping (?<service>\S+) \(process group (?<group>\d+)\)/
  },
  {
    kind: 'service-ready',
    severity: info,
    inside: ': ready',
    shape: /^(?<service>[^:]+): ready(?: at (?<url>\S+))?$/
  },
  {
    kind: 'service-exited',
    severity: error,
    inside: ': exited',
    shape: /^(?<service>[^:]+): exited; bringing down the stack/
  },
  {
    kind: 'service-failed',
    severity: error,
    inside: ': execution backend failed',
    shape: /^(?<service>[^:]+): execution backend failed: (?<reason>.*)$/
  },
  {
    kind: 'service-killed',
    severity: warning,
    inside: ': process tree did not exit',
    shape: /^(?<service>[^:]+): process tree did not exit in (?<seconds>\d+)s, SIGKILL/
  },
  {
    kind: 'service-executor',
    severity: info,
    inside: ': executor=',
    shape: /^(?<service>[^:]+): executor=(?<executor>\S+) \((?<why>.*)\)$/
  }
]

/** Lines of the services: Reef's driver and HTTP service, Slime, Megatron, Ray, PyTorch, NexRL. */
const services: readonly Pattern[] = [
  {
    kind: 'driver-ready',
    severity: info,
    begins: 'reef-training-ready',
    shape: /^reef-training-ready$/
  },
  {
    kind: 'model-failed',
    severity: error,
    begins: 'Model component failed',
    shape: /^Model component failed; retiring deployment before recovery/
  },
  {
    kind: 'model-recovered',
    severity: info,
    begins: 'Model deployment recovered',
    shape: /^Model deployment recovered and ready/
  },
  {
    kind: 'model-gave-up',
    severity: error,
    begins: 'model deployment exceeded',
    shape: /^model deployment exceeded three restarts in five minutes/
  },
  {
    kind: 'lora-enabled',
    severity: info,
    begins: 'Enabled Megatron Bridge LoRA',
    shape: /^Enabled Megatron Bridge LoRA rank=(?<rank>\d+) alpha=(?<alpha>\S+)/
  },
  {
    kind: 'request-failed',
    severity: error,
    inside: ' failed with ',
    shape:
      /^(?<method>[A-Z]+) (?<path>\/\S*) failed with (?<type>\w+): (?<reason>.*) \(HTTP (?<status>\d+)\)/
  },
  {
    kind: 'batch-undrained',
    severity: warning,
    begins: 'scenario ',
    shape:
      /^scenario '(?<scenario>[^']*)' has a ready training batch undrained for (?<seconds>[\d.]+) seconds/
  },
  {
    kind: 'batch-size-fallback',
    severity: warning,
    begins: 'setting global batch size to ',
    shape: /^setting global batch size to (?<size>\d+)/
  },
  {
    kind: 'gpus-awaited',
    severity: warning,
    begins: 'Waiting for placement group',
    shape:
      /^Waiting for placement group of (?<wanted>\d+) GPUs \(elapsed (?<seconds>\d+)s\): (?<registered>\d+) GPUs registered with Ray, (?<available>\d+) available/
  },
  {
    kind: 'router-launched',
    severity: info,
    begins: 'Router launched at ',
    shape: /^Router launched at (?<address>[^,\s]+), Prometheus port: (?<prometheus>\d+)/
  },
  {
    kind: 'engine-launched',
    severity: info,
    begins: 'Launch HttpServerEngineAdapter at',
    shape: /^Launch HttpServerEngineAdapter at: (?<address>\S+)/
  },
  {
    kind: 'retrying',
    severity: warning,
    begins: 'Error: ',
    shape: /^Error: (?<reason>.*), retrying\.\.\. \(attempt (?<attempt>\d+)\/(?<of>\d+)/
  },
  {
    kind: 'retries-exhausted',
    severity: error,
    begins: 'Max retries (',
    shape: /^Max retries \((?<of>\d+)\) reached, failing/
  },
  {
    kind: 'engine-unhealthy',
    severity: warning,
    begins: 'Health check failed',
    shape: /^Health check failed for rollout engine (?<engine>\S+)/
  },
  {
    kind: 'engines-recovered',
    severity: info,
    begins: 'Recovered ',
    shape: /^Recovered (?<count>\d+) dead rollout engines/
  },
  {
    kind: 'checkpoint-loaded',
    severity: info,
    inside: 'successfully loaded checkpoint from',
    shape: /successfully loaded checkpoint from (?<path>\S+) .*at iteration (?<iteration>\d+)/
  },
  {
    kind: 'random-weights',
    severity: error,
    inside: 'will not load any checkpoints and will start from random',
    shape: /will not load any checkpoints and will start from random/
  },
  {
    kind: 'checkpoint-saved',
    severity: info,
    inside: 'successfully saved checkpoint from iteration',
    shape: /successfully saved checkpoint from iteration\s+(?<iteration>\d+) to (?<path>\S+)/
  },
  {
    kind: 'hf-export-saved',
    severity: info,
    begins: 'Successfully saved HuggingFace model',
    shape: /^Successfully saved HuggingFace model to (?<path>\S+)/
  },
  {
    kind: 'nan-gradient',
    severity: error,
    inside: 'in local grad norm for bucket',
    shape: /found (?<value>NaN|Inf) in local grad norm for bucket #(?<bucket>\d+)/i
  },
  {
    kind: 'out-of-memory',
    severity: error,
    inside: 'out of memory',
    shape: /CUDA out of memory\.(?: Tried to allocate (?<wanted>[\d.]+ \w+))?/
  },
  {
    kind: 'illegal-access',
    severity: error,
    inside: 'an illegal memory access',
    shape: /CUDA error: an illegal memory access was encountered/
  },
  {
    kind: 'nccl-error',
    severity: error,
    inside: 'nccl',
    shape: /(?<error>nccl(?:UnhandledCudaError|SystemError|InternalError|RemoteError))/
  },
  {
    kind: 'collective-timeout',
    severity: error,
    inside: 'Watchdog caught collective',
    shape: /Watchdog caught collective operation timeout/
  },
  {
    kind: 'shared-memory-full',
    severity: error,
    inside: 'Error while creating shared memory segment',
    shape: /Error while creating shared memory segment (?<path>\S+)/
  },
  {
    kind: 'traceback',
    severity: error,
    begins: 'Traceback (most',
    shape: /^Traceback \(most recent call last\):/
  },
  {
    kind: 'task-failed',
    severity: error,
    inside: 'RayTaskError(',
    shape: /ray\.exceptions\.RayTaskError\((?<type>\w+)\)/
  },
  {
    kind: 'job-failed',
    severity: error,
    inside: 'Job entrypoint command failed',
    shape: /Job entrypoint command failed with exit code (?<code>\d+)/
  },
  {
    kind: 'unknown-setting-override',
    severity: warning,
    begins: 'Warning: Argument ',
    shape:
      /^Warning: Argument (?<name>\S+) is already set to (?<old>.*), will override with (?<value>.*)\.$/
  },
  {
    kind: 'nexrl-boot',
    severity: info,
    begins: 'Starting NexRL in',
    shape: /^Starting NexRL in (?<mode>\w+) mode/
  },
  {
    kind: 'weaver-model',
    severity: info,
    begins: 'Training client model id',
    shape: /^Training client model id: \(?'?(?<model>[^',)]+)/
  },
  {
    kind: 'training-started',
    severity: info,
    begins: 'Starting training loop',
    shape: /^Starting training loop\.\.\./
  },
  {
    kind: 'step-completed',
    severity: info,
    begins: 'Training step ',
    shape: /^Training step (?<step>\d+) completed(?:, updated sampling path: (?<path>\S+))?/
  },
  {
    kind: 'weights-synchronised',
    severity: info,
    begins: 'Weight synchronization completed',
    shape: /^Weight synchronization completed for (?<model>\S+) to version (?<version>\d+)/
  },
  {
    kind: 'weights-sync-failed',
    severity: error,
    begins: 'Weight synchronization failed',
    shape: /^Weight synchronization failed for (?<model>.+)/
  },
  {
    kind: 'steps-reached',
    severity: info,
    begins: 'Finish check: ',
    shape: /^Finish check: steps_reached=True -> stopping/
  },
  {
    kind: 'data-consumed',
    severity: warning,
    begins: 'TorchDataLoader: All data',
    shape: /^TorchDataLoader: All data has been consumed/
  },
  {
    kind: 'health-errors',
    severity: error,
    begins: 'System health check: policy',
    shape: /^System health check: policy '(?<policy>[^']+)' detected (?<errors>\d+) errors/
  },
  {
    kind: 'modules-dead',
    severity: error,
    begins: 'Module liveness check detected dead',
    shape: /^Module liveness check detected dead modules/
  },
  {
    kind: 'nexrl-finished',
    severity: info,
    begins: 'NexRL training process finished',
    shape: /^NexRL training process finished/
  }
]

const PREFIX = '[reef] '
const HEAD = 6
const byBeginning = new Map<string, Pattern[]>()
for (const pattern of services) {
  const head = pattern.begins?.slice(0, HEAD)
  if (head === undefined) continue
  byBeginning.set(head, [...(byBeginning.get(head) ?? []), pattern])
}
const anywhere = services.filter((pattern) => pattern.inside !== undefined)
/** One pass that tells whether any of `anywhere` can match. */
const anyInside = new RegExp(
  anywhere.map((p) => (p.inside ?? '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
)

export interface Recognised {
  kind: string
  severity: StackEvent['severity']
  data: Record<string, string>
}

/** The event a peeled line stands for, or null for ordinary text. */
export function recogniseEvent(message: string): Recognised | null {
  if (message.startsWith(PREFIX)) return firstMatch(launcher, message.slice(PREFIX.length))
  const text = message.trimStart()
  const beginning = byBeginning.get(text.slice(0, HEAD))
  const found = beginning === undefined ? null : firstMatch(beginning, text)
  if (found !== null) return found
  return anyInside.test(text) ? firstMatch(anywhere, text) : null
}

function firstMatch(patterns: readonly Pattern[], text: string): Recognised | null {
  for (const { kind, severity, shape } of patterns) {
    const match = shape.exec(text)
    if (match === null) continue
    const data: Record<string, string> = {}
    for (const [name, value] of Object.entries(match.groups ?? {})) {
      // A group that took no part is undefined, whatever its type says.
      if (typeof value === 'string') data[name] = value.trim()
    }
    return { kind, severity, data }
  }
  return null
}
