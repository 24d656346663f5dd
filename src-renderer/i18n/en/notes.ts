export const notes = {
  title: 'Notes',
  sub: 'kept as notes.md in the run folder',
  placeholder: 'What you tried, saw and want to remember about this run',
  saved: 'Saved',
  saving: 'Saving…',
  unsaved: 'Not saved yet',
  failed: 'Not saved: {{why}}',
  saveNow: 'Save now',
  readOnly: 'Another machine writes this run; its notes can only be read here.',
  changedElsewhere: 'These notes were changed elsewhere meanwhile.',
  takeTheirs: 'Take that text',
  keepMine: 'Keep mine'
} as const
