import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Place } from './app'

const execute = promisify(execFile)

/** Runs the built command line in the place's home and returns what it printed. Fails with its message. */
export async function slipway(place: Place, ...args: string[]): Promise<string> {
  const cli = join(process.cwd(), 'out/main/cli.js')
  const { stdout } = await execute(process.execPath, [cli, '--home', place.home, ...args], {
    maxBuffer: 1 << 26
  })
  return stdout
}

/** Starts the shipped practice recipe; its pace is `speed` times the recipe's. */
export async function launchPractice(place: Place, speed: number, name: string): Promise<void> {
  const recipe = join(process.cwd(), 'recipes/practice-sao.yaml')
  const pace = `training.options.speed=${speed}`
  await slipway(place, 'launch', recipe, '--set', pace, '--name', name)
}

function idsOf(printed: string): string[] {
  const listing: unknown = JSON.parse(printed)
  const rows =
    typeof listing === 'object' && listing !== null && 'runs' in listing ? listing.runs : listing
  if (!Array.isArray(rows)) throw new Error(`not a list of runs: ${printed.slice(0, 200)}`)
  return rows.flatMap((row: unknown) =>
    typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'string'
      ? [row.id]
      : []
  )
}

/** Ends every stack of the place, whatever a test left behind, and removes its folders. */
export async function cleanUp(place: Place): Promise<void> {
  try {
    for (const run of idsOf(await slipway(place, 'runs', '--json')))
      await slipway(place, 'stop', '--force', run).catch((cause: unknown) => {
        // A run that has ended already refuses; any other reason is worth reading.
        if (!/ended|stopped|not running|failed/i.test(String(cause))) throw cause
      })
  } finally {
    place.remove()
  }
}
