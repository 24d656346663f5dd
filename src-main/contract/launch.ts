import { z } from 'zod'
import { procedure } from './failure'
import { NexrlChoices, NexrlPlan } from './nexrl'
import { CompanionWhere, TargetRef } from './run'
import { Text } from './text'

/** A field of the recipe given another value for one launch, e.g. `inference.model-path`. The recipe file is not edited. */
export const Override = z.object({ path: z.string(), value: z.string() })
export type Override = z.infer<typeof Override>

/** A command that makes the traffic a stack learns from. */
export const Companion = z.object({
  name: z.string(),
  command: z.array(z.string()).min(1),
  where: CompanionWhere,
  image: z.string().optional(),
  /** Names only; values come from the environment or the secret store at start. */
  environment: z.array(z.string()),
  startWhenServing: z.boolean(),
  stopWithRun: z.boolean(),
  restart: z.enum(['never', 'on-failure', 'always'])
})
export type Companion = z.infer<typeof Companion>

export const Mount = z.object({ host: z.string(), container: z.string(), readOnly: z.boolean() })
export type Mount = z.infer<typeof Mount>

export const PlannedPort = z.object({ port: z.number().int(), what: z.string() })

export const PlannedService = z.object({
  name: z.string(),
  readiness: Text,
  /** Seconds until waiting for readiness becomes a failure. */
  deadline: z.number()
})

/** A stack started from the checkout's own compose file instead of by the engine's API. */
export const PlannedCompose = z.object({
  /** The words of the command: `docker compose`, or `docker-compose`. */
  tool: z.array(z.string()),
  file: z.string(),
  /** As the file has it; a second file must say the same. */
  version: z.string().nullable(),
  service: z.string(),
  /** The second file, with our labels and what this launch says otherwise. */
  override: z.string(),
  /** What the file's variables for folders and recipe stand for. */
  variables: z.record(z.string(), z.string()),
  /** Names of the container's environment that the second file adds. */
  handed: z.array(z.string()),
  /** Mounts that the second file adds. */
  added: z.array(Mount)
})
export type PlannedCompose = z.infer<typeof PlannedCompose>

/** What a launch will do, computed from recipe and target alone. Nothing has been started. */
export const Plan = z.object({
  target: TargetRef,
  recipePath: z.string(),
  practice: z.boolean(),
  image: z.string().nullable(),
  argv: z.array(z.string()),
  /** Folder the command is started in; `<run>` stands for the run folder, which does not exist before the launch. */
  cwd: z.string(),
  /** The same as one shell line a person could run; secrets by name. */
  shell: z.string(),
  /** What the target decided for the recipe, e.g. another port because the recipe's is taken. */
  notes: z.array(Text),
  mounts: z.array(Mount),
  /** Names, and values only where they are not secret. */
  environment: z.array(z.object({ name: z.string(), value: z.string().nullable() })),
  ports: z.array(PlannedPort),
  /** How a container's port is reached; absent: the host's network, or no container. */
  network: z.enum(['host', 'published']).optional(),
  /** `uid:gid` the container runs as; absent: the image's own user. */
  user: z.string().optional(),
  /** Absent: the container is made through the engine's API. */
  compose: PlannedCompose.optional(),
  gpus: z.object({
    count: z.number().int(),
    /** Indices or ids the container gets; null: all; empty: none. */
    devices: z.array(z.string()).nullable(),
    /** `label` is what a person reads. */
    roles: z.array(z.object({ role: z.string(), gpus: z.number().int(), label: Text.optional() }))
  }),
  shmBytes: z.number().nullable(),
  services: z.array(PlannedService),
  companions: z.array(Companion),
  overrides: z.array(Override),
  /** Directories on the target that the stack will write. */
  writes: z.array(z.object({ path: z.string(), what: z.string() })),
  /** What will be learnt, from what signal, in which amounts: one plain sentence each. */
  summary: z.array(Text),
  /** How this stack can go back to an earlier release. */
  rollback: z.enum(['api', 'redeploy', 'none']),
  batch: z.number().int().nullable(),
  /** Training steps after which the stack ends by itself; null or absent: it goes on for ever, or that is not known. */
  lastStep: z.number().int().nullable().optional(),
  /** Only for a NexRL recipe. */
  nexrl: NexrlPlan.optional()
})
export type Plan = z.infer<typeof Plan>

/** Host-side choices for a stack in a container. Paths are on the target's machine. */
export const ContainerChoices = z.object({
  /** Name or digest of an image that exists there. */
  image: z.string().optional(),
  /** Mounted at `/root/models`. */
  models: z.string().optional(),
  /** Mounted at `/var/lib/reef`: what the stack keeps. */
  state: z.string().optional(),
  /** A Reef checkout, mounted at `/workspace/Reef`. */
  checkout: z.string().optional(),
  /** GPU indices or ids; absent: all. */
  gpus: z.array(z.string()).optional(),
  /** Size of /dev/shm; absent: 32 GiB. */
  shmBytes: z.number().int().positive().optional(),
  /** `uid`, `uid:gid` or a name of the image; absent: the image's own user. */
  user: z.string().optional(),
  /** A compose file to start it with, or the folder that has one, on this machine; absent: none. */
  compose: z.string().optional(),
  /** The service of that file that is the stack; absent: the only one, or `reef`. */
  composeService: z.string().optional()
})
export type ContainerChoices = z.infer<typeof ContainerChoices>

export const LaunchRequest = z.object({
  /** Path of a recipe file on this machine. */
  recipe: z.string(),
  target: z.string().default('local'),
  name: z.string().optional(),
  tags: z.array(z.string()).default([]),
  overrides: z.array(Override).default([]),
  companions: z.array(Companion).default([]),
  /** Where a container stack finds its things; absent parts take the defaults the plan shows. */
  container: ContainerChoices.optional(),
  /** Only looked at for a NexRL recipe. */
  nexrl: NexrlChoices.optional()
})
export type LaunchRequest = z.infer<typeof LaunchRequest>

export const launch = {
  plan: procedure.input(LaunchRequest).output(Plan),
  /** Returns when the stack is starting; follow the run for the rest. `because` overrides judgement fails of preflight. */
  start: procedure.input(LaunchRequest.extend({ because: z.string().optional() })).output(
    z.object({
      run: z.string(),
      folder: z.string(),
      /** What the plan does otherwise than asked, e.g. another port. */
      notes: z.array(Text)
    })
  )
}
