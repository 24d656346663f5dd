import { openWindow } from '../window/open-window'
import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { go } from '../../../../src-renderer/state'

it('shows what a release cost, learnt from and is, and a file of its harness as a difference', async () => {
  const { close } = await openWindow()
  try {
    go({ page: 'run', id: 'r-0412', tab: 'releases' })
    const patience = { timeout: 60_000 }
    const cost = await screen.findByTestId('release-cost', {}, patience)
    expect(cost.textContent).toContain('8 planned')
    expect(screen.getByTestId('release-learnt').textContent).toContain('The second half was right.')
    const harness = await screen.findByTestId('release-harness', {}, patience)
    expect(harness.textContent).toContain('won two of three')
    fireEvent.click(screen.getByTestId('harness-file-AGENTS.md'))
    const diff = await screen.findByText('+ Be brief.', {}, patience)
    expect(diff.getAttribute('data-sign')).toBe('+')
  } finally {
    close()
  }
}, 120_000)
