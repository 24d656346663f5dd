import { writeFileSync } from 'node:fs'
import { resize } from './support/app'
import { launchPractice } from './support/command-line'
import { curvesDrawn, openRun, releasesReach } from './support/story'
import { test } from './support/test'
test('profile', async ({ place, open }) => {
  test.setTimeout(300000)
  await launchPractice(place, 1, 'practice-sao')
  const slipway = await open()
  const { page } = slipway
  await resize(slipway, 1280, 800)
  await openRun(page, process.env['PTAB'] ?? 'curves')
  await releasesReach(page, 4)
  if ((process.env['PTAB'] ?? 'curves') === 'curves') await curvesDrawn(page)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  await cdp.send('Profiler.enable')
  const before = await cdp.send('Performance.getMetrics')
  await cdp.send('Profiler.start')
  await new Promise((r) => setTimeout(r, 10000))
  const { profile } = await cdp.send('Profiler.stop')
  const after = await cdp.send('Performance.getMetrics')
  const d: Record<string, number> = {}
  for (const m of after.metrics) d[m.name] = m.value - (before.metrics.find((x: { name: string }) => x.name === m.name)?.value ?? 0)
  console.log(JSON.stringify(d))
  writeFileSync('/tmp/page.cpuprofile', JSON.stringify(profile))
  const self = new Map<string, number>()
  const ids = new Map(profile.nodes.map((n: any) => [n.id, n]))
  profile.samples!.forEach((id: number, i: number) => { const n: any = ids.get(id); const k = n.callFrame.functionName + ' ' + n.callFrame.url.split('/').pop() + ':' + n.callFrame.lineNumber; self.set(k, (self.get(k) ?? 0) + (profile.timeDeltas![i] ?? 0)) })
  console.log([...self].sort((a, b) => b[1] - a[1]).slice(0, 25).map(([k, v]) => Math.round(v / 1000) + ' ms ' + k).join('\n'))
})
