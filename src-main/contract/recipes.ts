import { z } from 'zod'
import { procedure } from './failure'
import { Override } from './launch'
import { Text } from './text'

export const Dialect = z.enum(['reef-unversioned', 'reef-v2', 'nexrl', 'unknown'])
export type Dialect = z.infer<typeof Dialect>

/** Reef's file and route generations; NexRL has none. */
export const Generation = z.enum(['A', 'B', 'C'])
export type Generation = z.infer<typeof Generation>

export const Severity = z.enum(['error', 'warning', 'hint'])
export type Severity = z.infer<typeof Severity>

/** A replacement of a span of the text; offsets are UTF-16 code units, as in a JavaScript string. */
export const TextEdit = z.object({
  start: z.number().int(),
  end: z.number().int(),
  text: z.string()
})
export type TextEdit = z.infer<typeof TextEdit>

export const Fix = z.object({ title: Text, edits: z.array(TextEdit) })
export type Fix = z.infer<typeof Fix>

export const Finding = z.object({
  rule: z.string(),
  severity: Severity,
  /** Public path of the field, e.g. `training.options.lr`; empty for the file as a whole. */
  path: z.string(),
  /** File the line belongs to: absent for the recipe itself, else the sibling it includes. */
  file: z.string().optional(),
  /** 1-based; 0 when the finding belongs to no line. */
  line: z.number().int(),
  column: z.number().int(),
  endLine: z.number().int(),
  endColumn: z.number().int(),
  message: Text,
  explanation: Text,
  /** Public file or page the rule comes from. */
  source: z.string(),
  /** Generations the finding holds for; absent: all. */
  generations: z.array(Generation).optional(),
  fix: Fix.optional()
})
export type Finding = z.infer<typeof Finding>

/** Where a resolved value comes from. */
export const Origin = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), file: z.string(), line: z.number().int() }),
  z.object({ kind: z.literal('override') }),
  z.object({
    kind: z.literal('environment'),
    name: z.string(),
    set: z.enum(['set', 'empty', 'missing'])
  }),
  z.object({ kind: z.literal('default') }),
  z.object({ kind: z.literal('derived'), from: z.array(z.string()) })
])
export type Origin = z.infer<typeof Origin>

export const ResolvedValue = z.object({
  path: z.string(),
  /** As shown: secrets by name only. */
  value: z.string(),
  origin: Origin
})
export type ResolvedValue = z.infer<typeof ResolvedValue>

export const RecipeFacts = z.object({
  name: z.string(),
  family: z.string().nullable(),
  implementation: z.string().nullable(),
  practice: z.boolean(),
  model: z.string().nullable(),
  /** What it will do, in plain words and numbers computed from the resolved tree. */
  sentences: z.array(Text),
  batch: z.number().int().nullable(),
  stepsPerRollout: z.number().nullable(),
  /** `label` is what a person reads; `role` and `what` are stable names. */
  gpus: z.array(z.object({ role: z.string(), gpus: z.number().int(), label: Text.optional() })),
  ports: z.array(z.object({ port: z.number().int(), what: z.string(), label: Text.optional() })),
  /**
   * Disk one full checkpoint is reserved for, in bytes: `times` the bf16 weights, whose size is read from the model's
   * name. Absent where nothing is trained or the name tells no size; preflight measures the real files.
   */
  checkpoint: z.object({ bytes: z.number(), times: z.number() }).optional(),
  rollback: z.enum(['api', 'redeploy', 'none'])
})
export type RecipeFacts = z.infer<typeof RecipeFacts>

export const RecipeCheck = z.object({
  dialect: Dialect,
  generation: Generation.nullable(),
  findings: z.array(Finding),
  resolved: z.array(ResolvedValue),
  facts: RecipeFacts,
  summary: z.object({
    errors: z.number().int(),
    warnings: z.number().int(),
    hints: z.number().int()
  }),
  /** Milliseconds the check took. */
  took: z.number()
})
export type RecipeCheck = z.infer<typeof RecipeCheck>

export const RecipeEntry = z.object({
  path: z.string(),
  name: z.string(),
  /** The name as it is shown: a template's in Chinese too. */
  title: Text,
  description: Text,
  dialect: Dialect,
  family: z.string().nullable(),
  practice: z.boolean(),
  /** Shipped with the app (read-only), or the person's own. */
  kind: z.enum(['template', 'own', 'recent'])
})
export type RecipeEntry = z.infer<typeof RecipeEntry>

export const CheckRequest = z.object({
  path: z.string(),
  /** Unsaved text; absent: the file as it is on disk. */
  text: z.string().optional(),
  dialect: Dialect.optional(),
  generation: Generation.optional(),
  overrides: z.array(Override).default([])
})
export type CheckRequest = z.infer<typeof CheckRequest>

export const Completion = z.object({
  label: z.string(),
  insert: z.string(),
  detail: Text,
  documentation: Text
})
export type Completion = z.infer<typeof Completion>

export const Position = z.object({
  path: z.string(),
  text: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  generation: Generation.optional()
})

