import { os } from './guard'
import type { Services } from './services'

export function targetHandlers({ runs }: Services) {
  void runs
  return {
    list: os.targets.list.handler(() => [
      {
        spec: { kind: 'process' as const, id: 'local', name: 'This computer', python: null },
        found: true,
        reachable: 'yes' as const,
        why: null,
        remedy: null,
        engine: null,
        version: null,
        gpus: [],
        freeBytes: null
      }
    ])
  }
}
