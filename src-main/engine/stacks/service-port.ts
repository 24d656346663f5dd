import type { AttemptRecord } from '../runs'

/**
 * The port on which an attempt's service listens on the target's machine. The address may name another one: behind ssh
 * it is a forwarded port of this machine.
 */
export function servicePort({ plan, address }: AttemptRecord): number {
  const planned = plan.ports.find(({ what }) => what === 'reef')
  return planned?.port ?? Number(new URL(address ?? 'http://127.0.0.1:0').port)
}
