import { CircleX, Import } from 'lucide-react'
import { useEffect, useRef, useState, type DragEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { listenForDrops } from '../../api/dropped'
import { Icon, useToasts } from '../../ui'
import { useImport } from './use-import'

const bringsFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

/** The page under it takes files and folders that are dropped onto it, and makes one record of them. */
export function DropZone(props: { children: ReactNode }) {
  const { t } = useTranslation('runs')
  const { mutate } = useImport()
  // Every element under the pointer is entered and left: outside is where as many were left as entered.
  const depth = useRef(0)
  const [over, setOver] = useState(false)
  useEffect(
    () =>
      listenForDrops((paths) => {
        if (paths.length > 0) mutate({ paths })
        else
          useToasts.getState().show({
            look: { tone: 'fail', icon: CircleX },
            text: t('dropNoPath')
          })
      }),
    [mutate, t]
  )
  const enter = (event: DragEvent): void => {
    if (!bringsFiles(event)) return
    depth.current += 1
    setOver(true)
  }
  const leave = (): void => {
    depth.current = Math.max(0, depth.current - 1)
    if (depth.current === 0) setOver(false)
  }
  const allow = (event: DragEvent): void => {
    if (!bringsFiles(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    depth.current = 0
    setOver(false)
  }
  return (
    <div
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onDragEnter={enter}
      onDragLeave={leave}
      onDragOver={allow}
      onDrop={drop}
      data-testid="drop-zone"
    >
      {props.children}
      {over ? (
        <div className="drop-here" data-testid="drop-here">
          <Icon of={Import} />
          <span>{t('dropHere')}</span>
        </div>
      ) : null}
    </div>
  )
}
