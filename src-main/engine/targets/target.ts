import type { Failure } from '../../contract/failure'
import type { Exit } from '../../contract/run'
import type { TargetSpec, TargetStatus } from '../../contract/targets'
import type { CommandResult } from './command'

/** One entry of a directory, or the answer to `stat`. Sizes in bytes, times in Unix milliseconds. */
export interface FileFacts {
  name: string
  kind: 'file' | 'directory' | 'symlink' | 'other'
  size: number
  /** Bytes really allocated (blocks × 512). */
  allocated: number
  modified: number
  /** Tells a rotated or replaced file from the same file grown. */
  inode: string
  uid: number
  mode: number
}

export interface FilesystemFacts {
  totalBytes: number
  freeBytes: number
  /** Filesystem type where known: ext4, tmpfs, nfs, … */
  type: string
}

/**
 * Reading on the target's own machine, the only way the engine looks at a stack's files:
 * local file system, ssh, or a helper container on the same mounts.
 * A path that does not exist is `null`, never a throw; everything else throws FailureError.
 */
export interface FileAccess {
  stat(path: string): Promise<FileFacts | null>
  statfs(path: string): Promise<FilesystemFacts | null>
  list(path: string): Promise<FileFacts[] | null>
  /**
   * At most `length` bytes from `offset`; shorter at the end of the file, null when there is no file. Where `into` has
   * room for them the answer may lie in it: who reads a long file need not have new memory for each part.
   */
  read(path: string, offset: number, length: number, into?: Uint8Array): Promise<Uint8Array | null>
  /** Lower-case hex sha256 of the whole file. */
  digest(path: string): Promise<string | null>
  /** Calls `changed` when a file may have grown; the caller reads. Returns how to stop. */
  follow(path: string, changed: () => void): () => void
}

/** What to start. Values of secret variables are handed over by the launcher and never kept. */
export interface StartSpec {
  runId: string
  attempt: number
  argv: readonly string[]
  cwd: string
  environment: Readonly<Record<string, string>>
  /** Names of the variables above whose values are secret: by file or environment of that process only. */
  secretNames: readonly string[]
  /** Folder of the attempt on the engine's machine, for output files and the exit record. */
  attemptFolder: string
  /** One file for both outputs of a process, appended to; absent: two of the attempt's folder. */
  output?: string
  /** A container beside the stack's, for a command that makes its traffic; absent: this is the stack itself. */
  companion?: { name: string; start: number }
  /** Only for container targets. */
  container?: {
    image: string
    /** `create`: the engine makes the host's folder when there is none, as `docker run -v` does. */
    mounts: readonly { host: string; container: string; readOnly: boolean; create?: boolean }[]
    gpus: 'all' | readonly string[] | 'none'
    hostNetwork: boolean
    /** Id of the container whose network is shared, where that is not the host's; absent: a network of its own. */
    joins?: string
    /** Host port → container port where the network is not the host's. */
    ports: readonly { host: number; container: number }[]
    ipcHost: boolean
    shmBytes: number | null
    user: string | null
    /** Absent: made through the engine's API. Else what the file says counts, and what is above only where it adds. */
    compose?: {
      tool: readonly string[]
      file: string
      version: string | null
      service: string
      override: string
      variables: Readonly<Record<string, string>>
      /** Names of the variables that are handed to the container beside the file's own. */
      handed: readonly string[]
      added: readonly { host: string; container: string; readOnly: boolean }[]
    }
  }
}

/** What was started, written into run.json: enough to find it again and to prove that it is ours. */
export type StackHandle =
  | {
      kind: 'process'
      pid: number
      /** From the operating system; with the pid it names one process for ever. */
      startTime: string
      /** File into which the wrapper writes how the command ended. */
      exitFile: string
      stdout: string
      stderr: string
    }
  | { kind: 'container'; id: string; name: string; engine: string }
  | { kind: 'attached'; address: string }

