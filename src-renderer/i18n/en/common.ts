export const common = {
  cancel: 'Cancel',
  close: 'Close',
  retry: 'Retry',
  details: 'Details',
  copy: 'Copy',
  copied: 'Copied',
  clear: 'Clear',
  more: 'More',
  loading: 'Loading',
  none: 'none',
  unknown: 'unknown',
  thisComputer: 'This computer',
  imported: 'Imported',
  practice: 'practice',
  panelFailed: 'This panel stopped working.',
  panelFailedRemedy: 'The rest of the window goes on. Retry draws it again.'
} as const
