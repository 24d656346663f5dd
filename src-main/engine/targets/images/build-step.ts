/**
 * How far a build is, by a line of its log: `Step 3/6 : COPY …` of the classic builder, `#7 [stage 3/6] RUN …` of
 * BuildKit. Null for any other line.
 */
export function buildStep(line: string): { done: number; total: number } | null {
  const step = /^Step (\d+)\/(\d+) :|^#\d+ \[(?:\S+ )?\s*(\d+)\/(\d+)\] /.exec(line)
  if (step === null) return null
  return { done: Number(step[1] ?? step[3]) - 1, total: Number(step[2] ?? step[4]) }
}