/** A command in the stack's container. `folder` is where it notes its pid and its end, as the target's machine sees it. */
export interface InsideHandle {
  kind: 'inside'
  container: string
  /** The engine's id of it, which an engine that was started again has forgotten; null: we never heard it. */
  exec: string | null
  folder: string
}

/** Commands beside a stack that runs in a container. Throws UnreachableError when the engine cannot be asked. */
export interface BesideStack {
  /** Starts a command in a running container and leaves it to itself; gives the engine's id of it. */
  start(
    container: string,
    command: {
      argv: readonly string[]
      cwd: string
      environment: Readonly<Record<string, string>>
    }
  ): Promise<string>
  /** What the engine knows of such a command; null: nothing (any more). */
  look(exec: string): Promise<{ running: boolean; code: number | null } | null>
  /** Exit code of a small script in a container; null when that does not run. */
  ask(container: string, script: string, args: readonly string[]): Promise<number | null>
  /** Companions' containers of an attempt that are there, ended ones too. */
  containers(
    runId: string,
    attempt: number
  ): Promise<{ name: string; start: number; handle: Extract<StackHandle, { kind: 'container' }> }[]>
}

export type Liveness =
  /** `paused`: the engine holds its processes still, as `docker pause` does. */
  | { kind: 'running'; paused?: true }
  | { kind: 'exited'; exit: Exit; at: number | null }
  /** Nothing provably ours is there, and nothing says how it ended. */
  | { kind: 'gone' }
  /** We could not look. Never a failure of the stack. */
  | { kind: 'unreachable'; why: string }

/** Who listens on a port, seen from a stack: `unknown` where that cannot be told. */
export type Listening = 'ours' | 'foreign' | 'nobody' | 'unknown'

/** What is still there of a stack that has ended. */
export interface Remains {
  /** Name of its container, where the engine still has it. */
  container: string | null
  /** Its processes that still live. */
  processes: readonly { pid: number; command: string }[]
  /** Those of its ports that anybody listens on, with who does where that can be told; null: not to be seen from here. */
  ports: readonly { port: number; owner: { pid: number; command: string } | null }[] | null
}

/** Where the copies of a container's own output go, on this machine. */
export interface OutputFiles {
  stdout: string
  stderr: string
  /** How far the copies are; replaced atomically. Belongs to this attempt alone. */
  cursor: string
  /** Told when the engine had dropped output before it could be copied (its own log rotation). */
  gap?: (gap: OutputGap) => void
  /** Told when copying waits for room on the disk of the copies, with what the system said, and with null when it goes on. */
  waits?: (cause: unknown) => void
  /** Told when copying had to end: the log driver cannot be read. */
  problem?: (failure: Failure) => void
  /** Told once when nothing more will be copied: the container ended and all it said is here, or copying had to end. */
  ended?: () => void
}

/**
 * Output that no longer exists anywhere: what came between the last entry that was copied and the first one that the
 * engine still had. Times as the engine stamped them, RFC 3339. No engine counts what it drops, so the size is what there
 * would be at the paces measured on both sides, least and most; null where none could be measured.
 */
export interface OutputGap {
  after: string
  before: string
  expected: { lines: Span; bytes: Span } | null
  /** How much the engine keeps of this container, in its own words (`json-file, max-size=10m`). */
  keeps: string
}

/** Least and most. */
export type Span = readonly [number, number]

/** The images of a container engine. Reference: `name:tag` or a digest. */
export interface ImageStore {
  /** Id of the image, or null when the engine does not have it. */
  find(reference: string): Promise<string | null>
  /** Named images; size in bytes, time in Unix milliseconds. */
  list(): Promise<{ reference: string; id: string; bytes: number; created: number }[]>
  /** Name of the practice image for this app, this machine and this engine: another one after any of them changes. */
  practiceReference(): Promise<string>
  /** Makes the practice image unless it is there, from this machine's own node: no network. */
  buildPractice(build: {
    log: (line: string) => void
    signal: AbortSignal
  }): Promise<{ reference: string; id: string }>
}

