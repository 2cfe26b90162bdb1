import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentText, readContent, shownText } from '../../../src/slack/content/message-content.ts'

type Json = Record<string, unknown>
const person = { user: 'U0ADA' }
const rich = (...elements: Json[]) => ({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] })
const typed = (text: string) => ({ type: 'text', text })

test('blocks are read and not the text, and the text only if blocks have no words', () => {
  const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'Disk &amp; CPU' } }]
  expect(contentText({ bot_id: 'B1', text: 'out of date', blocks })).toBe('Disk & CPU')
  expect(contentText({ bot_id: 'B1', text: 'a &lt; b', blocks: [{ type: 'divider' }] })).toBe('a < b')
})

test('an id that somebody typed as text is no mention, and a link is read with its address', () => {
  const blocks = [rich(typed('<@U0BOT> and '), { type: 'user', user_id: 'U0BOT' }, typed(' at '))]
  expect(readContent({ ...person, blocks }, 'U0BOT').words).toBe('<\u2060@U0BOT> and at')
  const link = [rich({ type: 'link', url: 'https://a.example/?x=1&amp;y=2', text: 'the plan' })]
  expect(contentText({ ...person, blocks: link })).toBe('the plan (https://a.example/?x=1&y=2)')
})

test('numbers of a list go on after a break, and a list within a list is indented', () => {
  const list = (offset: number, indent: number, ...words: string[]) => ({
    type: 'rich_text_list',
    style: 'ordered',
    offset,
    indent,
    elements: words.map((word) => ({ type: 'rich_text_section', elements: [typed(word)] })),
  })
  const blocks = [{ type: 'rich_text', elements: [list(0, 0, 'one', 'two'), list(0, 1, 'inner'), list(2, 0, 'three')] }]
  expect(contentText({ ...person, blocks })).toBe('1. one\n2. two\n  1. inner\n3. three')
})

test('a table keeps its rows as data, with ragged rows and cells without a value', () => {
  const rows = [
    [
      { type: 'raw_text', text: 'Item' },
      { type: 'raw_text', text: 'Cost' },
    ],
    [rich(typed('Tea')), { type: 'raw_number', value: 12.5 }],
    [{ type: 'raw_text', text: 'Milk' }, null, { type: 'raw_number', value: 3, text: '3 €' }],
  ]
  const { attached, tables } = readContent({ ...person, attachments: [{ blocks: [{ type: 'table', rows }] }] })
  expect(attached).toBe('Item | Cost\nTea | 12.5\nMilk |  | 3 €')
  expect(tables).toEqual([
    {
      name: '',
      columns: ['Item', 'Cost', 'column 3'],
      rows: [
        ['Tea', '12.5', ''],
        ['Milk', '', '3 €'],
      ],
    },
  ])
})

const raw = (...cells: (string | number)[]) =>
  cells.map((one) => (typeof one === 'number' ? { type: 'raw_number', value: one } : { type: 'raw_text', text: one }))

test.each([
  ['a pasted column of numbers has no header', [raw(12), raw(15), raw(18)], ['column 1'], [['12'], ['15'], ['18']]],
  ['amounts are no header', [raw('rent', '1,200 €'), raw('food', '300 €')], ['column 1', 'column 2'], undefined],
  [
    'years are one',
    [raw('Region', '2024', '2025'), raw('North', 3, 4)],
    ['Region', '2024', '2025'],
    [['North', '3', '4']],
  ],
  ['a row alone is none', [raw('a', 'b')], ['column 1', 'column 2'], [['a', 'b']]],
])('%s', (...[, rows, columns, data]) => {
  const [table] = readContent({ ...person, blocks: [{ type: 'table', rows }] }).tables
  expect(table?.columns).toEqual(columns)
  if (data) expect(table?.rows).toEqual(data)
})

