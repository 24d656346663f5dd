import type { Exit } from '../../contract/run'
import type { Text } from '../../contract/text'
import { nexrlSignatures } from './nexrl-signatures'

/** A known way to fail: lines that prove it, what it means and what to do. */
export interface Signature {
  id: string
  pattern: RegExp
  cause: Text
  remedy: Text
}

const t = (en: string, zh: string): Text => ({ en, zh })

/**
 * Most telling first: an out-of-memory line explains the "exited" line after it, not the other way round.
 * Lines as printed by Reef (`reef/service/deploy`, `reef_adapters`), Slime, Megatron, SGLang, PyTorch, Ray and Docker.
 */
export const signatures: readonly Signature[] = [
  ...nexrlSignatures,
  {
    id: 'ambiguous-job',
    pattern: /ambiguous training job|operator recovery required/,
    cause: t(
      'A training job was cut off earlier, and the stack refuses to guess whether it counted.',
      '此前有训练任务被中断，运行栈拒绝猜测它是否生效。'
    ),
    remedy: t(
      'Follow the recovery in Reef’s troubleshooting guide, or redeploy from a saved checkpoint. Do not delete the marker.',
      '请按 Reef 故障排查指南恢复，或从已保存的 checkpoint 重新部署。不要删除标记文件。'
    )
  },
  {
    id: 'invalid-marker',
    pattern: /invalid training marker|training job \S+ is REJECT(?:ING|ED)/,
    cause: t('The training marker on disk does not allow a start.', '磁盘上的训练标记不允许启动。'),
    remedy: t(
      'Restore the committed checkpoint root, or redeploy from a saved checkpoint.',
      '请恢复已提交的 checkpoint 根目录，或从已保存的 checkpoint 重新部署。'
    )
  },
  {
    id: 'storage-blocked',
    pattern: /checkpoint storage preflight blocked|unowned checkpoint assets|free-space floor/,
    cause: t(
      'There is not enough room for one more checkpoint.',
      '空间不足以再保存一个 checkpoint。'
    ),
    remedy: t(
      'Free disk space, remove files that are not the stack’s own from the checkpoint folders, or raise the storage limits in the recipe.',
      '请释放磁盘空间、移走 checkpoint 目录中不属于运行栈的文件，或在配方中调高存储上限。'
    )
  },
  {
    id: 'gpu-out-of-memory',
    pattern: /CUDA out of memory|torch\.OutOfMemoryError|OutOfMemoryError/,
    cause: t('A GPU ran out of memory.', 'GPU 显存不足。'),
    remedy: t(
      'Lower max-tokens-per-gpu or the response length, or give inference a smaller memory fraction.',
      '请减小 max-tokens-per-gpu 或回复长度，或降低推理的显存占比。'
    )
  },
  {
    id: 'shared-memory',
    pattern: /\/dev\/shm|shared memory segment/,
    cause: t('Shared memory (/dev/shm) is too small.', '共享内存（/dev/shm）太小。'),
    remedy: t(
      'Start the container with --ipc host and --shm-size 32g.',
      '请用 --ipc host 和 --shm-size 32g 启动容器。'
    )
  },
  {
    id: 'disk-full',
    pattern: /No space left on device|ENOSPC/,
    cause: t('The disk is full.', '磁盘已满。'),
    remedy: t(
      'Free space on the file system the stack writes to.',
      '请在运行栈写入的文件系统上释放空间。'
    )
  },
  {
    id: 'port-taken',
    pattern: /[Aa]ddress already in use|EADDRINUSE/,
    cause: t('A port the stack needs is taken.', '运行栈需要的端口已被占用。'),
    remedy: t(
      'End the program that holds it, or choose another port by an override.',
      '请结束占用端口的程序，或用覆盖项改用其他端口。'
    )
  },
  {
    id: 'nan',
    pattern: /found (?:NaN|Inf) in local grad norm|Unexpected result (?:nan|inf)/i,
    cause: t('A gradient became NaN or infinite.', '梯度变为 NaN 或无穷大。'),
    remedy: t(
      'Lower the learning rate, look at the last rewards and lengths, and go back to the release before it.',
      '请降低学习率，检查最近的奖励与长度，并回滚到之前的版本。'
    )
  },
  {
    id: 'nccl',
    pattern: /nccl\w*Error|Watchdog caught collective operation timeout|NCCL error/,
    cause: t('GPUs lost contact with each other (NCCL).', 'GPU 之间失去通信（NCCL）。'),
    remedy: t(
      'Look for the first failing rank in the log; check the network interface and that no other program uses these GPUs.',
      '请在日志中找出最先失败的 rank，检查网络接口，并确认没有其他程序占用这些 GPU。'
    )
  },
  {
    id: 'cuda',
    pattern: /CUDA error|invalid device ordinal/,
    cause: t('CUDA reported an error.', 'CUDA 报告了错误。'),
    remedy: t(
      'Check which GPUs the container sees; an illegal access in the inference engine is often memory that ran out.',
      '请检查容器可见的 GPU；推理引擎的非法访问往往是显存不足。'
    )
  },
  {
    id: 'gpu-runtime-missing',
    pattern: /could not select device driver|nvidia-container-cli/,
    cause: t('Docker cannot give GPUs to a container here.', '此处的 Docker 无法把 GPU 交给容器。'),
    remedy: t(
      'Install the NVIDIA container toolkit on that machine.',
      '请在该机器上安装 NVIDIA container toolkit。'
    )
  },
  {
    id: 'environment-missing',
    pattern: /missing or empty required environment variables/,
    cause: t('An environment variable the recipe requires is missing.', '缺少配方要求的环境变量。'),
    remedy: t(
      'Set the variables the next lines name, then launch again.',
      '请设置后续行中列出的变量，然后重新启动。'
    )
  },
  {
    id: 'invalid-config',
    pattern:
      /^(?:\S+: )?config .*: |unknown config (?:fields|sections)|unknown recipe\.config field/m,
    cause: t('The stack refuses the recipe.', '运行栈拒绝了该配方。'),
    remedy: t(
      'Correct the field the line names; the recipe check shows where it stands.',
      '请修正该行指出的字段；配方检查会显示其位置。'
    )
  },
  {
    id: 'hf-mismatch',
    pattern: /in hf config .* is not equal to|size mismatch for/,
    cause: t('The model flags do not fit the checkpoint.', '模型参数与 checkpoint 不匹配。'),
    remedy: t(
      'Compare the recipe’s model flags with the checkpoint’s config.json.',
      '请对照 checkpoint 的 config.json 检查配方中的模型参数。'
    )
  },
  {
    id: 'logprobs-missing',
    pattern: /requires --[\w-]+|the Reef bridge requires/,
    cause: t('The trainer refuses its options.', '训练器拒绝了其选项。'),
    remedy: t('Add or change the option the line names.', '请添加或修改该行指出的选项。')
  },
  {
    id: 'not-ready',
    pattern: /service '[^']+' did not become ready within/,
    cause: t('A service did not become ready in time.', '有服务未能按时就绪。'),
    remedy: t(
      'Read that service’s log: a model download, a busy GPU and a wrong address are the usual reasons.',
      '请查看该服务的日志：常见原因是正在下载模型、GPU 被占用或地址错误。'
    )
  },
  {
    id: 'service-exited',
    pattern:
      /service '[^']+' exited (?:before ready|during startup)|: exited; bringing down the stack/,
    cause: t(
      'One service ended, and the launcher brought the rest down.',
      '有一个服务退出，启动器随之关闭了其余部分。'
    ),
    remedy: t('Read the end of that service’s log.', '请查看该服务日志的末尾。')
  },
  {
    id: 'module-missing',
    pattern: /ModuleNotFoundError|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND/,
    cause: t('A program module is missing.', '缺少程序模块。'),
    remedy: t(
      'Install what the line names in the environment the stack runs in.',
      '请在运行栈的运行环境中安装该行指出的模块。'
    )
  },
  {
    id: 'traceback',
    pattern: /^Traceback \(most recent call last\):|^\w+(?:\.\w+)*Error: /m,
    cause: t('The program ended with an error of its own.', '程序因自身错误而退出。'),
    remedy: t('The last line of the traceback names it.', '回溯信息的最后一行指出了原因。')
  }
]

