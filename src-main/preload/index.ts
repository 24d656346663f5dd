import { ipcRenderer, webUtils } from 'electron'

// All the page gets is one MessagePort to the engine, handed over as an ordinary window message.
// A new port comes when the page has loaded and again whenever the engine was started anew.
ipcRenderer.on('engine-port', (event) => {
  window.postMessage('slipway-port', window.location.origin, event.ports)
})

// Ports of older Chromium do not tell when their other end is gone.
ipcRenderer.on('engine-lost', () => {
  window.postMessage('slipway-port-lost', window.location.origin)
})

// The page asks when it listens: a port that came before would be lost.
window.addEventListener('message', (event) => {
  if (event.source === window && event.data === 'slipway-port-please')
    ipcRenderer.send('engine-port-please')
})

/** Where a dropped file lies; '' for one that lies nowhere. Old Electron has no `webUtils`: there a file says so itself. */
function pathOf(file: File): string {
  const utils: Partial<typeof webUtils> | undefined = webUtils
  if (utils?.getPathForFile !== undefined) return utils.getPathForFile(file)
  return 'path' in file && typeof file.path === 'string' ? file.path : ''
}

// The page sees what was dropped onto it, but not where that lies. Nothing is dropped where the page does not allow it.
window.addEventListener('drop', (event) => {
  const files = [...(event.dataTransfer?.files ?? [])]
  const paths = files.map(pathOf).filter((path) => path !== '')
  window.postMessage({ kind: 'slipway-dropped', paths }, window.location.origin)
})
