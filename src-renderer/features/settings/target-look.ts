import { Check, Circle, LoaderCircle, Play, X } from 'lucide-react'
import type { TargetSpec, TargetStatus } from '@contract/targets'
import type { StateLook } from '../../ui'

export function lookOfTarget(target: TargetStatus, inUse: boolean): StateLook {
  switch (target.reachable) {
    case 'yes':
      return inUse
        ? { tone: 'running', icon: Play, fillIcon: true }
        : { tone: 'ready', icon: Check }
    case 'no':
      return { tone: 'fail', icon: X }
    case 'checking':
      return { tone: 'running', icon: LoaderCircle, pulse: true }
    case 'unknown':
      return { tone: 'idle', icon: Circle }
  }
}

/** How the target is reached, as one would type it. */
export function addressOf(spec: TargetSpec): string {
  switch (spec.kind) {
    case 'process':
      return spec.python ?? '127.0.0.1'
    case 'attach':
      return spec.address
    case 'docker':
      switch (spec.via.kind) {
        case 'socket':
          return `unix://${spec.via.path}`
        case 'context':
          return `docker context ${spec.via.context}`
        case 'tcp':
          return `tcp://${spec.via.host}:${spec.via.port}`
        case 'ssh':
          return spec.via.destination
      }
  }
}
