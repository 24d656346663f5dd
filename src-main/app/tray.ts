import { Menu, nativeImage, Tray } from 'electron'

const words = {
  en: { tip: 'Slipway is watching your runs', open: 'Open Slipway', quit: 'Quit (runs go on)' },
  zh: { tip: 'Slipway 正在后台观察运行', open: '打开 Slipway', quit: '退出（运行会继续）' }
}

/** The icon that stays while the window is closed and "keep watching" is on. */
export function showTray(options: {
  icon: string
  language: 'en' | 'zh'
  open: () => void
  quit: () => void
}): Tray {
  const text = words[options.language]
  const tray = new Tray(nativeImage.createFromPath(options.icon).resize({ width: 16, height: 16 }))
  tray.setToolTip(text.tip)
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: text.open, click: options.open },
      { type: 'separator' },
      { label: text.quit, click: options.quit }
    ])
  )
  tray.on('click', options.open)
  return tray
}
