import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { WeaverCheckpoint } from '../contract/weaver'
import { fail } from '../engine/lib'
import { EXIT, table, words } from './output'
import { act, find, type Context } from './runs'

interface Yes {
  yes?: boolean
}

/** Without `--yes` nothing is sent: it is said what would be done. */
function agreed(context: Context, { yes }: Yes, what: string, whatZh: string): boolean {
  if (yes === true) return true
  const { io } = context
  io.err(
    io.language === 'zh'
      ? `将会：${whatZh}。尚未执行；加上 --yes 以确认。`
      : `This would ${what}. Nothing was done; say --yes to do it.`
  )
  return false
}

function wantsNumber(where: string, least: string): never {
  return fail({
    code: 'not-a-number',
    what: {
      en: `A whole number is wanted here, ${least} or more.`,
      zh: `此处应为整数，且不小于 ${least}。`
    },
    where
  })
}

type Say = (en: string, zh: string) => string

function left({ expiresAt }: WeaverCheckpoint, now: number, say: Say): string {
  if (expiresAt === null) return say('kept', '已保留')
  const minutes = Math.round((expiresAt - now) / 60_000)
  return minutes <= 0 ? say('expired', '已失效') : say(`${minutes} min`, `${minutes} 分钟`)
}

function when(at: number | null): string {
  return at === null ? '–' : new Date(at).toISOString()
}

function views(weaver: Command, context: Context): void {
  const say: Say = (en, zh) => words(context.io, { en, zh })
  const print = (data: unknown, rows: readonly (readonly string[])[]): void => {
    context.io.out(context.json() ? JSON.stringify(data) : table(rows))
  }
  weaver
    .command('status')
    .description('server, and where the key comes from')
    .action(() =>
      act(context, async (engine) => {
        const status = await engine.weaver.status()
        print(status, [
          [say('server', '服务器'), status.server],
          [say('key', '密钥'), status.key]
        ])
      })
    )
  weaver
    .command('catalogue')
    .description('models that can be trained, with modes and prices')
    .action(() =>
      act(context, async (engine) => {
        const answer = await engine.weaver.catalogue()
        print(answer, [
          [
            say('model', '模型'),
            say('mode', '模式'),
            say('train', '训练'),
            say('input', '输入'),
            say('cached input', '缓存输入'),
            say('output', '输出')
          ],
          ...answer.models.flatMap(({ name, modes }) =>
            modes.map(({ mode, prices }) => [
              name,
              mode,
              ...prices.map(({ micros, unit }) =>
                unit === 'million_tokens' ? `$${micros / 1e6}` : `$${micros / 1e6} / ${unit}`
              )
            ])
          )
        ])
      })
    )
  weaver
    .command('models')
    .description('your models, newest first')
    .option('--session <id>', 'only those of one session')
    .action(({ session }: { session?: string }) =>
      act(context, async (engine) => {
        const answer = await engine.weaver.models(session === undefined ? {} : { session })
        print(answer, [
          [
            say('model', '模型'),
            say('base', '基础模型'),
            say('mode', '模式'),
            say('status', '状态'),
            say('created', '创建时间'),
            say('session', '会话')
          ],
          ...answer.models.map((one) => [
            one.id,
            one.baseModel,
            one.mode ?? '–',
            one.status ?? '–',
            when(one.createdAt),
            one.session ?? '–'
          ])
        ])
      })
    )
  weaver
    .command('checkpoints <model>')
    .description('checkpoints of a model, and how long they live')
    .action((model: string) =>
      act(context, async (engine) => {
        const answer = await engine.weaver.checkpoints({ model })
        print(answer, [
          [
            say('path', '路径'),
            say('type', '类型'),
            say('created', '创建时间'),
            say('left', '剩余')
          ],
          ...answer.checkpoints.map((one) => [
            one.path,
            one.type,
            when(one.createdAt),
            left(one, answer.now, say)
          ])
        ])
      })
    )
}