test('a long table loses whole rows, which are counted, and keeps them all as data', () => {
  const rows = [
    raw('Yarn', 'Cones'),
    ...Array.from({ length: 99 }, (_, i) => raw(`Merino ${'soft '.repeat(20)}${i}`, i * 7)),
  ]
  const message = {
    ...person,
    text: 'how many?',
    attachments: [{ blocks: [{ type: 'table', rows, caption: 'Stock' }] }],
  }
  const content = readContent(message)
  const text = shownText(content, 4_000)
  expect(text).toMatch(/^how many\?\nStock\nYarn \| Cones\nMerino /)
  const cut = Number(/\n… \((\d+) rows of the table cut\) …\n/.exec(text)?.[1])
  expect(cut + text.match(/^Merino (?:soft ){20}\d+ \| \d+$/gm)!.length).toBe(99)
  expect(text.length).toBeLessThan(4_200)
  expect(content.tables).toMatchObject([{ name: 'Stock', columns: ['Yarn', 'Cones'], rows: { length: 99 } }])
  const inWords = shownText(readContent({ ...person, blocks: [{ type: 'table', rows }] }), 4_000)
  expect(inWords).toMatch(/\n… \(\d+ rows of the table cut\) …\n/)
})

test('a table of any size that Slack allows is read whole', () => {
  const cell = (r: number, c: number) => rich(typed(`${(r * 20 + c) % 997}`))
  const rows = Array.from({ length: 100 }, (_, r) => Array.from(Array(20).keys(), (c) => cell(r, c)))
  const { tables, attached } = readContent({ ...person, attachments: [{ blocks: [{ type: 'table', rows }] }] })
  expect(attached).not.toContain('not read')
  expect(tables[0]?.rows.flat().filter((one) => one !== '')).toHaveLength(2_000)
})

test('forwards are read to a depth of four, and the reader says that there are more', () => {
  const nested = (depth: number): Json => ({
    is_share: true,
    author_name: `Author ${depth}`,
    text: `words ${depth}`,
    from_url: `https://a.slack.com/archives/C1/p${depth}`,
    attachments: depth < 6 ? [nested(depth + 1)] : [],
  })
  const { attached, forwards } = readContent({ ...person, attachments: [nested(1)] })
  expect(forwards.map(({ author }) => author)).toEqual(['Author 1', 'Author 2', 'Author 3', 'Author 4'])
  expect(attached).toContain('words 4')
  expect(attached).not.toContain('words 5')
  expect(attached).toContain('(not read: 1 forwarded message)')
})

test('a block of a kind that nobody knows gives its text objects, and one without any is counted', () => {
  const unknown = { type: 'scoreboard', rounds: [{ caption: { type: 'mrkdwn', text: '*Final* 3:1' } }] }
  expect(contentText({ bot_id: 'B1', blocks: [unknown, { type: 'hologram', id: 7 }] })).toBe(
    '*Final* 3:1\n(not read: 1 block of an unknown kind)',
  )
})

test('long attachments are cut before the words of people, and the cut is marked', () => {
  const attachments = [{ text: 'noise '.repeat(5_000) }]
  const text = shownText(readContent({ ...person, text: 'my words '.repeat(200).trim(), attachments }), 4_000)
  expect(text).toContain('my words '.repeat(200).trim())
  expect(text).toMatch(/characters cut/)
  expect(text.length).toBeLessThan(4_200)
})

