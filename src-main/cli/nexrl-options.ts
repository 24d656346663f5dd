import { type Command, Option } from 'commander'
import type { NexrlChoices } from '../contract/nexrl'

/** What `slipway launch` takes for a NexRL recipe. */
export interface NexrlOptions {
  nexrlWay?: 'driver' | 'kubernetes'
  nexrlMode?: 'training-service' | 'self-hosted'
  runNexrl: boolean
  nexrlTag?: string
  nexrlCheckout?: string
  nexrlPython?: string
  nexrlInferenceUrl?: string
  extendEvery?: number
}

export function addNexrlOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--nexrl-way <way>', 'NexRL: start the driver directly, or by kubectl').choices([
        'driver',
        'kubernetes'
      ])
    )
    .addOption(
      new Option('--nexrl-mode <mode>', 'NexRL: whose GPUs').choices([
        'training-service',
        'self-hosted'
      ])
    )
    .option('--no-run-nexrl', 'NexRL on Kubernetes: launch an idle pod that trains nothing')
    .option('--nexrl-tag <tag>', 'NexRL on Kubernetes: goes into the names of jobs')
    .option('--nexrl-checkout <folder>', 'NexRL: folder of its checkout')
    .option('--nexrl-python <folder>', 'NexRL: folder of its Python environment')
    .option(
      '--nexrl-inference-url <host:port>',
      'NexRL self-hosted on Kubernetes: an inference service that runs already'
    )
    .option('--extend-every <n>', 'NexRL with Weaver: keep every Nth step’s weights', Number)
}

/** The choices that were made, or nothing: then a recipe of another stack is not refused for them. */
export function nexrlChoices(options: NexrlOptions): { nexrl?: NexrlChoices } {
  const nexrl: NexrlChoices = {
    ...(options.nexrlWay === undefined ? {} : { way: options.nexrlWay }),
    ...(options.nexrlMode === undefined ? {} : { mode: options.nexrlMode }),
    ...(options.runNexrl ? {} : { runNexrl: false }),
    ...(options.nexrlTag === undefined ? {} : { tag: options.nexrlTag }),
    ...(options.nexrlCheckout === undefined ? {} : { checkout: options.nexrlCheckout }),
    ...(options.nexrlPython === undefined ? {} : { python: options.nexrlPython }),
    ...(options.nexrlInferenceUrl === undefined ? {} : { inferenceUrl: options.nexrlInferenceUrl }),
    ...(options.extendEvery === undefined ? {} : { extendEvery: options.extendEvery })
  }
  return Object.keys(nexrl).length === 0 ? {} : { nexrl }
}
