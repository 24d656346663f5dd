import { ClipboardCopy, FileCode, FileImage, FileSpreadsheet, Table } from 'lucide-react'
import type { TFunction } from 'i18next'
import type { MenuEntry } from '../ui'
import type { Curve } from './columns'
import { currentPalette } from './palette'
import { copyPicture, fileNameOf, pictureOf, pngOf, saveFile } from './picture'
import { toCsv } from './table-rows'

/** What can be done with one chart: its table, its picture, its numbers. */
export function chartMenu(chart: {
  readonly t: TFunction<'charts'>
  readonly title: string
  readonly curves: () => readonly Curve[]
  readonly canvas: () => HTMLCanvasElement | null
  readonly svg: () => string | null
  readonly openTable: () => void
  readonly onProblem: (words: string | null) => void
}): MenuEntry[] {
  const { t, title } = chart
  const withPicture = (act: (picture: HTMLCanvasElement) => Promise<void>): void => {
    const canvas = chart.canvas()
    if (canvas === null) return
    act(pictureOf(canvas, title, currentPalette())).then(
      () => chart.onProblem(null),
      (thrown: unknown) =>
        chart.onProblem(
          t('copyFailed', { why: thrown instanceof Error ? thrown.message : String(thrown) })
        )
    )
  }
  return [
    { kind: 'item', id: 'table', label: t('table'), icon: Table, run: chart.openTable },
    { kind: 'line', id: 'line' },
    {
      kind: 'item',
      id: 'copy-image',
      label: t('copyImage'),
      icon: ClipboardCopy,
      run: () => withPicture(copyPicture)
    },
    {
      kind: 'item',
      id: 'save-png',
      label: t('savePng'),
      icon: FileImage,
      run: () =>
        withPicture(async (picture) => saveFile(await pngOf(picture), fileNameOf(title, 'png')))
    },
    {
      kind: 'item',
      id: 'save-svg',
      label: t('saveSvg'),
      icon: FileCode,
      run: () => {
        const svg = chart.svg()
        if (svg !== null)
          saveFile(new Blob([svg], { type: 'image/svg+xml' }), fileNameOf(title, 'svg'))
      }
    },
    {
      kind: 'item',
      id: 'save-csv',
      label: t('saveCsv'),
      icon: FileSpreadsheet,
      run: () =>
        saveFile(new Blob([toCsv(chart.curves())], { type: 'text/csv' }), fileNameOf(title, 'csv'))
    }
  ]
}
