export const alerts = {
  bell: 'Alerts',
  bellUnseen_one: 'Alerts: {{n}} not looked at',
  bellUnseen_other: 'Alerts: {{n}} not looked at',
  none: 'No alerts so far',
  hint: 'Choose one to open its run at the step',
  title: 'Alerts',
  sub: 'crash, an end that may not be one, a companion that fails, a queued launch that does not start, long quiet, a filling disk, NaN, a collapsed reward: once an attempt; a metric out of its range: once a run, again only after it was well',
  desktop: 'On the desktop',
  desktopMore: 'As notifications, as long as Slipway runs in its window or tray.',
  webhook: 'To an address',
  webhookMore:
    'Each alert is posted there as JSON, with its sentence under “text”, as chat services read it. No prompt, no answer and no secret is in it.',
  address: 'Address',
  addressSource: {
    environment: 'from SLIPWAY_WEBHOOK_URL in the environment',
    stored: 'kept in this system’s keyring',
    missing: 'none'
  },
  newAddress: 'New address',
  addressHint: 'https://…',
  keep: 'Keep',
  forget: 'Forget',
  kept: 'The address is kept in the keyring',
  forgotten: 'The address is forgotten',
  sample: 'Send a sample',
  last: 'Newest try',
  lastOk: '{{when}}: taken',
  lastFailed: '{{when}}: {{why}}',
  lastNever: 'none since Slipway was started'
} as const
