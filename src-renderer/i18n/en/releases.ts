export const releases = {} as const
