import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { MessagePortMainLike } from '@orpc/client/message-port'
import type { hostForEngine } from '../contract/host'

/** What the engine asks of whoever runs it: the app implements it, the command line has none. */
export type Host = ContractRouterClient<typeof hostForEngine>

/** The app's side, reached over `port`. */
export function hostOver(port: MessagePortMainLike): Host {
  return createORPCClient(new RPCLink({ port }))
}
