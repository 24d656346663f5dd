/** Single rollouts in each batch of the recorded run. */
const BATCH = 32

/** Right answers of each batch, as a run of the shipped `practice-sao.yaml` (seed 1) logged them. */
const RIGHT = [
  2, 7, 6, 10, 3, 7, 10, 9, 3, 12, 8, 12, 8, 10, 10, 12, 13, 16, 17, 13, 15, 19, 15, 16, 14, 16, 20,
  16, 20, 23, 14, 21, 21, 18, 21, 17, 21, 21, 27, 25, 25, 22, 26, 23, 24, 23, 26, 25, 27, 30, 24,
  29, 30, 26, 24, 20, 29, 24, 30, 28, 27, 29, 29, 30, 28, 30, 28, 29, 30, 29, 30, 26, 31, 25, 26,
  30, 31, 29, 26, 28, 32, 31, 31, 30, 30, 31, 30, 29, 31, 31, 32, 31, 29, 28, 30, 31, 31, 31, 32,
  32, 31, 32, 32, 32, 32, 32, 32, 31, 32, 32, 32, 31, 32, 31, 32, 32, 32, 32, 32, 32
] as const

/** Mean reward of each optimizer step of a recorded practice run, from step 0. */
export const recordedRewards: readonly number[] = RIGHT.map((right) => right / BATCH)

/** Weight of what came before in the line that is drawn over the raw values. */
const WEIGHT = 0.9

/** The exponential average of values, corrected for its beginning. */
export function smoothed(values: readonly number[]): number[] {
  let sum = 0
  let weight = 0
  return values.map((value) => {
    sum = WEIGHT * sum + (1 - WEIGHT) * value
    weight = WEIGHT * weight + (1 - WEIGHT)
    return sum / weight
  })
}
