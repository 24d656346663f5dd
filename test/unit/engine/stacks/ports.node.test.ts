import { expect, it } from 'vitest'
import { type HeldPort, holdPort, portIsFree } from '../../../../src-main/engine/stacks/ports'

const HOST = '127.0.0.1'
const nobody = (): Promise<ReadonlySet<number>> => Promise.resolve(new Set())

async function letAllGo(held: readonly (HeldPort | null)[]): Promise<void> {
  for (const one of held) await one?.letGo()
}

it('gives two that ask at once two ports, and both are free again afterwards', async () => {
  const wanted = 20_000 + Math.floor(Math.random() * 10_000)
  const held = await Promise.all([1, 2, 3].map(() => holdPort(wanted, HOST, nobody)))
  const ports = held.map((one) => one?.port ?? 0)
  try {
    expect(new Set(ports).size).toBe(3)
    expect(await portIsFree(ports[0] ?? 0, HOST)).toBe(false)
  } finally {
    await letAllGo(held)
  }
  for (const port of ports) expect(await portIsFree(port, HOST)).toBe(true)
})

it('passes over a port that another run has named but does not listen on yet', async () => {
  const wanted = 31_000 + Math.floor(Math.random() * 1000)
  const held = await holdPort(wanted, HOST, () => Promise.resolve(new Set([wanted])))
  try {
    expect(held?.port).toBeGreaterThan(wanted)
    expect(await portIsFree(wanted, HOST)).toBe(true)
  } finally {
    await letAllGo([held])
  }
})