function acts(weaver: Command, context: Context): void {
  const confirmed = true as const
  const say = (data: unknown, text: string): void => {
    context.io.out(context.json() ? JSON.stringify(data) : text)
  }
  weaver
    .command('extend <model> <path>')
    .description('give a checkpoint another life')
    .option('--seconds <n>', 'from now on; absent: for good', Number)
    .option('--shorten', 'also where it lives longer already')
    .option('--yes', 'do it')
    .action((model: string, path: string, options: Yes & { seconds?: number; shorten?: boolean }) =>
      act(context, async (engine) => {
        const seconds = options.seconds ?? null
        if (seconds !== null && !(Number.isInteger(seconds) && seconds > 0))
          wantsNumber('--seconds', '1')
        const { shorten } = options
        const life = seconds === null ? 'keep for good' : `keep for ${seconds} s from now`
        const lifeZh = seconds === null ? '永久保留' : `从现在起保留 ${seconds} 秒`
        if (!agreed(context, options, `${life}: ${path}`, `${lifeZh}：${path}`)) return EXIT.failed
        await engine.weaver.extend({
          model,
          path,
          seconds,
          confirmed,
          ...(shorten === undefined ? {} : { shorten })
        })
        say({ model, path, seconds }, path)
        return EXIT.ok
      })
    )
  weaver
    .command('save <model>')
    .description('save the model as it is now, for good')
    .option('--optimizer', 'with the state of the optimizer')
    .option('--name <name>', 'name of the checkpoint')
    .option('--yes', 'do it')
    .action((model: string, options: Yes & { optimizer?: boolean; name?: string }) =>
      act(context, async (engine) => {
        const type = options.optimizer === true ? 'weight_and_optimizer' : 'weight'
        if (!agreed(context, options, `save ${type} of ${model}`, `保存 ${model} 的 ${type}`))
          return EXIT.failed
        const { name } = options
        const saved = await engine.weaver.save({
          model,
          type,
          confirmed,
          ...(name === undefined ? {} : { name })
        })
        say(saved, saved.path)
        return EXIT.ok
      })
    )
  weaver
    .command('export <model> <path>')
    .description('make a Hugging Face artifact of a checkpoint')
    .option('--merge', 'merge the adapter into the base model')
    .option('--yes', 'do it')
    .action((model: string, path: string, options: Yes & { merge?: boolean }) =>
      act(context, async (engine) => {
        if (!agreed(context, options, `export ${path}`, `导出 ${path}`)) return EXIT.failed
        const merge = options.merge === true
        const made = await engine.weaver.export({ model, path, merge, confirmed })
        say(made, made.artifact)
        return EXIT.ok
      })
    )
  weaver
    .command('download <model> <path> <folder>')
    .description('download an exported checkpoint; every file is checked by sha256')
    .addOption(
      new Option('--kind <kind>', 'which export, where there are two').choices([
        'hf_adapter',
        'hf_model'
      ])
    )
    .option('--yes', 'do it')
    .action(
      (
        model: string,
        path: string,
        folder: string,
        options: Yes & { kind?: 'hf_adapter' | 'hf_model' }
      ) =>
        act(context, async (engine) => {
          const into = resolve(folder)
          if (!agreed(context, options, `download ${path} into ${into}`, `下载 ${path} 到 ${into}`))
            return EXIT.failed
          const { kind } = options
          const done = await engine.weaver.download({
            model,
            path,
            folder: into,
            confirmed,
            ...(kind === undefined ? {} : { kind })
          })
          say(done, table(done.files.map((one) => [one.sha256, String(one.bytes), one.name])))
          return EXIT.ok
        })
    )
}

function rule(weaver: Command, context: Context): void {
  weaver
    .command('rule <run> <n>')
    .description('keep the weights of every Nth step of a run while it is watched; 0: none')
    .action((wanted: string, n: string) =>
      act(context, async (engine) => {
        const every = Number(n)
        if (!/^\d+$/.test(n)) wantsNumber(n, '0')
        const { id: run } = await find(engine, wanted)
        if ((await engine.runs.get({ run })).nexrl === undefined) noWeaver(run)
        await engine.runs.update({ run, extendEvery: every })
        context.io.out(context.json() ? JSON.stringify({ run, extendEvery: every }) : n)
        return EXIT.ok
      })
    )
}

/** The rule would be kept and never do anything. */
function noWeaver(run: string): never {
  return fail({
    code: 'run-without-weaver',
    what: { en: 'This run does not train with Weaver.', zh: '该运行未使用 Weaver 训练。' },
    where: run,
    remedy: {
      en: 'The rule is for runs of a NexRL recipe.',
      zh: '该规则只适用于 NexRL 配方的运行。'
    }
  })
}

/** `slipway weaver …`: what one's key shows, and the four acts. */
export function registerWeaverCommands(program: Command, context: Context): void {
  const weaver = program
    .command('weaver')
    .description('Weaver, the training service of NexRL: models, checkpoints and four acts')
  views(weaver, context)
  acts(weaver, context)
  rule(weaver, context)
}
