export const curves = {} as const
