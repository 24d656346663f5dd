import { basename, posix, resolve, win32 } from 'node:path'
import type { Plan } from '../../contract/launch'
import type { AttemptRecord } from '../runs'
import { throughMounts } from './mounts'

/**
 * A folder that the target's machine and the stack's container both see, each by its own path, and the mount that
 * holds it.
 */
export interface SharedFolder {
  host: string
  inside: string
  mount: Plan['mounts'][number]
}

/**
 * Where the companions of an attempt write when they run in containers: the attempt's folder where the container has
 * it, else beside the logs of its services. Null when the container shares neither.
 */
export function sharedFolder(
  { plan, runDir }: Pick<AttemptRecord, 'plan' | 'runDir'>,
  attemptFolder: string
): SharedFolder | null {
  const beside = posix.join(runDir, 'companions', ...runAndAttempt(attemptFolder))
  for (const host of [attemptFolder, beside]) {
    for (const mount of plan.mounts) {
      const inside = mount.readOnly ? null : throughMounts(host, [mount])
      if (inside !== null) return { host, inside, mount }
    }
  }
  return null
}

/** Where companions in containers write, as the target's machine sees it; null when the attempt has none of them. */
export function companionsFolder(attempt: AttemptRecord, attemptFolder: string): string | null {
  const some = attempt.plan.companions.some(({ where }) => where !== 'process')
  return some ? (sharedFolder(attempt, attemptFolder)?.host ?? null) : null
}

/** A stack's own folder may serve many runs: `runs/<id>/logs/attempt-1` gives id and attempt. */
function runAndAttempt(attemptFolder: string): [string, string] {
  return [basename(resolve(attemptFolder, '..', '..')), basename(attemptFolder)]
}

/** Folder of one start of a companion, and the file with everything it says, over all its starts. */
export function companionPlaces(
  base: string,
  name: string,
  start: number
): { folder: string; log: string } {
  // A container's path has slashes wherever we run.
  const path = base.includes('\\') ? win32 : posix
  return {
    folder: path.join(base, `companion-${name}`, String(start)),
    log: path.join(base, `companion-${name}.log`)
  }
}

/** Field 22 of `proc_pid_stat(5)`: with the pid it names one process. The name before the bracket may hold spaces. */
const STARTED = 'read -r stat < "/proc/$pid/stat" || exit 1\nset -- ${stat##*) }'

/**
 * Runs `"$@"` after the first two: a folder for its pid and its end, and its log. The shell stays to write how it
 * ended, so it survives the signal that it hands on: to nobody, because its whole group was signalled, or, as the
 * first process of a container, to everybody else in it.
 */
function wrapped(handOn: ':' | 'kill -TERM -1'): string {
  return `folder=$1 log=$2; shift 2
mkdir -p "$folder" || exit 125
pid=$$
began=$( ${STARTED.replace('\n', '; ')}; echo "\${20}" )
echo "$pid $began" > "$folder/pid.part" && mv "$folder/pid.part" "$folder/pid" || exit 125
trap 'again=1; ${handOn}' TERM
"$@" >> "$log" 2>&1 &
code=
while :; do
  again=
  wait "$!"; now=$?
  [ -n "$code" ] && [ "$now" = 127 ] || code=$now
  [ -n "$again" ] || break
done
echo "$code" > "$folder/exit.part" && mv "$folder/exit.part" "$folder/exit"
exit "$code"`
}

/** The words that run a companion's command in a container. Paths as the container sees them. */
export function companionWords(
  place: 'stack-container' | 'own-container',
  { folder, log }: { folder: string; log: string },
  command: readonly string[]
): string[] {
  const script = wrapped(place === 'own-container' ? 'kill -TERM -1' : ':')
  return ['/bin/sh', '-c', script, 'companion', folder, log, ...command]
}

/** Succeeds when the command whose folder is "$1" still runs. */
export const STILL_RUNS = `{ read -r pid began < "$1/pid"; ${STARTED.replace('\n', '; ')}; } 2>/dev/null || exit 1
[ "\${20}" = "$began" ] && [ "$1" != Z ]`

/** The same, and then its whole process group gets the signal "$2". */
export const SIGNAL = `signal=$2
${STILL_RUNS} || exit 1
kill "-$signal" "-$pid"`

/** The exit code in the text of an exit file; null when it holds none. */
export function exitCodeIn(text: string): number | null {
  const code = /^(\d{1,3})\n$/.exec(text)?.[1]
  return code === undefined ? null : Number(code)
}
