// Stands in for Electron's own default app, which the stand-in runtime does not carry:
// `electron [flags] <app folder or main file>` loads that app.
const { app } = require('electron')
const fs = require('node:fs')
const path = require('node:path')
const Module = require('node:module')

function appFolder(args) {
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '-r' || args[i] === '--require') {
      require(path.resolve(args[++i]))
    } else if (!args[i].startsWith('-')) {
      return path.resolve(args[i])
    }
  }
  return undefined
}

const target = appFolder(process.argv.slice(1))
if (target === undefined) {
  console.error('usage: electron [flags] <app folder or main file>')
  app.exit(2)
} else {
  process.defaultApp = true
  let main = target
  if (fs.statSync(target).isDirectory()) {
    const manifest = JSON.parse(fs.readFileSync(path.join(target, 'package.json'), 'utf8'))
    app.setName(manifest.productName || manifest.name)
    app.setVersion(manifest.version)
    app.setAppPath(target)
    main = require.resolve(path.join(target, manifest.main || 'index.js'))
  } else {
    app.setAppPath(path.dirname(target))
  }
  Module._load(main, Module, true)
}
