import { posix } from 'node:path'
import { shellLine } from '../stacks'
import { offeredCopy } from './copy-offer'
import { pass, skip, type CheckSpec, type Outcome } from './check-spec'
import { pointerFiles } from './lfs-pointers'
import { filesOf, hostPath, option, type LaunchContext, type Leftover } from './launch-context'

// Names that Reef itself leaves between the numbered checkpoints. Source: `reef_adapters/training_job/storage.py`.
const hfExtras = /^(?:\.reef-latest-job\.json|reef_scenarios\.json|\..+\.tmp)$/
const megatronExtras =
  /^(?:latest_checkpointed_iteration\.txt|reef_adapter_slots|iter_\d{7}|release|\..+\.tmp)$/

const MOST_NAMED = 5

/** Names in a checkpoint folder that Reef does not own: `hf` by its template's last part (`{rollout_id}`), else Megatron's. */
export function strayNames(names: readonly string[], template: string | null): string[] {
  if (template === null) return names.filter((name) => !megatronExtras.test(name))
  const [before = '', after = ''] = template.split('{rollout_id}')
  const numbered = (name: string): boolean =>
    name.startsWith(before) &&
    name.endsWith(after) &&
    /^\d+$/.test(name.slice(before.length, name.length - after.length))
  return names.filter((name) => !numbered(name) && !hfExtras.test(name))
}

interface Folder {
  path: string
  template: string | null
}

function checkpointFolders(context: LaunchContext): Folder[] {
  const hf = option(context, 'save-hf')
  const megatron = option(context, 'save')
  const folders = [
    ...(hf === undefined ? [] : [{ at: posix.dirname(hf), template: posix.basename(hf) }]),
    ...(megatron === undefined ? [] : [{ at: megatron, template: null }])
  ]
  return folders.flatMap(({ at, template }) => {
    const path = hostPath(context, at)
    return path === null ? [] : [{ path, template }]
  })
}

/** Files among the checkpoints that would make Reef refuse its next start. */
const strays: CheckSpec<LaunchContext> = {
  id: 'state/stray-files',
  group: 'state',
  title: { en: 'Stray files among checkpoints', zh: 'checkpoint 中的多余文件' },
  deadline: 12_000,
  async run(context) {
    if (context.plan.practice)
      return skip({ en: 'The practice stack does not mind.', zh: '练习栈不受影响。' })
    const folders = checkpointFolders(context)
    if (folders.length === 0)
      return skip({ en: 'The recipe saves no checkpoints.', zh: '该配方不保存 checkpoint。' })
    const found: string[] = []
    for (const { path, template } of folders) {
      const names = ((await filesOf(context).list(path)) ?? []).map((entry) => entry.name)
      found.push(...strayNames(names, template).map((name) => posix.join(path, name)))
    }
    if (found.length === 0) return pass({ en: 'Nothing but checkpoints.', zh: '只有 checkpoint。' })
    const named = found.slice(0, MOST_NAMED).join(', ')
    const more = found.length > MOST_NAMED ? found.length - MOST_NAMED : 0
    return {
      verdict: 'fail',
      evidence: {
        en: `${named}${more > 0 ? ` and ${more} more` : ''}`,
        zh: `${named}${more > 0 ? ` 等，另有 ${more} 个` : ''}`
      },
      why: {
        en: 'Reef refuses to start with "unowned checkpoint assets" when files that are not its own lie there.',
        zh: '若其中有不属于 Reef 的文件，Reef 会以 “unowned checkpoint assets” 拒绝启动。'
      },
      remedy: {
        en: 'Move them out of the checkpoint folders.',
        zh: '请把它们移出 checkpoint 目录。'
      },
      command: moveAway(found)
    }
  }
}

/** Nothing is removed: what lies where it should not is put beside the folder it lies in. */
function moveAway(paths: readonly string[]): string {
  const byFolder = new Map<string, string[]>()
  for (const path of paths) {
    const folder = posix.dirname(path)
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), path])
  }
  return [...byFolder]
    .map(([folder, own]) => {
      const aside = `${folder}-moved-away`
      return `${shellLine(['mkdir', '-p', aside])} && ${shellLine(['mv', ...own, aside])}`
    })
    .join('\n')
}

