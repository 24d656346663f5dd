import type { CheckoutFacts, Errand } from '../../contract/errands'
import type { Text } from '../../contract/text'
import type { CommandEnd } from './watched-command'

type State = Errand['state']

/** Lines of a log that are shown with a failure. */
const EVIDENCE = 12

const installs: Readonly<Record<string, Text>> = {
  docker: {
    en: 'Install the Docker command line (docker-ce-cli or docker-cli) on this computer.',
    zh: '请在本机安装 Docker 命令行（docker-ce-cli 或 docker-cli）。'
  },
  git: { en: 'Install git on this computer.', zh: '请在本机安装 git。' }
}

/** What known lines of git and docker mean, first match first. */
const signatures: readonly (readonly [RegExp, Text])[] = [
  [
    /Host key verification failed/,
    {
      en: 'Connect once by hand with ssh and compare the host key.',
      zh: '请先手动用 ssh 连接一次并核对主机密钥。'
    }
  ],
  [
    /Permission denied \(publickey|could not read Username|Authentication failed/,
    {
      en: 'Give git a key or a credential helper for this host; then try again.',
      zh: '请为 git 配置此主机的密钥或凭据助手，然后重试。'
    }
  ],
  [
    /Could not resolve host|Temporary failure in name resolution|Could not connect|Connection timed out/,
    { en: 'Check the address and the network.', zh: '请检查地址和网络。' }
  ],
  [
    /pull access denied|manifest unknown|failed to resolve source metadata|failed to do request/,
    {
      en: 'The base image cannot be pulled: check the network of the engine, or load the image there first.',
      zh: '无法拉取基础镜像：请检查引擎的网络，或先在那里加载该镜像。'
    }
  ],
  [
    /no space left on device/i,
    {
      en: 'The engine’s disk is full: free some space, for example with docker builder prune.',
      zh: '引擎的磁盘已满：请释放空间，例如执行 docker builder prune。'
    }
  ],
  [
    /requires? BuildKit|the --mount option/i,
    {
      en: 'This Dockerfile needs BuildKit: install docker-buildx.',
      zh: '此 Dockerfile 需要 BuildKit：请安装 docker-buildx。'
    }
  ]
]

/** What the end of an errand's command means; null when it went well. Pure. */
export function ended(
  end: CommandEnd,
  argv: readonly string[],
  lines: readonly string[]
): State | null {
  const tool = argv[0] ?? ''
  switch (end.kind) {
    case 'cancelled':
      return { kind: 'cancelled' }
    case 'missing':
      return {
        kind: 'failed',
        failure: {
          code: 'tool-missing',
          where: tool,
          what: { en: `There is no “${tool}” on this computer.`, zh: `本机没有“${tool}”命令。` },
          ...(installs[tool] === undefined ? {} : { remedy: installs[tool] })
        }
      }
    case 'signal':
    case 'code': {
      if (end.kind === 'code' && end.code === 0) return null
      const how = end.kind === 'code' ? String(end.code) : end.signal
      const last = lines.slice(-EVIDENCE)
      const remedy = signatures.find(([shape]) => last.some((line) => shape.test(line)))?.[1]
      return {
        kind: 'failed',
        failure: {
          code: 'command-failed',
          where: tool,
          what: { en: `${tool} ended with ${how}.`, zh: `${tool} 以 ${how} 结束。` },
          detail: last.join('\n'),
          remedy: remedy ?? {
            en: 'The last lines of the log say why.',
            zh: '原因见日志的最后几行。'
          }
        }
      }
    }
  }
}

/** A build is done when the engine has the image, not when a command says so. */
export function buildDone(reference: string, id: string | null): State {
  if (id !== null)
    return { kind: 'done', note: { en: `${reference} is ${id}.`, zh: `${reference} 即 ${id}。` } }
  return {
    kind: 'failed',
    failure: {
      code: 'image-not-there',
      where: reference,
      what: {
        en: 'The build ended well, but the engine does not have the image.',
        zh: '构建已正常结束，但引擎中没有该镜像。'
      },
      remedy: {
        en: 'The builder may keep images elsewhere: choose one with docker buildx use default.',
        zh: '构建器可能将镜像保存在别处：请执行 docker buildx use default。'
      }
    }
  }
}

/** `unfetched`: git-lfs could not fetch its files; the clone itself is whole. */
export function cloneDone(facts: CheckoutFacts, unfetched: boolean): State {
  const commit = facts.commit?.slice(0, 10) ?? ''
  const parts: Text[] = [
    { en: `Cloned at ${commit || 'no commit'}.`, zh: `已克隆，位于 ${commit || '（无提交）'}。` }
  ]
  if (unfetched) {
    parts.push({
      en: `git-lfs did not fetch its files, so large ones may be pointers: install git-lfs and run git -C ${facts.folder} lfs pull.`,
      zh: `git-lfs 未取回文件，大文件可能只是指针：请安装 git-lfs 并执行 git -C ${facts.folder} lfs pull。`
    })
  }
  if (!facts.buildable) {
    parts.push({
      en: 'It has no docker/Dockerfile.reef: perhaps another repository.',
      zh: '其中没有 docker/Dockerfile.reef：可能是其他仓库。'
    })
  }
  return {
    kind: 'done',
    note: { en: parts.map(({ en }) => en).join(' '), zh: parts.map(({ zh }) => zh).join('') }
  }
}
