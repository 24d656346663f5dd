import { fail } from '../lib'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { trainsAdapter, type LaunchContext } from './launch-context'

/**
 * Looks for the tools and, without importing it, for the routes of the installed SGLang. Prints one fact a line.
 * Routes as in SGLang's `srt/entrypoints/http_server.py`.
 */
const CONTENTS = `for tool in git git-lfs; do command -v "$tool" >/dev/null 2>&1 && echo "tool $tool"; done
command -v python3 >/dev/null 2>&1 && python3 - <<'END'
import importlib.util as u, os
found = u.find_spec("sglang")
root = os.path.dirname(found.origin) if found and found.origin else None
if root:
    print("sglang")
    for folder, _, names in os.walk(os.path.join(root, "srt", "entrypoints")):
        for name in names:
            if name.endswith(".py"):
                text = open(os.path.join(folder, name), errors="replace").read()
                for route in ("/load_lora_adapter", "/unload_lora_adapter"):
                    if '"' + route + '"' in text or "'" + route + "'" in text:
                        print("route " + route)
END
true`

interface ImageContents {
  git: boolean
  lfs: boolean
  /** SGLang's adapter routes; null where there is no SGLang. */
  routes: readonly string[] | null
}

/** Reads what the question to an image printed. */
export function readContents(text: string): ImageContents {
  const lines = text.split('\n').map((one) => one.trim())
  const routes = lines.filter((one) => one.startsWith('route ')).map((one) => one.slice(6))
  return {
    git: lines.includes('tool git'),
    lfs: lines.includes('tool git-lfs'),
    routes: lines.includes('sglang') ? [...new Set(routes)] : null
  }
}

/** Releases are kept in a Git repository with LFS: without the tools none can be written. */
export function gitOutcome({ git, lfs }: Pick<ImageContents, 'git' | 'lfs'>): Outcome {
  if (git && lfs) return pass({ en: 'git and git-lfs are there.', zh: '已有 git 和 git-lfs。' })
  const absent = [...(git ? [] : ['git']), ...(lfs ? [] : ['git-lfs'])].join(', ')
  return {
    verdict: git ? 'warn' : 'fail',
    evidence: { en: `Not there: ${absent}.`, zh: `缺少：${absent}。` },
    why: {
      en: 'Reef keeps every release in a Git repository and its weights with Git LFS.',
      zh: 'Reef 用 Git 仓库保存每个版本，权重用 Git LFS 保存。'
    },
    remedy: { en: 'Install them where Reef runs.', zh: '请在 Reef 运行的环境中安装。' },
    command: 'apt-get install -y git git-lfs && git lfs install',
    judgement: true
  }
}

const WANTED_ROUTES = ['/load_lora_adapter', '/unload_lora_adapter']

/** An adapter is served by SGLang's own routes; an image with another SGLang trains and never serves what it learnt. */
export function routesOutcome({ routes }: Pick<ImageContents, 'routes'>): Outcome {
  if (routes === null)
    return unknown({ en: 'No SGLang was found to look at.', zh: '未找到可查看的 SGLang。' })
  const absent = WANTED_ROUTES.filter((route) => !routes.includes(route))
  if (absent.length === 0)
    return pass({
      en: `SGLang has ${routes.join(', ')}.`,
      zh: `SGLang 提供 ${routes.join('、')}。`
    })
  return {
    verdict: 'fail',
    evidence: {
      en: `This SGLang has no ${absent.join(', ')}.`,
      zh: `该 SGLang 没有 ${absent.join('、')}。`
    },
    why: {
      en: 'A trained adapter is handed to SGLang by these routes.',
      zh: '训练出的 adapter 通过这些路由交给 SGLang。'
    },
    remedy: {
      en: 'Use the image that Reef’s docker folder builds, which pins the right SGLang.',
      zh: '请使用 Reef docker 目录构建的镜像，其中固定了合适的 SGLang 版本。'
    },
    judgement: true
  }
}

async function contents(context: LaunchContext, signal: AbortSignal): Promise<ImageContents> {
  const { plan, target } = context
  const question = ['/bin/sh', '-c', CONTENTS]
  const [shell = '', ...args] = question
  const answer =
    plan.image === null
      ? await context.tool(shell, args, signal)
      : await target.imageCommand?.(
          { image: plan.image, argv: question, mounts: [], environment: {} },
          signal
        )
  if (answer?.kind === 'done') return readContents(answer.stdout)
  return fail({
    code: 'image-silent',
    what: { en: 'The image did not answer.', zh: '镜像没有应答。' },
    ...(plan.image === null ? {} : { where: plan.image })
  })
}

function contentCheck(
  id: string,
  title: { en: string; zh: string },
  judge: (contents: ImageContents) => Outcome,
  wanted: (context: LaunchContext) => boolean
): CheckSpec<LaunchContext> {
  return {
    id,
    group: 'docker',
    title,
    deadline: 30_000,
    async run(context, signal) {
      const { plan, target, recipe } = context
      if (plan.practice || recipe.dialect === 'nexrl' || target.spec.kind === 'attach')
        return skip({ en: 'Not needed here.', zh: '此处不需要。' })
      if (!wanted(context)) return skip({ en: 'No adapter is trained.', zh: '未训练 adapter。' })
      if (plan.image !== null && (await target.images?.find(plan.image)) === null)
        return skip({ en: 'The image is not there to be asked.', zh: '镜像不在那里，无法询问。' })
      return judge(await contents(context, signal))
    }
  }
}

export const contentChecks: readonly CheckSpec<LaunchContext>[] = [
  contentCheck(
    'docker/git',
    { en: 'git and git-lfs where Reef runs', zh: 'Reef 运行处的 git 与 git-lfs' },
    gitOutcome,
    () => true
  ),
  contentCheck(
    'docker/adapter-routes',
    { en: 'SGLang’s adapter routes', zh: 'SGLang 的 adapter 路由' },
    routesOutcome,
    trainsAdapter
  )
]