/** Whether the user the stack runs as may write what it must write. */
const ownership: CheckSpec<LaunchContext> = {
  id: 'state/ownership',
  group: 'state',
  title: { en: 'Owner of the folders', zh: '目录属主' },
  deadline: 12_000,
  async run(context) {
    const { user, plan } = context
    // In a container the stack is root unless told otherwise, and may write everything.
    if (plan.image !== null || user === null || user === 0 || !(await context.here()))
      return skip({ en: 'The stack runs as root there.', zh: '运行栈在目标上以 root 运行。' })
    const foreign: string[] = []
    for (const { path } of plan.writes) {
      const host = hostPath(context, path)
      const facts = host === null ? null : await filesOf(context).stat(host)
      const open = facts !== null && (facts.mode & 0o002) !== 0
      if (host !== null && facts !== null && facts.uid !== user && !open) foreign.push(host)
    }
    const [first] = foreign
    if (first === undefined)
      return pass({ en: 'All existing folders are yours.', zh: '已有目录均属于你。' })
    return {
      verdict: 'warn',
      evidence: {
        en: `${foreign.join(', ')}: owned by somebody else.`,
        zh: `${foreign.join('、')} 属于其他用户。`
      },
      why: {
        en: 'Usually a container wrote them as root; this stack cannot write there.',
        zh: '通常是容器以 root 写入的；本运行栈无法写入。'
      },
      command: `sudo chown -R "$(id -u):$(id -g)" '${first}'`
    }
  }
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

/** Another stack of ours that writes the same folders: two writers destroy each other's state. */
const secondWriter: CheckSpec<LaunchContext> = {
  id: 'state/second-writer',
  group: 'state',
  title: { en: 'Second writer', zh: '重复写入者' },
  deadline: 12_000,
  async run(context) {
    // What is written relative to the run's own folder cannot meet another run.
    const shared = context.plan.writes.filter(({ path }) => /^[/~]/.test(path))
    const mine = shared.flatMap(({ path }) => hostPath(context, path) ?? [])
    const clash = context.ownRuns.find(
      (run) =>
        run.target === context.request.target &&
        run.writes.some((theirs) => mine.some((path) => overlaps(path, theirs)))
    )
    if (clash === undefined)
      return pass({
        en: 'No other run of yours writes these folders.',
        zh: '没有其他运行写入这些目录。'
      })
    return offeredCopy(context, {
      verdict: 'fail',
      evidence: {
        en: `Run ${clash.name} is running and writes the same folders.`,
        zh: `运行中的 ${clash.name} 正在写入相同目录。`
      },
      why: {
        en: 'There must be one Reef writer for a storage path; two tear each other’s records and checkpoints.',
        zh: '每个存储路径只能有一个 Reef 写入者，否则记录和 checkpoint 会互相破坏。'
      },
      remedy: {
        en: 'Stop that run, or give this one other folders and ports.',
        zh: '请停止该运行，或为本次指定其他目录和端口。'
      },
      command: shellLine(['slipway', 'stop', clash.name])
    })
  }
}

/** A build record in a mounted checkout hides the installed package's entry points. */
const shadowing: CheckSpec<LaunchContext> = {
  id: 'state/shadowing-checkout',
  group: 'state',
  title: { en: 'Checkout over the installed package', zh: '检出目录遮蔽已安装的包' },
  deadline: 12_000,
  async run(context) {
    const checkout = context.plan.mounts.find(({ container }) => container === '/workspace/Reef')
    if (checkout === undefined)
      return skip({ en: 'No checkout is mounted.', zh: '没有挂载检出目录。' })
    const names = ((await filesOf(context).list(checkout.host)) ?? []).map((entry) => entry.name)
    const stale = names.find((name) => name.endsWith('.egg-info'))
    if (stale === undefined)
      return pass({
        en: `${checkout.host} has no egg-info.`,
        zh: `${checkout.host} 中没有 egg-info。`
      })
    const path = posix.join(checkout.host, stale)
    return {
      verdict: 'warn',
      evidence: { en: `${path} is there.`, zh: `存在 ${path}。` },
      why: {
        en: 'It shadows the package of the image: SGLang then does not load Reef’s plugin.',
        zh: '它会遮蔽镜像中的包，SGLang 因而不加载 Reef 插件。'
      },
      remedy: {
        en: 'Remove that folder; it is made anew by an install.',
        zh: '请删除该目录；安装时会重新生成。'
      },
      command: `rm -r '${path}'`
    }
  }
}

/** Containers of ours whose run is over: provably ours by their label, provably dead by the engine's own word. */
export function ownLeftoverOutcome(found: readonly Leftover[]): Outcome {
  const [first] = found
  if (first === undefined)
    return pass({ en: 'Nothing of ours was left behind.', zh: '没有 Slipway 的残留。' })
  const names = found.map(({ name }) => name).join(', ')
  return {
    verdict: 'warn',
    evidence: {
      en: `Ended and not cleared away: ${names}.`,
      zh: `已结束但未清理：${names}。`
    },
    why: {
      en: 'Slipway was ended before it could remove them; they only take disk space.',
      zh: 'Slipway 在清理前被结束；它们只占用磁盘空间。'
    },
    fix: {
      kind: 'remove-leftover',
      title: { en: `Remove ${names}`, zh: `清理 ${names}` },
      what: found.map(({ id }) => id).join(',')
    }
  }
}

const ownLeftovers: CheckSpec<LaunchContext> = {
  id: 'state/own-leftovers',
  group: 'state',
  title: { en: 'Our own leftovers', zh: 'Slipway 的残留' },
  deadline: 12_000,
  async run(context) {
    if (context.target.endedOwn === undefined)
      return skip({ en: 'The target has no containers.', zh: '该目标没有容器。' })
    return ownLeftoverOutcome(await context.leftovers())
  }
}

export const leftoverChecks: readonly CheckSpec<LaunchContext>[] = [
  strays,
  ownership,
  secondWriter,
  shadowing,
  ownLeftovers,
  pointerFiles
]
