import { expect, it } from 'vitest'
import { findAddress } from '../../../../src-main/engine/stacks/address'
import type { AttemptJournal } from '../../../../src-main/engine/stacks/attempt-journal'
import { type Target, UnreachableError } from '../../../../src-main/engine/targets'

/** What was asked of a target that forwards, and the address that was written down. */
async function find(
  address: string,
  reach: Target['reach']
): Promise<{ asked: unknown[]; address: string }> {
  const asked: unknown[] = []
  const plan = { image: 'reef', ports: [{ port: 8900, what: 'reef' }] }
  const attempt = { address, plan }
  const change = (now: { address: string }): void => void Object.assign(attempt, now)
  await findAddress(
    { attempt, change } as unknown as AttemptJournal,
    {
      reach: (...words: [number, number?]) => {
        asked.push(words)
        return reach(...words)
      }
    } as unknown as Target
  )
  return { asked, address: attempt.address }
}

const forwarded = (): Promise<string> => Promise.resolve('http://127.0.0.1:40001')

it('asks for the service’s own port, first without a wish', async () => {
  expect(await find('http://127.0.0.1:8900', forwarded)).toEqual({
    asked: [[8900, undefined]],
    address: 'http://127.0.0.1:40001'
  })
})

it('asks for the service’s own port when the address is a forwarded one, which it wishes to have again', async () => {
  expect(await find('http://127.0.0.1:39999', forwarded)).toEqual({
    asked: [[8900, 39999]],
    address: 'http://127.0.0.1:40001'
  })
})

it('keeps the last address while nobody can say', async () => {
  const away = (): Promise<string> =>
    Promise.reject(new UnreachableError({ code: 'away', what: { en: 'away', zh: '不可达' } }, null))
  expect((await find('http://127.0.0.1:39999', away)).address).toBe('http://127.0.0.1:39999')
})
