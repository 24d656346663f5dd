export class RandomStream {
  constructor(name: string | number)
  next(): number
  integer(limit: number): number
  normal(): number
  shuffled<T>(items: readonly T[]): T[]
}
