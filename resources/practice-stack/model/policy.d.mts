import type { RandomStream } from './random.mjs'

export interface Base {
  rotation: Float32Array
  readout: Float32Array
}
export interface Adapter {
  rank: number
  alpha: number
  a: Float64Array
  b: Float64Array
}
export interface Answer {
  tokens: number[]
  text: string
  logProbabilities: number[]
}
export function createBase(seed: string | number): Base
export function baseDigest(base: Base): string
export function createAdapter(name: string | number, rank: number, alpha: number): Adapter
export function toBfloat16(value: number): number
export function servedAdapter(adapter: Adapter): Adapter
export function softmax(logits: Float64Array): Float64Array
export function answerPrompt(
  base: Base,
  adapter: Adapter,
  prompt: string,
  options: { temperature: number; random: RandomStream; maxTokens?: number }
): Answer
