import type { Palette } from './palette'

const HEAD = 28
const PAD = 12

/** A chart's canvas with its title over it, on the panel's ground, as one picture. */
export function pictureOf(
  chart: HTMLCanvasElement,
  title: string,
  palette: Palette
): HTMLCanvasElement {
  const ratio = window.devicePixelRatio || 1
  const picture = document.createElement('canvas')
  picture.width = chart.width
  picture.height = chart.height + HEAD * ratio
  const pen = picture.getContext('2d')
  if (pen === null) return chart
  pen.fillStyle = palette.panel
  pen.fillRect(0, 0, picture.width, picture.height)
  pen.fillStyle = palette.text
  pen.font = `500 ${12 * ratio}px ${palette.mono}`
  pen.textBaseline = 'middle'
  pen.fillText(title, PAD * ratio, (HEAD / 2) * ratio)
  pen.drawImage(chart, 0, HEAD * ratio)
  return picture
}

/** The picture as PNG. @throws Error when the canvas is empty or too large for the browser to encode. */
export function pngOf(picture: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => {
      if (blob === null)
        reject(
          new Error(`a picture of ${picture.width} × ${picture.height} pixels cannot be encoded`)
        )
      else resolve(blob)
    }, 'image/png')
  })
}

/** Hands a file to the person through the browser's own save. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

/** A metric key as a file name: what some file system refuses becomes a dash. */
export function fileNameOf(key: string, extension: string): string {
  const safe = key.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '')
  return `${safe === '' ? 'chart' : safe}.${extension}`
}

/** Puts the picture on the clipboard. @throws what the clipboard says when it may not. */
export async function copyPicture(picture: HTMLCanvasElement): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngOf(picture) })])
}
