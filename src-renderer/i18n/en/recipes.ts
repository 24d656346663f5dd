export const recipes = {
  title: 'Recipes',
  count_one: '{{n}} recipe',
  count_other: '{{n}} recipes',
  filter: 'Filter recipes',
  next: 'Next row',
  previous: 'Previous row',
  name: 'Name',
  description: 'What it does',
  family: 'Family',
  dialect: 'Written for',
  kind: 'From',
  kinds: { template: 'Slipway', own: 'you', recent: 'used lately' },
  dialects: {
    'reef-unversioned': 'Reef, no version',
    'reef-v2': 'Reef 2',
    nexrl: 'NexRL',
    unknown: 'unknown'
  },
  emptyWhat: 'No recipes',
  emptyWhy: 'No recipe was found in the app or in your folder.',
  noMatchWhat: 'No recipe matches',
  noMatchWhy: 'None of {{n}} recipes has “{{filter}}” in its name, family or text.',
  text: 'Text',
  path: 'File',
  readOnly: 'Shipped with Slipway: read-only',
  launch: 'New run from it',
  nothing: 'none'
} as const
