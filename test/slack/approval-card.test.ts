/** The text of a card: texts by models and tools are shown exactly, ping nobody, format nothing and hide nothing. */
import { describe, expect, test } from 'vitest'
import { checkBlocks } from '../../playground/slack/blocks/block-rules.ts'
import { ALICE, BOB } from '../../playground/slack/slack.ts'
import { pings } from '../../playground/slack/shown.ts'
import { decidedCard, waitingCard as cardOf } from '../../src/slack/approvals/approval-card.ts'
import { blocksIn, withoutBlocks, type Content } from '../../src/slack/format/blocks.ts'
import { sanitize } from '../../src/slack/format/escape.ts'
import type { Approval } from '../../src/slack/approvals/saved-call.ts'
import { argumentsText, openLine } from '../../src/slack/approvals/arguments-text.ts'
import { argumentsView } from '../../src/slack/views/arguments-view.ts'
import { approvalBot, cards, note, notes, press, SHOW_ALL, waitingCard, DENY } from '../harness/approvals.ts'

const EVIL =
  '<!channel> <@U0BOB000001> *bold* `code` https://evil.example/?q=1 <https://evil.example|click> :boom: ' +
  '\u202eevil\u202c \u200b\u0000\u2028\ud800 \u{e0041}\u{1f469}\u200d\u{1f4bb} &lt;b&gt; \\ "quoted"\n> quote'

const approval = (input: unknown, more: Partial<Approval> = {}): Approval => ({
  ...{ kind: 'approval', input, says: EVIL.repeat(40), server: EVIL },
  ...more,
})

function waiting(input: unknown, more: Partial<Approval> = {}): Content {
  const call = { tool: EVIL, approval: approval(input, more), asker: ALICE, place: 'thread' as const }
  return cardOf({ ...call, deciders: 'Can approve: Alice', value: '1 a b' })
}

const INPUTS: [string, unknown][] = [
  ['fields', { text: EVIL, [EVIL]: { deep: [EVIL, 1, null, true] } }],
  ['nothing', {}],
  ['a text', EVIL],
  ['no value', undefined],
  ['a list', [EVIL, EVIL]],
  ['much', { text: EVIL.repeat(500) }],
  ['ampersands', { text: '&'.repeat(20_000) }],
  ['nesting', nested(300)],
  ['nesting without end', nested(100_000)],
]

function nested(depth: number): unknown {
  let value: unknown = 'x'
  for (let i = 0; i < depth; i++) value = [value]
  return { value }
}

