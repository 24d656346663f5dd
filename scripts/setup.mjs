// `npm run setup`: everything a first start needs, and nothing that is already there.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { bin, digestOf, holds, must, root, say } from './lib.mjs'
import { ensureElectron } from './electron-runtime.mjs'
import { ensureSystemLibraries, isHeadless } from './system-libraries.mjs'

const BUILD_INPUTS = [
  'src-main',
  'src-renderer',
  'electron.vite.config.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json'
]

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Slipway needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

async function ensureDependencies() {
  const stamp = path.join(root, 'node_modules', '.slipway-lock')
  const wanted = digestOf(['package-lock.json'])
  if (holds(stamp, wanted)) return
  say(
    'Dependencies: installing what package-lock.json names (about 800 MB; a minute or two, quietly)'
  )
  await must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    shell: process.platform === 'win32'
  })
  fs.writeFileSync(stamp, wanted)
}

async function ensureBuild() {
  const stamp = path.join(root, 'out', '.built-from')
  const wanted = digestOf(BUILD_INPUTS)
  if (holds(stamp, wanted)) return
  say('Build: bundling the app')
  // The bundler picks formats by Electron's major; the oldest supported one decides.
  await must(
    process.execPath,
    [
      path.join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'),
      'build',
      '--logLevel',
      'warn'
    ],
    {
      env: { ...process.env, ELECTRON_MAJOR_VER: '25', NODE_ENV: 'production' }
    }
  )
  fs.writeFileSync(stamp, wanted)
}

function linkCommand() {
  const cli = path.join(root, 'out', 'main', 'cli.js')
  fs.chmodSync(cli, 0o755)
  const link = bin('slipway')
  fs.rmSync(link, { force: true })
  if (process.platform === 'win32')
    fs.writeFileSync(`${link}.cmd`, `@"${process.execPath}" "${cli}" %*\r\n`)
  else fs.symlinkSync(path.relative(path.dirname(link), cli), link)
}

/** Dependencies, Electron, system libraries, build, the `slipway` command. Returns the runtime. */
export async function setUp({ virtualDisplay = isHeadless(), docker = false } = {}) {
  checkNode()
  await ensureDependencies()
  const runtime = ensureElectron()
  await ensureSystemLibraries({ binary: runtime.binary, virtualDisplay, docker })
  await ensureBuild()
  linkCommand()
  return runtime
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const runtime = await setUp()
  say(
    `Ready: Electron ${runtime.version}${runtime.standIn ? ' (old stand-in)' : ''}. Start with \`npm start\`.`
  )
}
