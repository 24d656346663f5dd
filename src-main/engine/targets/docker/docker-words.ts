import type { DockerVia } from './endpoint'
import { tlsFilesIn } from './endpoint'

/** How the `docker` command reaches the engine of a target: the words before its subcommand. */
export function dockerWords(via: DockerVia): string[] {
  switch (via.kind) {
    case 'socket': {
      const scheme = /^(?:\/\/|\\\\)/.test(via.path) ? 'npipe' : 'unix'
      return ['--host', `${scheme}://${via.path}`]
    }
    case 'context':
      return ['--context', via.context]
    case 'tcp': {
      const host = via.host.includes(':') ? `[${via.host}]` : via.host
      const words = ['--host', `tcp://${host}:${via.port}`]
      if (via.tlsFolder === null) return words
      const { ca, cert, key } = tlsFilesIn(via.tlsFolder)
      return [...words, '--tlsverify', '--tlscacert', ca, '--tlscert', cert, '--tlskey', key]
    }
    case 'ssh':
      return [
        '--host',
        via.destination.startsWith('ssh://') ? via.destination : `ssh://${via.destination}`
      ]
  }
}
