import { expect, it } from 'vitest'
import { engineLost } from '../../../../src-main/engine/stacks/engine-lost'

it('knows the code of an end that the engine did not see, unless the log says more', () => {
  expect(engineLost({ kind: 'code', code: 255 }, false)?.cause.en).toContain('restarted')
  expect(engineLost({ kind: 'code', code: 255 }, true)).toBeNull()
  expect(engineLost({ kind: 'code', code: 1 }, false)).toBeNull()
  expect(engineLost({ kind: 'oom' }, false)).toBeNull()
})
