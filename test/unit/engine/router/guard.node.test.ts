import { expect, it } from 'vitest'
import { failureOf } from '../../../../src-main/engine/router/guard'

it('a full disk is told as that, with the way out', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC'
  })
  expect(failureOf(full)).toMatchObject({ code: 'disk-full', detail: full.message })
  expect(failureOf(new Error('odd'))).toMatchObject({ code: 'unexpected' })
})
