export class RandomStream {
  constructor(name: string | number)
  next(): number
  integer(limit: number): number
  normal(): number
  passedOn<T>(items: readonly T[]): T[]
}
