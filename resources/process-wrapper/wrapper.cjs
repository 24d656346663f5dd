'use strict'
/**
 * Runs one command and writes down how it ended.
 *
 *   node wrapper.cjs --installation ID --run ID --attempt N --exit FILE --own-runtime yes|no -- COMMAND [ARG…]
 *
 * It leads its own session, so whoever started it may quit, crash or be updated. The first options are not used
 * here: they are what a later start reads from the process table to tell its own commands from other people's.
 * Standard output and error are already files when this starts, and the command inherits them.
 */
const { spawn } = require('node:child_process')
const { closeSync, fsyncSync, openSync, renameSync, writeSync } = require('node:fs')

/** Exit codes of a shell for a command that is not there, or may not be run. */
const NOT_FOUND = 127
const NOT_STARTED = 126

const separator = process.argv.indexOf('--', 2)
const options = process.argv.slice(2, separator)
const [command, ...args] = process.argv.slice(separator + 1)

function option(name) {
  return options[options.indexOf(`--${name}`) + 1]
}

const exitFile = option('exit')

/** Temp file, flushed, renamed: a reader sees no record or a whole one. */
function record(entry) {
  const temp = `${exitFile}.${process.pid}.tmp`
  const handle = openSync(temp, 'w', 0o600)
  try {
    writeSync(handle, `${JSON.stringify({ ...entry, at: Date.now() })}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temp, exitFile)
}

// Signals meant to stop the command reach the whole group. This process outlives them to write the record.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => {})

// Set so that the app's runtime behaves as plain Node for this file; the command gets it only when it wants the same.
if (option('own-runtime') !== 'yes') delete process.env.ELECTRON_RUN_AS_NODE

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
child.on('error', (error) => {
  writeSync(2, `[slipway] cannot start ${command}: ${error.message}\n`)
  record({ code: error.code === 'ENOENT' ? NOT_FOUND : NOT_STARTED, error: error.message })
  process.exit(0)
})
child.on('exit', (code, signal) => {
  record(signal === null ? { code } : { signal })
  process.exit(0)
})
