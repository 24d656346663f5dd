/**
 * What preflight looks at, row by row: which check answers it, and the test that makes that check pass, warn and fail, or
 * why it never does. `real`: made on the machine the test runs on; `recorded`: from the tool's own output, kept in the
 * test; `made`: facts given to the check.
 */
export interface Row {
  asked: string
  /** Ids of checks; `*` stands for what differs by recipe. */
  ids: readonly string[]
  pass: Proof
  warn: Proof
  fail: Proof
}

type Proof = { test: string; how: 'real' | 'recorded' | 'made' } | { never: string }

const UNIT = 'test/unit/engine/preflight'
const real = (file: string, title: string): Proof => ({ test: `${file} > ${title}`, how: 'real' })
const recorded = (file: string, title: string): Proof => ({
  test: `${UNIT}/${file} > ${title}`,
  how: 'recorded'
})
const made = (file: string, title: string): Proof => ({
  test: `${UNIT}/${file} > ${title}`,
  how: 'made'
})
const never = (why: string): Proof => ({ never: why })

const HERE = 'test/integration/preflight-conditions.node.test.ts'
const ENGINE = 'test/integration/preflight-docker.node.test.ts'
const EACH = 'each-check.node.test.ts'
const INFERENCE = `${UNIT}/own-inference.node.test.ts`
const WEAVER = `${UNIT}/weaver-access.node.test.ts`
const advice = 'it is advice: nothing the stack refuses'
const plain = 'either it is so, or the stack refuses'

