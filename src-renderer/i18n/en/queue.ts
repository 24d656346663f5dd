export const queue = {
  add: 'Launch when free',
  adding: 'Is being queued…',
  addHint: 'Waits until the GPUs and ports it needs are free, as long as Slipway runs',
  added: '{{name}} waits for its target',
  entry_one: '{{n}} queued',
  entry_other: '{{n}} queued',
  title: 'Queue',
  sub: 'One after the other on each target; nothing starts while Slipway is not running',
  waiting: 'Waits',
  starting: 'Is being started',
  refused: 'Does not start',
  remove: 'Take out',
  first: 'To the front',
  again: 'Try again',
  empty: 'Nothing waits'
} as const
