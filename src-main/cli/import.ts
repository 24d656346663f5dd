import { resolve } from 'node:path'
import type { Command } from 'commander'
import { reportFailure, withEngine } from './engine-client'
import { EXIT, note, words } from './output'
import type { Context } from './runs'

/** A number of things, in English. */
function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** `slipway import FILE… [--name NAME]`: makes a record of files that something else has left. */
export function registerImportCommand(program: Command, context: Context): void {
  const { io, engine } = context
  program
    .command('import')
    .description('make a record of TensorBoard, W&B, CSV, JSON files, logs or folders of these')
    .argument('<file...>', 'files or folders, of one run')
    .option('--name <name>', 'name of the record (default: that of the first file)')
    .action(async (files: string[], { name }: { name?: string }) => {
      const paths = files.map((file) => resolve(file))
      try {
        const done = await withEngine({ ...engine, home: context.home() }, (client) =>
          client.runs.import({ paths, ...(name === undefined ? {} : { name }) })
        )
        for (const problem of done.problems) note(io, problem)
        const { files: read, samples, keys } = done.imported
        io.out(
          context.json()
            ? JSON.stringify({ run: done.run, ...done.imported })
            : words(io, {
                en: `${done.run}: ${many(samples, 'sample')} of ${many(keys, 'metric')} from ${many(read.length, 'file')}`,
                zh: `${done.run}：${read.length} 个文件，${keys} 个指标的 ${samples} 个样本`
              })
        )
        io.exit(done.damaged ? EXIT.failed : EXIT.ok)
      } catch (thrown) {
        io.exit(reportFailure(io, thrown))
      }
    })
}
