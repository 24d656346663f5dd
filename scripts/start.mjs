// `npm start`: set-up where needed, then the window. Without a display on Linux the built app plays its story
// under a virtual one, so that a bare machine shows whether Slipway works.
import { isRoot, root, run, say } from './lib.mjs'
import { setUp } from './setup.mjs'
import { isHeadless } from './system-libraries.mjs'

const runtime = await setUp()
if (runtime.standIn)
  say('Old Electron runtime: for trying only. Do not enter real keys. The window says so too.')

if (isHeadless()) {
  say('No display here: playing the story under a virtual one.')
  process.exitCode = await run(process.execPath, ['scripts/story.mjs'], { cwd: root })
} else {
  const flags = isRoot() && process.platform === 'linux' ? ['--no-sandbox'] : []
  if (flags.length > 0)
    say(
      'Running as root: Chromium starts without the operating system’s sandbox. An ordinary user is safer.'
    )
  process.exitCode = await run(runtime.binary, [...flags, root, ...process.argv.slice(2)])
}