const EVIDENCE_LINES = 6
const LONGEST_LINE = 500

export interface Diagnosis {
  id: string
  cause: Text
  evidence: string[]
  remedy: Text | null
}

const killedWhole = {
  cause: t(
    'The stack was ended from outside, all of it at once: nothing was left to write down how.',
    '运行栈被外部整体强制终止，未能留下退出记录。'
  ),
  remedy: t(
    'Often kill -9, or the system’s own out-of-memory killer: see its log (dmesg). It can be started again.',
    '常见原因是 kill -9 或系统的内存不足终止机制：请查看系统日志（dmesg）。可以重新启动。'
  )
}

/** What a container's first process leaves behind when a signal ends it: 128 and the signal's number. */
const KILLED = 128 + 9
const TERMINATED = 128 + 15

function endedFromOutside(code: number): { cause: Text; remedy: Text } {
  const signal = code === KILLED ? 'SIGKILL' : 'SIGTERM'
  return {
    cause: t(
      `The stack was ended from outside (exit code ${code}: ${signal}).`,
      `运行栈被外部终止（退出码 ${code}：${signal}）。`
    ),
    remedy: t(
      'Often “docker kill” or “docker stop”, a container engine that was stopped, or memory that ran out on the machine. It can be started again.',
      '常见原因是“docker kill”或“docker stop”、容器引擎被停止，或机器内存不足。可以重新启动。'
    )
  }
}

