/** The part of Electron's `webUtils` that says where a file lies. Electron before 29 has none of it. */
interface FilePlaces {
  getPathForFile?: (file: File) => string
}

/**
 * Where dropped files lie; one that lies nowhere, such as a picture dragged out of a page, is left out.
 * @param places undefined where Electron is too old to have it: there a file carries its path itself.
 */
export function droppedPaths(files: readonly File[], places: FilePlaces | undefined): string[] {
  return files.map((file) => pathOf(file, places)).filter((path) => path !== '')
}

function pathOf(file: File, places: FilePlaces | undefined): string {
  if (places?.getPathForFile !== undefined) return places.getPathForFile(file)
  return 'path' in file && typeof file.path === 'string' ? file.path : ''
}
