// What a bare Debian machine lacks to show Electron, and how it gets there.
import fs from 'node:fs'
import readline from 'node:readline/promises'
import { isRoot, must, output, say } from './lib.mjs'

const WINDOW = [
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libxss1',
  'libxtst6',
  'libnotify4'
]
const VIRTUAL_DISPLAY = ['xvfb', 'xauth', 'fonts-dejavu-core', 'fonts-noto-cjk']
const DOCKER_TESTS = [
  'docker.io',
  'docker-compose',
  'busybox-static',
  'openssh-server',
  'openssl',
  'iproute2'
]

/** True on Linux without a display: then the built app plays its story under a virtual one. */
export function isHeadless() {
  return process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY
}

function installed(name) {
  const status = output('dpkg-query', ['-W', '-f', '${Status}', name])
  return status !== null && status.includes('install ok installed')
}

function missingLibraries(binary) {
  const listing = output('ldd', [binary])
  return listing === null ? [] : listing.split('\n').filter((line) => line.includes('not found'))
}

async function agreed(question) {
  if (!process.stdin.isTTY) return true
  const ask = readline.createInterface({ input: process.stdin, output: process.stdout })
  const answer = await ask.question(`${question} [Y/n] `)
  ask.close()
  return !/^n/i.test(answer.trim())
}

async function install(packages) {
  const line = `apt-get install -y --no-install-recommends ${packages.join(' ')}`
  const debian = fs.existsSync('/etc/debian_version')
  if (!debian || !isRoot()) {
    const prefix = debian ? 'sudo ' : ''
    console.error(
      debian
        ? `System libraries are missing. Run this once, then start again:\n  ${prefix}${line}`
        : `System libraries are missing. On Debian they are: ${packages.join(' ')}. Install your system's counterparts, then start again.`
    )
    process.exit(1)
  }
  say(`System libraries are missing; installing them:\n  ${line}`)
  if (!(await agreed('Install them now?'))) process.exit(1)
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await must('apt-get', ['update', '-qq'], { env: environment })
  await must('apt-get', line.split(' ').slice(1).concat('-qq'), { env: environment })
}

/** Makes sure the Electron at `binary` can start here; with `display` also a virtual display and fonts. */
export async function ensureSystemLibraries({ binary, virtualDisplay, docker }) {
  if (process.platform !== 'linux') return
  const wanted = [
    ...(missingLibraries(binary).length > 0 ? WINDOW : []),
    ...(virtualDisplay ? VIRTUAL_DISPLAY : []),
    ...(docker ? DOCKER_TESTS : [])
  ]
  const missing = wanted.filter((name) => !installed(name))
  if (missing.length > 0) await install(missing)
}
