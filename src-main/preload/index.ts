import { ipcRenderer, webUtils } from 'electron'
import { droppedPaths } from './dropped-paths'

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

// The page sees what was dropped onto it, but not where that lies. Nothing is dropped where the page does not allow it.
window.addEventListener('drop', (event) => {
  const paths = droppedPaths([...(event.dataTransfer?.files ?? [])], webUtils)
  window.postMessage({ kind: 'slipway-dropped', paths }, window.location.origin)
})
