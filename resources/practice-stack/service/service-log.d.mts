export function pythonFloat(value: number): string
export function pythonDict(values: Record<string, number>): string
