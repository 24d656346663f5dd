/** One word for each state of an attempt, in step with the contract's union. */
export const states = {
  planned: 'Planned',
  checking: 'Checking',
  preparing: 'Preparing image',
  starting: 'Starting',
  serving: 'Serving',
  training: 'Running',
  quiet: 'Quiet',
  unreachable: 'Unreachable',
  stopping: 'Stopping',
  stopped: 'Stopped',
  done: 'Done',
  failed: 'Failed',
  imported: 'Imported',
  withTime: '{{state}} {{time}}',
  service: {
    waiting: 'Waiting',
    starting: 'Starting',
    ready: 'Ready',
    exited: 'Ended',
    unknown: 'Unknown'
  },
  exitCode: 'exit code {{code}}',
  exitSignal: 'ended by {{signal}}',
  exitOom: 'out of memory',
  exitUnknown: 'nobody saw how it ended',
  damaged: 'Damaged'
} as const
