import type { Adapter, Base } from './policy.mjs'

export interface Rollout {
  prompt: string
  tokens: number[]
  logProbabilities: number[]
  reward: number
  group?: number
}
export interface PreparedRollout extends Rollout {
  allowed: readonly number[]
  hidden: Float64Array[]
}
export interface ActorSettings {
  epsClip: number
  epsClipHigh: number
  entropyCoef: number
}
export interface Moments {
  step: number
  mean: Float64Array
  square: Float64Array
}
export interface LearnerState {
  adapter: Adapter
  critic: Float64Array
  a: Moments
  b: Moments
  value: Moments
}
export interface ActorMeasurement {
  a: Float64Array
  b: Float64Array
  loss: number
  sums: { pg: number; entropy: number; clipped: number; kl: number; difference: number }
}
export function createLearnerState(adapter: Adapter): LearnerState
export function prepareRollouts(base: Base, rollouts: readonly Rollout[]): PreparedRollout[]
export function advantagesOf(
  base: Base,
  state: LearnerState,
  rollouts: readonly PreparedRollout[],
  settings: { klCoef: number }
): { advantages: number[]; kl: number }
export function actorGradients(
  base: Base,
  adapter: Adapter,
  rollouts: readonly PreparedRollout[],
  advantages: readonly number[],
  settings: ActorSettings
): ActorMeasurement
export function criticGradient(
  critic: Float64Array,
  rollouts: readonly PreparedRollout[]
): { gradient: Float64Array; loss: number }
export function clipGradients(limit: number, ...gradients: Float64Array[]): number