export const TABLE: readonly Row[] = [
  {
    asked: 'All findings of the recipe checker, batch and loss agreement first',
    ids: ['recipe', 'recipe/*'],
    pass: made('findings.node.test.ts', 'are checks of their own weight, batch and loss first'),
    warn: made('findings.node.test.ts', 'are checks of their own weight, batch and loss first'),
    fail: made('findings.node.test.ts', 'are checks of their own weight, batch and loss first')
  },
  {
    asked:
      'The target answers: Docker absent, not running, no permission, another program’s socket, hanging',
    ids: ['docker/target'],
    pass: made(EACH, 'a place that cannot be reached'),
    warn: never('a target that answers halfway is unknown'),
    fail: real(ENGINE, 'says to an ordinary user that the socket is not theirs to use')
  },
  {
    asked: 'Engine: version, cgroup, context, what kind it is',
    ids: ['docker/engine'],
    pass: made(
      'machine.node.test.ts',
      'fails only where GPUs cannot be given, and remarks on the rest'
    ),
    warn: made(
      'machine.node.test.ts',
      'fails only where GPUs cannot be given, and remarks on the rest'
    ),
    fail: made(
      'machine.node.test.ts',
      'fails only where GPUs cannot be given, and remarks on the rest'
    )
  },
  {
    asked: 'Image present, and which digest',
    ids: ['docker/image'],
    pass: real(ENGINE, 'finds the image, and says what to do when it is not there'),
    warn: never(plain),
    fail: real(ENGINE, 'finds the image, and says what to do when it is not there')
  },
  {
    asked: 'git and git-lfs where Reef runs',
    ids: ['docker/git'],
    pass: recorded('questions.node.test.ts', 'git and git-lfs'),
    warn: recorded('questions.node.test.ts', 'git and git-lfs'),
    fail: real(ENGINE, 'looks for git and for SGLang’s adapter routes inside the image')
  },
  {
    asked: 'For LoRA: the image’s SGLang has the adapter routes',
    ids: ['docker/adapter-routes'],
    pass: recorded(
      'questions.node.test.ts',
      'the adapter routes of its SGLang, or none to look at'
    ),
    warn: never('routes are there or not; no SGLang to look at is unknown'),
    fail: recorded('questions.node.test.ts', 'the adapter routes of its SGLang, or none to look at')
  },
  {
    asked: 'Disk of the engine’s data folder',
    ids: ['docker/storage'],
    pass: real(HERE, 'fails where the run itself, and warns where the engine, has no room left'),
    warn: real(HERE, 'fails where the run itself, and warns where the engine, has no room left'),
    fail: never('the image is there already; what grows is the log')
  },
  {
    asked: 'Mounted folders that Docker would make as root',
    ids: ['docker/mounts'],
    pass: real(`${UNIT}/${EACH}`, 'folders that would be made by root'),
    warn: real(`${UNIT}/${EACH}`, 'folders that would be made by root'),
    fail: never('Docker makes them')
  },
  {
    asked: 'Other stacks of ours already running',
    ids: ['docker/other-stacks'],
    pass: made(EACH, 'that share GPUs'),
    warn: made(EACH, 'that share GPUs'),
    fail: never('two stacks may run side by side')
  },
  {
    asked:
      'Reef’s checkpoint formula: full, critic, LoRA; retention, floor, cap; first boot and records; trend to full',
    ids: ['disk/checkpoints'],
    pass: real(HERE, 'sees a small filesystem under the checkpoints, not the large one above it'),
    warn: made(
      'storage.node.test.ts',
      'warns when the pace leaves nothing to go back to by tomorrow'
    ),
    fail: real(HERE, 'fails on a loop-mounted filesystem that is full, passes when it is emptied')
  },
  {
    asked: 'Artifact copies and records',
    ids: ['disk/artifacts'],
    pass: made('storage.node.test.ts', 'for artifacts and records is a warning at most'),
    warn: made('storage.node.test.ts', 'for artifacts and records is a warning at most'),
    fail: never(advice)
  },
  {
    asked: 'Room where the run is written',
    ids: ['disk/free'],
    pass: real(HERE, 'fails where the run itself, and warns where the engine, has no room left'),
    warn: never('there is enough or there is not'),
    fail: real(HERE, 'fails where the run itself, and warns where the engine, has no room left')
  },
  {
    asked: 'Stray files among the checkpoints',
    ids: ['state/stray-files'],
    pass: real(HERE, 'finds a stray file among the checkpoints'),
    warn: never(plain),
    fail: real(HERE, 'finds a stray file among the checkpoints')
  },
  {
    asked: 'Shared memory against the vendor’s 32 GiB',
    ids: ['shm'],
    pass: real(HERE, 'reads the size of /dev/shm as the stack will find it'),
    warn: real(HERE, 'reads the size of /dev/shm as the stack will find it'),
    fail: real(HERE, 'reads the size of /dev/shm as the stack will find it')
  },
  {
    asked: 'GPUs: driver and number by role',
    ids: ['gpu/count'],
    pass: recorded(EACH, 'their number'),
    warn: never(plain),
    fail: recorded(EACH, 'their number')
  },
  {
    asked: 'GPUs: free memory and who holds it',
    ids: ['gpu/free'],
    pass: recorded(EACH, 'who holds them'),
    warn: recorded(EACH, 'who holds them'),
    fail: recorded(EACH, 'who holds them')
  },
  {
    asked: 'GPUs: MIG and compute mode',
    ids: ['gpu/mode'],
    pass: recorded(EACH, 'how they are set up'),
    warn: recorded(EACH, 'how they are set up'),
    fail: recorded(EACH, 'how they are set up')
  },
  {
    asked: 'GPUs in containers: toolkit missing, daemon not restarted, rootless, snap',
    ids: ['gpu/runtime'],
    pass: made(
      'gpus.node.test.ts',
      'tells a missing toolkit, an unconfigured engine, snap and rootless apart'
    ),
    warn: made(
      'gpus.node.test.ts',
      'tells a missing toolkit, an unconfigured engine, snap and rootless apart'
    ),
    fail: real(ENGINE, 'knows that --gpus all is refused where the engine has no NVIDIA runtime')
  },
  {
    asked: 'CUDA_VISIBLE_DEVICES',
    ids: ['gpu/visible'],
    pass: made(EACH, 'how many CUDA_VISIBLE_DEVICES leaves'),
    warn: never(plain),
    fail: made(EACH, 'how many CUDA_VISIBLE_DEVICES leaves')
  },
  {
    asked: 'Ports with owner and next free one; Ray’s worker range',
    ids: ['ports/*'],
    pass: real(HERE, 'names who holds the port and offers the next free one'),
    warn: real(HERE, 'warns of a free port in Ray’s worker range'),
    fail: real(HERE, 'names who holds the port and offers the next free one')
  },
  {
    asked: 'A leftover Ray head',
    ids: ['ports/ray-head'],
    pass: real(HERE, 'sees something where a Ray head listens'),
    warn: real(HERE, 'sees something where a Ray head listens'),
    fail: never('it may be another stack’s, which does no harm')
  },
  {
    asked: 'Model: config, tokenizer, shards present and complete',
    ids: ['model/files'],
    pass: real(HERE, 'goes through a model from absent over torn to whole'),
    warn: never('only for a model that no mount holds'),
    fail: real(HERE, 'goes through a model from absent over torn to whole')
  },
  {
    asked: 'Model in GPU memory, an estimate with its terms',
    ids: ['model/memory'],
    pass: made(EACH, 'memory of a GPU is an estimate with its terms, never a fail'),
    warn: made(EACH, 'memory of a GPU is an estimate with its terms, never a fail'),
    fail: never('an estimate is never a fail')
  },
  {
    asked: 'Job marker, each status',
    ids: ['state/job-marker'],
    pass: real(HERE, 'a marker file that says %s: %s'),
    warn: real(HERE, 'a marker file that says %s: %s'),
    fail: real(HERE, 'a marker file that says %s: %s')
  },
  {
    asked: 'Second writer on the same storage',
    ids: ['state/second-writer'],
    pass: made(EACH, 'that write the same folders'),
    warn: never(plain),
    fail: made(EACH, 'that write the same folders')
  },
  {
    asked: 'Ownership of files',
    ids: ['state/ownership'],
    pass: real(`${UNIT}/${EACH}`, 'folders of somebody else'),
    warn: real(`${UNIT}/${EACH}`, 'folders of somebody else'),
    fail: never('only the attempt to write tells for sure')
  },
  {
    asked: 'Checkout that shadows the installed package',
    ids: ['state/shadowing-checkout'],
    pass: real(`${UNIT}/${EACH}`, 'a checkout that hides the installed package'),
    warn: real(`${UNIT}/${EACH}`, 'a checkout that hides the installed package'),
    fail: never('the stack starts')
  },
  {
    asked: 'Git LFS pointers in a checkout',
    ids: ['state/lfs-pointers'],
    pass: real(`${UNIT}/${EACH}`, 'a checkout made without Git LFS'),
    warn: never('contents are there or not'),
    fail: real(`${UNIT}/${EACH}`, 'a checkout made without Git LFS')
  },
  {
    asked: 'Our own dead leftovers, one click to remove',
    ids: ['state/own-leftovers'],
    pass: made('fixes.node.test.ts', 'offer exactly what the fix takes'),
    warn: made('fixes.node.test.ts', 'offer exactly what the fix takes'),
    fail: never('they only take space')
  },
  {
    asked: 'Tokens and keys by name, placeholders',
    ids: ['environment/variables'],
    pass: made(EACH, 'keys and placeholders'),
    warn: made(EACH, 'keys and placeholders'),
    fail: made(EACH, 'keys and placeholders')
  },
  {
    asked: 'REEF_TOKEN on an open address',
    ids: ['environment/token'],
    pass: made(EACH, 'a service that strangers may use'),
    warn: made(EACH, 'a service that strangers may use'),
    fail: never(advice)
  },
  {
    asked: 'W&B mode',
    ids: ['environment/wandb'],
    pass: made(EACH, 'Weights & Biases that would ask on a terminal'),
    warn: made(EACH, 'Weights & Biases that would ask on a terminal'),
    fail: never('a login may be kept in ~/.netrc')
  },
  {
    asked: 'A proxy in the way of the router',
    ids: ['environment/proxy'],
    pass: made(EACH, 'a proxy that catches calls to the machine itself'),
    warn: made(EACH, 'a proxy that catches calls to the machine itself'),
    fail: never(advice)
  },
  {
    asked: 'Clock and time zone',
    ids: ['environment/clock'],
    pass: real(ENGINE, 'runs its checks on the target behind ssh'),
    warn: recorded(EACH, 'a clock that nobody keeps, from recorded answers of timedatectl'),
    fail: never(advice)
  },
  {
    asked: 'Host memory and swap',
    ids: ['environment/memory'],
    pass: recorded(
      'machine.node.test.ts',
      'reads /proc/meminfo and compares with what the stack needs'
    ),
    warn: recorded(
      'machine.node.test.ts',
      'reads /proc/meminfo and compares with what the stack needs'
    ),
    fail: never('the need is an estimate')
  },
  {
    asked: 'ulimits',
    ids: ['environment/limits'],
    pass: recorded('machine.node.test.ts', 'reads limits'),
    warn: real(HERE, 'reads the limit of open files of this very process'),
    fail: real(HERE, 'reads the limit of open files of this very process')
  },
  {
    asked: 'Sleep settings of a laptop',
    ids: ['environment/sleep'],
    pass: recorded('questions.node.test.ts', 'on GNOME, from recorded gsettings output'),
    warn: recorded('questions.node.test.ts', 'warns when it sleeps, never fails'),
    fail: never(advice)
  },
  {
    asked: '--print-config as the oracle, compared with our own resolution',
    ids: ['oracle/print-config'],
    pass: real(ENGINE, 'asks the launcher inside the image, and leaves no container behind'),
    warn: real(HERE, 'asks the launcher itself, and takes its refusal for one'),
    fail: real(ENGINE, 'asks the launcher inside the image, and leaves no container behind')
  },
  {
    asked: 'NexRL: Python ≥ 3.12, light install told from [core] with the two commands',
    ids: ['nexrl/python'],
    pass: recorded('questions.node.test.ts', 'lets the launcher do with the light install'),
    warn: never(plain),
    fail: recorded(
      'questions.node.test.ts',
      'tells an old Python, no package, the light and the whole install apart, with both commands'
    )
  },
  {
    asked: 'NexRL: launcher file',
    ids: ['nexrl/launcher'],
    pass: real(`${UNIT}/questions.node.test.ts`, 'refuses a plan whose launcher is not there'),
    warn: never(plain),
    fail: real(`${UNIT}/questions.node.test.ts`, 'refuses a plan whose launcher is not there')
  },
  {
    asked: 'NexRL: variables',
    ids: ['nexrl/environment'],
    pass: made(
      'nexrl.node.test.ts',
      'passes with what is required, whatever is optional or set by the launch'
    ),
    warn: never('the driver resolves all references at its start'),
    fail: made(
      'nexrl.node.test.ts',
      'names every required variable that is missing or empty, with why'
    )
  },
  {
    asked: 'NexRL: data files and rows',
    ids: ['nexrl/data'],
    pass: real(
      `${UNIT}/nexrl.node.test.ts`,
      'have as many rows as their footer or their lines say'
    ),
    warn: made('nexrl.node.test.ts', '%j with %j: %s'),
    fail: made('nexrl.node.test.ts', '%j with %j: %s')
  },
  {
    asked: 'NexRL: columns',
    ids: ['nexrl/columns'],
    pass: real(
      `${UNIT}/nexrl.node.test.ts`,
      'have the columns that their footer, head or first line says'
    ),
    warn: never(plain),
    fail: made('nexrl.node.test.ts', 'are judged by the column of the prompts')
  },
  {
    asked: 'NexRL: setup script that wipes keys',
    ids: ['nexrl/setup-script'],
    pass: made('nexrl.node.test.ts', 'finds the lines of a setup script that wipe a real key'),
    warn: never(plain),
    fail: made('nexrl.node.test.ts', 'finds the lines of a setup script that wipe a real key')
  },
  {
    asked: 'NexRL: kubectl and namespace',
    ids: ['nexrl/kubectl'],
    pass: recorded('nexrl.node.test.ts', 'a cluster that answers %o: %s'),
    warn: never(plain),
    fail: recorded('nexrl.node.test.ts', 'a cluster that answers %o: %s')
  },
  {
    asked: 'The inference service of one’s own GPUs answers, for a driver that is started directly',
    ids: ['nexrl/inference'],
    pass: real(INFERENCE, 'asks the service itself, and nobody where another one answers for it'),
    warn: real(INFERENCE, 'asks the service itself, and nobody where another one answers for it'),
    fail: real(INFERENCE, 'asks the service itself, and nobody where another one answers for it')
  },
  {
    asked: 'Weaver reachable, key accepted and model on offer, by a read-only call',
    ids: ['nexrl/weaver'],
    pass: real(WEAVER, 'asks Weaver itself, and judges its answer'),
    warn: real(WEAVER, 'asks Weaver itself, and judges its answer'),
    fail: real(WEAVER, 'asks Weaver itself, and judges its answer')
  }
]
