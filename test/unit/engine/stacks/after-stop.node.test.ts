import { describe, expect, it } from 'vitest'
import { aftermathEvent, type Aftermath } from '../../../../src-main/engine/stacks/after-stop'

const clear: Aftermath = {
  asked: [8900, 8901],
  remains: { container: null, processes: [], ports: [] },
  gpus: null
}
const GIB = 1024 ** 3

describe('aftermathEvent', () => {
  it('says what was looked at when nothing is left', () => {
    expect(aftermathEvent(clear, true)).toMatchObject({
      kind: 'cleared',
      text: { en: 'Nothing of it is left: its container is gone; free again: port 8900, 8901.' }
    })
    expect(aftermathEvent(clear, false).text.en).toContain('none of its processes lives')
  })

  it('does not call ports free that it cannot see', () => {
    const unseen = { ...clear, remains: { ...clear.remains, ports: null } }
    const { kind, text } = aftermathEvent(unseen, true)
    expect(kind).toBe('cleared')
    expect(text.en).not.toContain('free')
    expect(text.en).toContain('cannot be looked at')
  })

  it('names each thing that is left', () => {
    const { kind, text, data } = aftermathEvent(
      {
        asked: [8900],
        remains: {
          container: 'slipway-run-1',
          processes: [{ pid: 41, command: 'ray start' }],
          ports: [
            { port: 8900, owner: { pid: 42, command: 'python serve' } },
            { port: 6379, owner: null }
          ]
        },
        gpus: [
          { index: 0, name: 'A', memoryBytes: 80 * GIB, usedBytes: 71 * GIB, utilisation: 0 },
          { index: 1, name: 'A', memoryBytes: 80 * GIB, usedBytes: GIB / 2, utilisation: 0 }
        ]
      },
      true
    )
    expect(kind).toBe('leftovers')
    for (const name of ['slipway-run-1', '41', 'ray start', '8900', 'python serve', '6379'])
      expect(text.en).toContain(name)
    expect(text.en).toContain('GPU 0 still has 71 of 80 GiB')
    expect(text.en).not.toContain('GPU 1')
    expect(data).toMatchObject({ severity: 'warning', ports: [8900, 6379], processes: [41] })
  })
})
