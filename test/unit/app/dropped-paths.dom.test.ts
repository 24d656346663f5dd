import { describe, expect, it } from 'vitest'
import { droppedPaths } from '../../../src-main/preload/dropped-paths'

const files = ['driver.log', 'image.png', 'run.wandb'].map((name) => new File(['x'], name))
const [log, image, wandb] = files

describe('where dropped files lie', () => {
  it('is what Electron says, and files that lie nowhere are left out', () => {
    const places = new Map([
      [log, '/runs/driver.log'],
      [image, ''],
      [wandb, '/runs/run.wandb']
    ])
    // What an old runtime would read is there too, and must not be taken.
    const both = files.map((file) => Object.assign(file, { path: '/elsewhere' }))
    const getPathForFile = (file: File): string => places.get(file) ?? ''
    expect(droppedPaths(both, { getPathForFile })).toEqual(['/runs/driver.log', '/runs/run.wandb'])
  })

  it.each([
    ['without webUtils', undefined],
    ['with webUtils that cannot say it', {}]
  ])('is what the file says %s', (_what, places) => {
    const old = [
      Object.assign(new File(['x'], 'a.csv'), { path: '/data/a.csv' }),
      Object.assign(new File(['x'], 'b.png'), { path: '' }),
      new File(['x'], 'c.png')
    ]
    expect(droppedPaths(old, places)).toEqual(['/data/a.csv'])
  })
})
