import { describe, expect, test } from 'vitest'
import type { ToolStep } from '../../src/agent/contracts/run-events.ts'
import { foldedCard, workingCard, type CardStep } from '../../src/slack/format/work-card.ts'
import { cpuClock } from '../harness/cpu-clock.ts'
import { accept } from '../harness/slack-content.ts'

const HOSTILE = [
  '',
  '\u200b',
  ' \n\t ',
  '<!channel> <@U0BOB> <https://evil.example|click>',
  '&<>"`*_~'.repeat(2_000),
  'a.bc '.repeat(5_000),
  'half \ud83d an emoji',
  '🎉'.repeat(9_000),
  '```\ncode\n```\n'.repeat(800),
]
const URLS = [
  'https://example.com/a',
  'javascript:alert(1)',
  'https://u:p@evil.example/',
  'no address',
  `https://e.example/${'x'.repeat(4_000)}`,
]

/** Returns a step in which everything is this text. */
function stepOf(text: string, n: number): CardStep {
  const sources = URLS.map((url) => ({ title: text, url }))
  const tool: ToolStep = {
    kind: 'tool',
    turn: n,
    thought: text,
    action: { tool: text, input: text },
    ...(n % 5 === 0 ? {} : { observation: { ok: n % 2 === 0, text, note: text, sources } }),
    ...(n % 10 === 0 ? { waiting: { since: 1 } } : {}),
  }
  const observation = { ok: false, text, note: text }
  return { n, step: n % 7 === 0 ? { kind: 'unreadable', turn: n, thought: text, text, observation } : tool }
}

const stepsOf = (text: string, count: number) => Array.from({ length: count }, (_, i) => stepOf(text, i + 1))

describe.each(HOSTILE)('a card of steps that are all %j', (text) => {
  test.each([0, 1, 10, 11, 100])('%d of them: Slack accepts it in each of its forms, and it pings nobody', (count) => {
    const steps = stepsOf(text, count)
    accept(workingCard(steps, 'T1:C1:1.0'))
    for (const hasFailed of [true, false]) accept(foldedCard(steps, { ms: 12_345, hasFailed }))
  })
})

test('only web addresses that a tool returned can be opened', () => {
  const [plan] = workingCard([stepOf('Page', 1)], 'id').blocks
  expect(plan).toMatchObject({
    tasks: [{ sources: [{ type: 'url', url: 'https://example.com/a', text: 'Page' }] }],
  })
})

test.each([
  [1, 400, '1 step, 0.4 s'],
  [4, 12_345, '4 steps, 12.3 s'],
  [10, 119_400, '10 steps, 119.4 s'],
  [10, 600_000, '10 steps, 10 min'],
])('a card of %d steps in %d ms is called %s', (count, ms, title) => {
  const [container] = foldedCard(stepsOf('x', count), { ms, hasFailed: false }).blocks
  expect(container).toMatchObject({ title: { text: title } })
})

test('a hundred steps of a megabyte each are fast', () => {
  const steps = stepsOf('<@.x'.repeat(250_000), 100)
  const spent = cpuClock()
  accept(workingCard(steps, 'id'))
  accept(foldedCard(steps, { ms: 1, hasFailed: false }))
  expect(spent()).toBeLessThan(10_000)
})