test('no word of a message is lost without a mark, however its parts are nested', () => {
  fc.assert(
    fc.property(aMessage(), ({ message, words }) => {
      const text = contentText(message)
      if (/\(not read|\(cut|characters cut/.test(text)) return
      for (const word of words) expect(text).toContain(word)
    }),
  )
})

test('a hostile message costs no more than a large ordinary one', () => {
  let deep: Json = { type: 'mystery', text: 'inside' }
  for (let i = 0; i < 10_000; i++) deep = { type: 'container', child_blocks: [deep, deep] }
  const long = '<@U'.repeat(400_000)
  const cells = Array.from({ length: 3_000 }, () => Array.from({ length: 30 }, () => typed(' \n'.repeat(99))))
  for (const message of [
    { blocks: [deep] },
    { text: long },
    { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: long } }] },
    { blocks: [{ type: 'table', rows: cells }] },
    { attachments: Array.from({ length: 20_000 }, () => ({ text: 'words', fields: [{ title: 'a', value: 'b' }] })) },
    { blocks: 7, attachments: { a: 1 }, files: [null, 3], text: {} },
  ])
    expect(contentText({ ...person, ...message }).length).toBeLessThan(70_000)
  expect(contentText({ ...person, blocks: [deep] })).toContain('(not read: ')
})

/** Messages whose every word is known. */
function aMessage(): fc.Arbitrary<{ message: Json; words: string[] }> {
  return fc.array(fc.nat(11), { minLength: 1, maxLength: 30 }).map((choices) => {
    const words: string[] = []
    const word = () => {
      words.push(`word${words.length}x`)
      return words.at(-1) ?? ''
    }
    let at = 0
    const next = (among: number) => (choices[at++ % choices.length] ?? 0) % among
    const plain = () => ({ type: 'plain_text', text: word() })
    const block = (depth: number): Json => {
      const kinds: (() => Json)[] = [
        () => rich(typed(word()), { type: 'link', url: 'https://a.example', text: word() }),
        () => ({ type: 'section', text: { type: 'mrkdwn', text: `*${word()}*` }, fields: [plain(), plain()] }),
        () => ({ type: 'header', text: plain() }),
        () => ({ type: 'context', elements: [plain(), { type: 'mrkdwn', text: word() }] }),
        () => ({
          type: 'table',
          rows: [
            [{ type: 'raw_text', text: word() }, rich(typed(word()))],
            [null, plain()],
          ],
        }),
        () => ({ type: 'markdown', text: `# ${word()}` }),
        () => ({ type: 'card', title: plain(), body: plain(), actions: [{ type: 'button', text: plain() }] }),
        () => ({ type: 'novelty', parts: [{ label: word() }, { text: plain() }] }),
        () => ({ type: 'image', title: plain(), alt_text: word() }),
        () =>
          depth > 3
            ? { type: 'header', text: plain() }
            : { type: 'container', child_blocks: [block(depth + 1), block(depth + 1)] },
        () => ({
          type: 'actions',
          elements: [
            { type: 'button', text: plain() },
            { type: 'datepicker', placeholder: plain() },
          ],
        }),
        () => ({
          type: 'rich_text',
          elements: [
            { type: 'rich_text_list', indent: 1, elements: [{ type: 'rich_text_section', elements: [typed(word())] }] },
          ],
        }),
      ]
      return (kinds[next(kinds.length)] ?? kinds[2])?.() ?? {}
    }
    const attachment = (depth: number): Json => {
      const isForward = next(2) === 1
      const inner = depth < 2 && next(3) === 0 ? [attachment(depth + 1)] : []
      const body = isForward
        ? [{ message_blocks: [{ message: { blocks: [block(0)] } }] }, { text: word() }][next(2)]
        : [
            { blocks: [block(0)] },
            { title: word(), text: word(), fields: [{ title: '', value: word() }], footer: word() },
          ][next(2)]
      const marks = isForward
        ? { is_share: true, is_msg_unfurl: true, from_url: 'https://a.example/p1', author_name: 'Ada' }
        : {}
      // Words that another choice of the same call made are not in the message.
      return { ...marks, ...body, attachments: inner }
    }
    const blocks = Array.from({ length: next(4) }, () => block(0))
    const attachments = Array.from({ length: next(3) }, () => attachment(0))
    const message = { user: 'U0ADA', text: '', blocks, attachments, files: [{ id: 'F1', name: `${word()}.pdf` }] }
    const shown = JSON.stringify(message)
    return { message, words: words.filter((one) => shown.includes(one)) }
  })
}