function byExit(exit: Exit, stayedUp: boolean): { cause: Text; remedy: Text | null } {
  switch (exit.kind) {
    case 'oom':
      return {
        cause: t(
          'The machine ran out of memory, and the system ended the stack.',
          '机器内存不足，系统结束了运行栈。'
        ),
        remedy: t(
          'Free memory or give the container more, then start again.',
          '请释放内存或给容器更多内存，然后重新启动。'
        )
      }
    case 'signal':
      return {
        cause: t(
          `The stack was ended from outside (${exit.signal}).`,
          `运行栈被外部终止（${exit.signal}）。`
        ),
        remedy:
          exit.signal === 'SIGKILL'
            ? t(
                'Often the system’s own out-of-memory killer: see its log (dmesg).',
                '常见原因是系统的内存不足终止机制：请查看系统日志（dmesg）。'
              )
            : null
      }
    case 'code':
      if (exit.code === KILLED || exit.code === TERMINATED) return endedFromOutside(exit.code)
      return {
        cause: t(
          `The stack ended by itself with code ${exit.code}.`,
          `运行栈自行退出，退出码 ${exit.code}。`
        ),
        remedy: t('Read the end of the log.', '请查看日志末尾。')
      }
    case 'unknown':
      if (stayedUp) return killedWhole
      return {
        cause: t(
          'The stack is gone, and nobody saw how it ended.',
          '运行栈已不存在，且没有记录它如何结束。'
        ),
        remedy: t(
          'If the machine was restarted meanwhile, that is the reason.',
          '如果机器在此期间重启过，那就是原因。'
        )
      }
  }
}

/**
 * Why an attempt ended, from the tails of its logs (redacted already, most telling source first) and how it ended.
 * Pure.
 */
export function diagnose(exit: Exit, tails: readonly string[], stayedUp = false): Diagnosis {
  const lines = tails.flatMap((tail) => tail.split('\n'))
  // Whose memory ran out is known from the system; what the log says after it is its consequence.
  for (const signature of exit.kind === 'oom' ? [] : signatures) {
    const at = lastIndex(lines, signature.pattern)
    if (at < 0) continue
    return {
      id: signature.id,
      cause: signature.cause,
      evidence: tidy(lines.slice(at, at + EVIDENCE_LINES)),
      remedy: signature.remedy
    }
  }
  const end = tails.flatMap((tail) => tidy(tail.split('\n')).slice(-EVIDENCE_LINES))
  return { id: exit.kind, ...byExit(exit, stayedUp), evidence: end.slice(-EVIDENCE_LINES) }
}

function lastIndex(lines: readonly string[], pattern: RegExp): number {
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    if (pattern.test(lines[index] ?? '')) return index
  }
  return -1
}

function tidy(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.trimEnd().slice(0, LONGEST_LINE))
    .filter((line) => line.trim() !== '')
}
