/**
 * The practice stack's command line.
 *
 *   node main.mjs serve -c RECIPE [--section.field VALUE] [--print-config]
 *   node main.mjs tasks [--task modular|letters|labs] [--seed N] [--split NAME] [--count N]
 */
import { ConfigError } from './config/fields.mjs'
import { resolveConfig } from './config/resolve.mjs'
import { runtimeOf, settingLines } from './config/runtime.mjs'
import { Launcher } from './launcher.mjs'
import { firstTasks, TASK_NAMES } from './model/tasks.mjs'

const USAGE = `usage: main.mjs serve -c RECIPE [--section.field VALUE ...] [--print-config]
       main.mjs tasks [--task ${TASK_NAMES.join('|')}] [--seed N] [--split NAME] [--count N]`

/**
 * Takes a flag with its value out of the arguments.
 * @param {string[]} args
 * @param {readonly string[]} names
 */
function takeFlag(args, names) {
  const index = args.findIndex((arg) => names.includes(arg))
  if (index < 0) return null
  const [, value] = args.splice(index, 2)
  if (value === undefined) throw new ConfigError(`argument ${names[0]}: expected one argument`)
  return value
}

/** @param {string[]} args */
async function serve(args) {
  const printOnly = args.includes('--print-config')
  const rest = args.filter((arg) => arg !== '--print-config')
  const path = takeFlag(rest, ['-c', '--config'])
  if (path === null) throw new ConfigError('the following arguments are required: -c')
  const settings = resolveConfig(path, rest, process.env)
  const runtime = runtimeOf(settings, process.cwd())
  const lines = settingLines(path, settings).map((line) => `[reef] ${line}\n`)
  if (printOnly) {
    process.stdout.write(lines.join(''))
    return 0
  }
  process.stderr.write(lines.join(''))
  return new Launcher(runtime).run()
}

/** @param {string[]} args */
function printTasks(args) {
  const task = takeFlag(args, ['--task']) ?? 'modular'
  const known = TASK_NAMES.find((name) => name === task)
  if (known === undefined) throw new ConfigError(`unknown task '${task}': ${TASK_NAMES.join(', ')}`)
  const seed = takeFlag(args, ['--seed']) ?? '1'
  const split = takeFlag(args, ['--split']) ?? 'fresh'
  const count = Number(takeFlag(args, ['--count']) ?? '200')
  for (const item of firstTasks(known, `${seed}/${split}`, count)) {
    process.stdout.write(`${JSON.stringify(item)}\n`)
  }
  return 0
}

/** @param {string[]} args */
async function main([command, ...args]) {
  if (command === 'serve') return serve(args)
  if (command === 'tasks') return printTasks(args)
  process.stderr.write(`${USAGE}\n`)
  return command === '--help' || command === 'help' ? 0 : 2
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
