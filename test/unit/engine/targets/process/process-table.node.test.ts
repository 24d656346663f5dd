import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExitRecord } from '../../../../../src-main/engine/targets/process/exit-record'
import { parseWrapperArguments } from '../../../../../src-main/engine/targets/process/process-launch'
import {
  descendants,
  parsePowerShell,
  parseProcStat,
  parsePs,
  processNow
} from '../../../../../src-main/engine/targets/process/process-table'

const tail = (session: number, started: number): string =>
  `1 ${session} ${session} 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 ${started} 1000 50`

describe('parseProcStat', () => {
  it('reads start time and session, whatever the command is called', () => {
    expect(parseProcStat(`42 (a) R 1) b (x) S ${tail(42, 987)}`, 'boot')).toEqual({
      pid: 42,
      parent: 1,
      session: 42,
      startTime: 'boot:987',
      zombie: false
    })
  })

  it('finds any command name harmless', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 15 }), fc.nat(), (name, started) => {
        const facts = parseProcStat(`7 (${name}) Z ${tail(9, started)}\n`, 'b')
        expect(facts).toMatchObject({ pid: 7, session: 9, startTime: `b:${started}`, zombie: true })
      })
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseProcStat(text, 'b')
      })
    )
  })

  it('knows this very process', () => {
    expect(processNow(process.pid)).toMatchObject({ pid: process.pid, zombie: false })
    expect(processNow(2 ** 22 + 1)).toBeNull()
  })
})

it('reads the table of macOS', () => {
  const text = [
    '    1     0      0 Ss   Sun Nov 29 08:00:01 2026    ',
    '  501     1      0 Z+   Mon Nov 30 03:00:59 2026',
    'garbage'
  ].join('\n')
  expect(parsePs(text)).toEqual([
    { pid: 1, parent: 0, session: -1, startTime: 'Sun Nov 29 08:00:01 2026', zombie: false },
    { pid: 501, parent: 1, session: -1, startTime: 'Mon Nov 30 03:00:59 2026', zombie: true }
  ])
})

it('reads the table of Windows', () => {
  expect(parsePowerShell('4 0 638000000000000000\r\n900 4 638000000000000123\r\n')).toEqual([
    { pid: 4, parent: 0, session: -1, startTime: '638000000000000000', zombie: false },
    { pid: 900, parent: 4, session: -1, startTime: '638000000000000123', zombie: false }
  ])
})

it('descendants are the tree below and the session, without the root', () => {
  const one = (pid: number, parent: number, session: number) => ({
    pid,
    parent,
    session,
    startTime: '',
    zombie: false
  })
  const table = [one(1, 0, 1), one(10, 1, 10), one(11, 10, 10), one(12, 11, 12), one(13, 12, 12)]
  // 14 was adopted by init but stayed in the session; 20 is a stranger.
  const found = descendants(10, [...table, one(14, 1, 10), one(20, 1, 20)])
  expect(found.sort()).toEqual([11, 12, 13, 14])
})

describe('parseExitRecord', () => {
  it('reads codes and signals', () => {
    expect(parseExitRecord('{"code":3,"at":5}')).toEqual({ exit: { kind: 'code', code: 3 }, at: 5 })
    expect(parseExitRecord('{"signal":"SIGSEGV","at":6}')).toEqual({
      exit: { kind: 'signal', signal: 'SIGSEGV' },
      at: 6
    })
  })

  it('takes anything else as an end that nobody saw', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseExitRecord(text).exit.kind).toBe('unknown')
      })
    )
  })
})

it('reads back only arguments of our own wrapper', () => {
  const own = ['node', '/app/resources/process-wrapper/wrapper.cjs', '--installation', 'i', '--run']
  expect(
    parseWrapperArguments([...own, 'r', '--attempt', '2', '--exit', '/x/exit.json', '--', 'reef'])
  ).toEqual({ installation: 'i', runId: 'r', attempt: 2, exitFile: '/x/exit.json' })
  expect(parseWrapperArguments([...own, 'r', '--', '--attempt', '2', '--exit', '/x'])).toBeNull()
  expect(parseWrapperArguments(['vi', 'wrapper.cjs'])).toBeNull()
})
