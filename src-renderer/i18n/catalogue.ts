/** A catalogue in another language: the same keys, other words. A missing or extra key does not compile. */
export type Same<T> = { readonly [K in keyof T]: T[K] extends string ? string : Same<T[K]> }