/** The three questions of a new recipe. `gpus` is how many there are; 0 for none. */
export const ProposalRequest = z.object({
  improve: z.enum([
    'reasoning',
    'one-problem',
    'conversation',
    'demonstrated-skill',
    'smaller-model',
    'harness'
  ]),
  signal: z.enum([
    'score',
    'score-grid',
    'next-state',
    'demonstrations',
    'teacher',
    'requests',
    'none'
  ]),
  gpus: z.number().int().nonnegative()
})
export type ProposalRequest = z.infer<typeof ProposalRequest>

export const RecipeProposal = z.object({
  family: z.string(),
  /** The template to start from, as `create` takes it. */
  from: z.string(),
  template: z.string(),
  reason: Text,
  /** GPUs the example of this family uses. */
  gpus: z.number().int(),
  /** False when fewer GPUs are there than the example needs. */
  fits: z.boolean()
})
export type RecipeProposal = z.infer<typeof RecipeProposal>

/** Unsaved text of a recipe, kept so that a crash does not lose it. */
export const RecipeDraft = z.object({
  path: z.string(),
  text: z.string(),
  /** Modification time of the file the edits began from, Unix milliseconds. */
  modified: z.number(),
  /** When it was kept, Unix milliseconds. */
  at: z.number()
})
export type RecipeDraft = z.infer<typeof RecipeDraft>

/** What an import did with each file; paths are relative to the folder named. */
export const RecipeImport = z.object({
  /** Where the copies are. */
  folder: z.string(),
  copied: z.array(z.string()),
  /** There already, byte for byte. */
  same: z.array(z.string()),
  /** There already with another content, and left alone. */
  conflicts: z.array(z.string()),
  /** No recipe and nothing a recipe names, or not readable. */
  skipped: z.array(z.string())
})
export type RecipeImport = z.infer<typeof RecipeImport>

export const RecipeDifference = z.object({
  path: z.string(),
  a: z.string().nullable(),
  b: z.string().nullable(),
  /** Neither side writes it: it follows from a default or from other fields. */
  derived: z.boolean().optional()
})
export type RecipeDifference = z.infer<typeof RecipeDifference>

export const recipes = {
  list: procedure.output(z.array(RecipeEntry)),
  read: procedure
    .input(z.object({ path: z.string() }))
    .output(
      z.object({ path: z.string(), text: z.string(), modified: z.number(), readOnly: z.boolean() })
    ),
  /** Refuses when the file changed on disk since `modified`, so that nobody's edit is lost. */
  save: procedure
    .input(z.object({ path: z.string(), text: z.string(), modified: z.number().nullable() }))
    .output(z.object({ path: z.string(), modified: z.number() })),
  create: procedure
    .input(z.object({ from: z.string(), name: z.string() }))
    .output(z.object({ path: z.string() })),
  check: procedure.input(CheckRequest).output(RecipeCheck),
  complete: procedure.input(Position).output(z.array(Completion)),
  hover: procedure.input(Position).output(z.object({ markdown: Text }).nullable()),
  migrate: procedure
    .input(z.object({ path: z.string(), text: z.string() }))
    /** `refused`: why the text came back unchanged although it is not in the newest form. */
    .output(z.object({ text: z.string(), changes: z.array(Text), refused: Text.optional() })),
  /** Sets the reports of one training job, and everything that must agree with it. */
  scale: procedure
    .input(z.object({ path: z.string(), text: z.string(), size: z.number() }))
    .output(z.object({ text: z.string(), changes: z.array(Text) })),
  /** Templates that fit the answers, best first. */
  propose: procedure.input(ProposalRequest).output(z.array(RecipeProposal)),
  /** A side is a file, or `run:<id>` for the recipe a run was launched with; a text stands in for the file's own. */
  compare: procedure
    .input(
      z.object({
        a: z.string(),
        b: z.string(),
        textA: z.string().optional(),
        textB: z.string().optional()
      })
    )
    .output(z.array(RecipeDifference)),
  /**
   * Copies recipes from elsewhere into the person's folder: one file, or a folder with everything recipes in it are made
   * of. Nothing is written over: what exists already with another content comes back as a conflict.
   */
  import: procedure.input(z.object({ path: z.string() })).output(RecipeImport),
  /** When the file was last changed on disk, Unix milliseconds; null when it is gone. */
  stat: procedure
    .input(z.object({ path: z.string() }))
    .output(z.object({ modified: z.number().nullable() })),
  /** Remembers the file as lately used. */
  opened: procedure.input(z.object({ path: z.string() })).output(z.object({})),
  /** The unsaved edits kept for a file, if any. */
  draft: procedure
    .input(z.object({ path: z.string() }))
    .output(z.object({ draft: RecipeDraft.nullable() })),
  /** Keeps unsaved edits; a null text forgets them. */
  keepDraft: procedure
    .input(z.object({ path: z.string(), text: z.string().nullable(), modified: z.number() }))
    .output(z.object({}))
}