/** An ended container that carries this installation's label. */
export interface OwnLeftover {
  id: string
  name: string
  /** Null: a helper of ours. */
  runId: string | null
  /** Unix milliseconds. */
  created: number
}

/** A command to run in a throw-away container of an image that is there. Mounts are always read-only. */
export interface ImageQuestion {
  image: string
  argv: readonly string[]
  cwd?: string
  mounts: readonly { host: string; container: string }[]
  environment: Readonly<Record<string, string>>
}

/** A place where a stack can run. */
export interface Target {
  readonly spec: TargetSpec
  readonly files: FileAccess
  /** Null where nothing runs from images. */
  readonly images: ImageStore | null
  probe(signal: AbortSignal): Promise<TargetStatus>
  /**
   * Asks a small command of the target's own machine; arguments are never seen by a shell. Absent where that machine
   * is this one (ask it directly), and where nobody can (an engine over tcp, an attached service).
   */
  readonly machineCommand?: (
    file: string,
    args: readonly string[],
    signal: AbortSignal
  ) => Promise<CommandResult>
  /** Asks a command of an image. Absent where nothing runs from images. */
  readonly imageCommand?: (question: ImageQuestion, signal: AbortSignal) => Promise<CommandResult>
  /**
   * Containers of this installation that ended and that nobody needs any more unless a run not yet final claims them:
   * helpers that were cut off, and stacks by run id. Absent where nothing runs from images.
   */
  readonly endedOwn?: () => Promise<OwnLeftover[]>
  /**
   * When the engine that keeps the containers was started the last time, Unix milliseconds of its own machine; null
   * where it does not say. UnreachableError when it cannot be asked. Absent where nothing runs in containers.
   */
  readonly engineSince?: () => Promise<number | null>
  /** Absent where nothing runs in containers. */
  readonly beside?: BesideStack
  /** Starts and returns at once; readiness is the supervisor's business. */
  start(spec: StartSpec): Promise<StackHandle>
  look(handle: StackHandle): Promise<Liveness>
  /** Resolves when the stack's end is seen; used besides periodic `look`. Returns how to stop waiting. */
  onExit(handle: StackHandle, ended: () => void): () => void
  /**
   * Asks it to end (SIGTERM to the whole session, or the container's own stop signal). Returns at once, kills nobody:
   * counting the grace period and the second step are the caller's.
   */
  askToStop(handle: StackHandle): Promise<void>
  /** SIGKILL to the whole session or container. */
  kill(handle: StackHandle): Promise<void>
  /** Clears away what an ended stack left at the target itself (its container). Files stay. */
  remove(handle: StackHandle): Promise<void>
  /**
   * Keeps copies of the output that only the target itself holds (a container's stdout and stderr): each byte once,
   * in order, across reconnections and our own restarts. Returns how to stop, which waits for the last write.
   * A process writes files to begin with (see its handle): nothing is copied.
   */
  copyOutput(handle: StackHandle, into: OutputFiles): () => Promise<void>
  /**
   * Base address (no slash at its end) at which the service on `port` of 127.0.0.1 there is reached from here; behind
   * ssh a forwarded port of 127.0.0.1. Ask again after the target was unreachable: the port may be another one then,
   * though `last`, a forwarded port that led there before, is taken again where it is free.
   */
  reach(port: number, last?: number): Promise<string>
  /** Whose service listens on the port that the stack is to listen on, so that nobody else's is taken for it. */
  listening(handle: StackHandle, port: number): Promise<Listening>
  /** What an ended stack left behind; `ports` are those that it listened on. */
  remains(handle: StackHandle, ports: readonly number[]): Promise<Remains>
  /** Every stack that this installation labelled as its own and that still exists there; a companion's container is none. */
  findOwn(installation: string): Promise<{ runId: string; attempt: number; handle: StackHandle }[]>
  dispose(): Promise<void>
}
