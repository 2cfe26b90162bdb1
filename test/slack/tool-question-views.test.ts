/** A server's questions as blocks: never refused by Slack, and always plain text, whatever the server wrote. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ToolQuestion } from '../../src/agent/contracts/tool.ts'
import { checkBlocks } from '../../playground/slack/blocks/block-rules.ts'
import { checkView } from '../../playground/slack/methods/view-methods.ts'
import { pings } from '../../playground/slack/shown.ts'
import { formFrom } from '../../src/stores/runs/form-schema.ts'
import { sanitize } from '../../src/slack/format/escape.ts'
import { endedQuestionCard, questionCard } from '../../src/slack/approvals/tool-question-card.ts'
import { anyCharacter } from '../harness/any-character.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { questionView } from '../../src/slack/views/tool-question-view.ts'

const WORST = [
  '<!channel> <@U0BOB000001> <https://evil.example|click> *b* `c` :tada:',
  '&'.repeat(2_000),
  '😀'.repeat(1_500),
  '\n'.repeat(500),
  '\u200b \u0000\u202e',
  '',
]
const text = fc.oneof(fc.constantFrom(...WORST), fc.string({ unit: anyCharacter, maxLength: 60 }))
const words = { title: text, description: text }
const choices = fc.array(text, { minLength: 1, maxLength: 30 })
const field = fc.oneof(
  fc.record(
    {
      type: fc.constant('string'),
      ...words,
      format: fc.constantFrom('email', 'uri', 'date', 'date-time', 'other'),
      minLength: fc.nat(10),
      maxLength: fc.integer({ min: 1, max: 4_000 }),
      pattern: text,
      default: text,
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    {
      type: fc.constantFrom('number', 'integer'),
      ...words,
      minimum: fc.double({ noNaN: true, max: 5 }),
      maximum: fc.double({ noNaN: true, min: 6 }),
      default: fc.double(),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('boolean'), ...words, default: fc.boolean() }, { requiredKeys: ['type'] }),
  fc.record(
    { type: fc.constant('string'), ...words, enum: choices, enumNames: choices },
    { requiredKeys: ['type', 'enum'] },
  ),
  fc.record({
    type: fc.constant('array'),
    ...words,
    items: fc.record({ enum: choices }),
    maxItems: fc.nat(5),
    default: choices,
  }),
)
const asked: fc.Arbitrary<ToolQuestion> = fc.record({
  server: text,
  message: text,
  schema: fc
    .dictionary(fc.string(), field, { maxKeys: 6 })
    .map((properties) => ({ type: 'object', properties, required: Object.keys(properties).slice(0, 2) })),
  state: fc.constant(null),
})

test('Slack accepts a form, and it pings nobody', () => {
  fc.assert(
    fc.property(asked, (question) => {
      if ('why' in formFrom(question.schema)) return
      const view = sanitize(questionView(question, '{}'))
      checkView(JSON.parse(JSON.stringify(view)), 'modal')
      expect(pings({ text: JSON.stringify(view) })).toEqual([])
    }),
    { numRuns: propertyRuns({ test: 60, chaos: 300 }) },
  )
})

test('Slack accepts a card, and it pings only the asker', () => {
  fc.assert(
    fc.property(asked, (question) => {
      const cards = [
        questionCard(question, { asker: 'U0ALICE0001', value: '1 T:C:1 T:C:1' }),
        endedQuestionCard(question, 'U0ALICE0001', 'accept'),
      ]
      for (const card of cards.map((one) => sanitize(one, 'U0ALICE0001'))) {
        checkBlocks(card.blocks, { max: 50, surface: 'message' })
        const found = JSON.stringify(card).match(/<[@!#][^>]*>/g) ?? []
        expect(found.filter((ping) => ping !== '<@U0ALICE0001>')).toEqual([])
        expect(card.text.length).toBeLessThan(4_000)
      }
    }),
    { numRuns: propertyRuns({ test: 60, chaos: 300 }) },
  )
})

test('an option with the label of one of our buttons gets its number, and labels are unique', () => {
  const titles = [
    'Decline',
    'DECLINE ',
    'Ｄecline',
    'De\u00adcline',
    '1. Decline',
    'Leave empty',
    'C',
    'C++',
    'fish',
    'fish',
    'Decline\u3164',
    'fi\u034fsh',
  ]
  const choice = { oneOf: titles.map((title, i) => ({ const: `${i}`, title })) }
  const asked = { server: 's', message: 'Which?', schema: { type: 'object', properties: { choice } }, state: null }
  const { blocks = [] } = questionCard(asked, { asker: 'U0ALICE0001', value: '1 T:C:1 T:C:1' })
  const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
  const labels = buttons.map((one) => (one.type === 'button' ? one.text.text : ''))
  expect(new Set(labels).size).toBe(titles.length + 2)
  const ours = (label: string) =>
    label
      .normalize('NFKC')
      .replace(/[^a-z]/gi, '')
      .toLowerCase() === 'decline'
  expect(labels.filter((label) => !/^\d/.test(label) && ours(label))).toEqual(['Decline'])
  expect(labels).toEqual(expect.arrayContaining(['C', 'C++', 'fish', '10. fish', '12. fi\u034fsh', '6. Leave empty']))
})
