import { z } from 'zod'

/** A sentence a person reads, in both languages the app speaks. The engine writes both; the reader's side picks one. */
export const Text = z.object({ en: z.string(), zh: z.string() })
export type Text = z.infer<typeof Text>

export const Language = z.enum(['en', 'zh'])
export type Language = z.infer<typeof Language>
