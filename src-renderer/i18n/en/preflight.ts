export const preflight = {
  head: 'Preflight',
  checking:
    'Being checked for {{target}}: the recipe, the target and what is free on it. The first results come in a moment.',
  running_one: 'looking, {{n}} check left',
  running_other: 'looking, {{n}} checks left',
  done_one: '{{n}} check in {{time}}',
  done_other: '{{n}} checks in {{time}}',
  again: 'Run again',
  groups: {
    fix: 'Fix before launch',
    know: 'Worth knowing',
    unknown: 'Could not be found out',
    fine: 'Fine',
    skipped: 'Skipped'
  },
  subs: {
    fix: 'the stack would refuse, hang or be in danger',
    know: 'it starts; this may matter later',
    unknown: 'does not hold a launch back',
    fine: 'evidence on each',
    skipped: 'the question does not arise here'
  },
  counts: {
    fix_one: '{{n}} to fix',
    fix_other: '{{n}} to fix',
    know_one: '{{n}} worth knowing',
    know_other: '{{n}} worth knowing',
    fine_one: '{{n}} fine',
    fine_other: '{{n}} fine',
    unknown_one: '{{n}} unknown',
    unknown_other: '{{n}} unknown'
  },
  areas: {
    recipe: 'Recipe',
    disk: 'Disk',
    shm: 'Shared memory',
    gpu: 'GPUs',
    docker: 'Target and containers',
    ports: 'Ports',
    model: 'Model',
    state: 'Left behind',
    environment: 'Environment',
    nexrl: 'NexRL',
    oracle: 'The stack’s own answer'
  },
  sets: 'sets {{path}} for this launch',
  edits: 'changes the recipe; a shipped one is copied first',
  makes: 'makes the folder',
  removes: 'clears away what a run of yours left',
  copies: 'copies the weights to {{path}}; optimizer state, records and releases begin anew',
  judgement: 'a judgement: you may launch all the same',
  refusal: 'the stack itself refuses',
  whyTitle: 'Launch all the same',
  whyText:
    'What is left to fix is a judgement. Say why it is all right; that is kept with the run.',
  whyLabel: 'Why it is all right'
} as const
