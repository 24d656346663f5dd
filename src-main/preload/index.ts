import { ipcRenderer } from 'electron'

// All the page gets is one MessagePort to the engine, handed over as an ordinary window message.
// A new port comes when the page has loaded and again whenever the engine was started anew.
ipcRenderer.on('engine-port', (event) => {
  window.postMessage('slipway-port', window.location.origin, event.ports)
})

window.addEventListener('DOMContentLoaded', () => {
  ipcRenderer.send('engine-port-please')
})