describe.each(INPUTS)('a card with %s as arguments', (_, input) => {
  const waits = waiting(input, { isRepeat: true })
  const verdict = { outcome: 'denied', by: EVIL, at: 0, reason: EVIL.repeat(30) } as const
  const over = decidedCard({ tool: EVIL, approval: approval(input), asker: ALICE, place: 'thread' }, verdict)

  test('is accepted by Slack in all its forms, and pings only the asker', () => {
    for (const content of [waits, over, waiting(input)]) {
      const simple = blocksIn(content, () => true)
      for (const blocks of [content.blocks, simple]) {
        const sent = sanitize({ text: content.text, blocks }, ALICE)
        checkBlocks(sent.blocks)
        expect(pings({ text: sent.text, blocks: JSON.parse(JSON.stringify(sent.blocks)) })).toEqual(
          content === over ? [] : expect.arrayContaining([`<@${ALICE}>`]),
        )
        const others = pings({ text: sent.text, blocks: JSON.parse(JSON.stringify(sent.blocks)) })
        expect(others.filter((ping) => ping !== `<@${ALICE}>`)).toEqual([])
      }
      const bare = sanitize(withoutBlocks(content, 'chat.postMessage'), ALICE).text
      expect(bare).not.toMatch(/<(?!@U0ALICE0001>)/)
      expect(content.text.length).toBeLessThan(4_000)
    }
  })

  test('hides nothing and links nothing', () => {
    const text = JSON.stringify([waits, over])
    const hidden =
      /[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029\u{e0000}-\u{e007f}\u0000]/u.exec(text)?.index ?? -1
    expect(text.slice(hidden, hidden < 0 ? 0 : hidden + 20)).toBe('')
    // The texts of rich_text are not mrkdwn.
    const isPlain = (value: unknown) =>
      typeof value === 'object' && value !== null && 'type' in value && value.type === 'text'
    const marked = JSON.stringify([waits, over], (_, value: unknown) => (isPlain(value) ? '' : value))
    expect(/"type":"link"|<https?:/.exec(marked)).toBeNull()
    // In mrkdwn, texts by others are in code spans, or are names without marks.
    const formatted = [...waits.blocks, ...over.blocks].flatMap((block) =>
      block.type === 'section' ? [block.text?.text.replace(/`[^`]*`/g, '') ?? ''] : [],
    )
    for (const words of formatted) expect(words).not.toMatch(/\*bold\*|`|:boom:|evil\.example\|/)
  })

  test('can be shown whole', () => {
    const view = sanitize(argumentsView({ tool: EVIL, approval: approval(input), place: 'thread' }))
    checkBlocks(view.blocks, { max: 100, surface: 'modal' })
    expect(JSON.stringify(view).length).toBeLessThan(250_000)
  })
})

test('arguments reach Slack verbatim, markup included', () => {
  const written = '<b>, a < b, <!here>, <@U0BOB0000001>, <https://evil.example|ok> & <#C1>'
  const card = waiting({ text: written })
  expect(sanitize(card.blocks, ALICE)).toContainEqual(
    expect.objectContaining({
      type: 'rich_text',
      elements: [expect.objectContaining({ elements: [{ type: 'text', text: `{\n  "text": "${written}"\n}` }] })],
    }),
  )
  expect(sanitize(withoutBlocks(card, 'chat.postMessage'), ALICE).text).not.toMatch(/<(?!@U0ALICE0001>)/)
})

test('the shown arguments are valid JSON of the exact values', () => {
  const input = { text: EVIL, [EVIL]: [1, { a: EVIL }], empty: '', n: null }
  expect(JSON.parse(argumentsText(input))).toEqual(JSON.parse(JSON.stringify(input)))
  expect(argumentsText({ to: 'a', n: 2 })).toBe('{\n  "to": "a",\n  "n": 2\n}')
  expect(argumentsText({ a: 'x\u202ey\u{e0041}z' })).toBe('{\n  "a": "x\\u202ey\\udb40\\udc41z"\n}')
  for (const char of '\u00a0\u3000\u2003\u1680\ufdd0\uffff')
    expect(argumentsText(`a${char} b`)).toBe(`"a\\u${char.charCodeAt(0).toString(16).padStart(4, '0')} b"`)
  expect(openLine(' a\n\u202eb ')).toBe('a \\u202eb')
})

test('a call that may have taken effect is marked as such, and cannot be allowed for good', () => {
  const [first, again] = [waiting({}), waiting({}, { isRepeat: true })].map((content) => JSON.stringify(content.blocks))
  expect(first).toContain('Always in this thread')
  expect(again).not.toContain('Always')
  expect(again).toContain('do not know whether it took effect')
})

describe('in the thread', () => {
  test('long arguments are shown whole in a modal before the decision', async (t) => {
    const bot = await approvalBot(t, {})
    const text = `Begins. ${'All work and no play. '.repeat(400)}Ends.`
    notes(bot, 'Long', 'unused')
    bot.model.on('Long', note('Long', text), 'Thought: I now know the final answer\nFinal Answer: Done.')
    const thread = await bot.mention('Write down Long')
    const card = await waitingCard(bot, thread)
    expect(bot.slack.shown(card)).toMatch(/… [\d,]+ more characters/)
    expect(bot.slack.shown(card)).not.toContain('Ends.')
    await press(bot, { ...thread, ts: card.ts }, { action: SHOW_ALL, user: BOB })
    const modal = await bot.modal(BOB)
    expect(modal.shown().replaceAll('\n', '')).toContain(text.slice(0, 2_000))
    expect(modal.shown()).toContain('Ends."')
    expect(cards(thread)[0]).toMatch(/^🔐/)
    expect(bot.slack.refusals).toEqual([])
  })

  test('hostile text in arguments, description and reason has no effect', async (t) => {
    const bot = await approvalBot(t, {})
    bot.model.on('Evil', note('Evil', EVIL), 'Thought: I now know the final answer\nFinal Answer: Done.')
    const thread = await bot.mention('Write down Evil')
    const card = await waitingCard(bot, thread)
    await press(bot, { ...thread, ts: card.ts }, { action: DENY, reason: EVIL.slice(0, 300).replaceAll('\n', ' ') })
    await thread.ended()
    await bot.slack.settle()
    expect(bot.slack.pings().filter((ping) => ping !== `<@${ALICE}>`)).toEqual([])
    expect(bot.slack.links()).toEqual([])
    expect(bot.slack.refusals).toEqual([])
  })
})
