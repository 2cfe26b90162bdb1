import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pings } from '../../playground/slack/shown.ts'
import { footerText } from '../../src/slack/display/final-view.ts'
import { answerContents } from '../../src/slack/format/answer-messages.ts'
import { noteContent, rootContent, withoutBlocks } from '../../src/slack/format/blocks.ts'
import { stepContent } from '../../src/slack/format/step-message.ts'
import { anyCharacter } from '../harness/any-character.ts'
import { cpuClock } from '../harness/cpu-clock.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { accept, answer, textsOf } from '../harness/slack-content.ts'
import { sanitize } from '../../src/slack/format/escape.ts'
import { renderLink } from '../../src/slack/format/links.ts'

describe('Markdown as Slack shows it', () => {
  test.each([
    ['bold and italics', '**bold** and *italic* and ***both***', '*bold* and _italic_ and _*both*_'],
    ['strike and code', '~~gone~~ and `a < b && c`', '~gone~ and `a &lt; b &amp;&amp; c`'],
    ['a heading is bold, once', '## The **big** `plan`', '*The big `plan`*'],
    ['a heading keeps its link', '# [Dune](https://example.com/dune)', '*<https://example.com/dune|Dune>*'],
    ['an empty heading is nothing', '#\n\ntext', 'text'],
    ['bullets, nested', '- one\n- two\n  - inner\n- three', '• one\n• two\n    ◦ inner\n• three'],
    ['numbers go on from where they begin', '3. three\n4. four', '3. three\n4. four'],
    ['tasks', '- [x] done\n- [ ] open', '☑ done\n☐ open'],
    ['a paragraph of an item stands under it', '1. one\n\n   more\n2. two', '1. one\n   more\n2. two'],
    ['an item that is a list', '- - x', '•\n    ◦ x'],
    ['a quote', '> said\n> twice', '> said\n> twice'],
    ['a rule', 'a\n\n---\n\nb', 'a\n\n———\n\nb'],
    ['a link', '[Dune](https://example.com/dune)', '<https://example.com/dune|Dune>'],
    [
      'a link with an ampersand, escaped or not',
      '<https://example.com/?a=1&b=2> [x](https://example.com/a&amp;b)',
      '<https://example.com/?a=1&amp;b=2> <https://example.com/a&amp;b|x>',
    ],
    ['marks in a label are dropped', '[**bold** `code`](https://example.com)', '<https://example.com/|bold code>'],
    ['a bar in a label does not end it', '[a|b](https://example.com)', '<https://example.com/|a¦b>'],
    ['a reference link', '[x][1]\n\n[1]: https://example.com', '<https://example.com/|x>'],
    ['a reference link with a title', '[x][1]\n\n[1]: <https://example.com> "Dune"', '<https://example.com/|x>'],
    [
      'a reference link with words behind it',
      'x [1]\n\n[1]: https://example.com Dune',
      'x <https://example.com/|1>\n\n<https://example.com/|1>: <https://example.com/> Dune',
    ],
    ['a footnote', 'said[^1]\n\n[^1]: Somebody, in 1965', 'said[^1]\n\n[^1]: Somebody, in 1965'],
    ['a note in brackets', 'a [note]\n\n[Note]: see above', 'a [note]\n\n[Note]: see above'],
    [
      'an image is a link, never fetched',
      '![a cat](https://example.com/cat.png)',
      '<https://example.com/cat.png|a cat>',
    ],
    ['a mail address is text', 'write to a@example.com', 'write to a@example.com'],
    ['a mail link too', '[me](mailto:a@example.com)', 'me (`mailto:a@example.com`)'],
    [
      'a paragraph that goes on below a quote is of the quote',
      '> said\nand more\n\nafter',
      '> said\n> and more\n\nafter',
    ],
    ['a list below a quote is not', '> said\n- one', '> said\n\n• one'],
    ['quotes in quotes', '> a\n> > b', '> a\n\n> > b'],
    ['a rule in a list item is one', '- a\n  ---\n- b', '• a\n   ———\n• b'],
    ['a line break of HTML', 'one<br>two<br/>three', 'one\ntwo\nthree'],
    [
      'other HTML is text',
      '<b>x</b> <script>alert(1)</script>',
      '&lt;b&gt;x&lt;/b&gt; &lt;script&gt;alert(1)&lt;/script&gt;',
    ],
    ['entities are what they stand for', 'AT&amp;T &lt;3 &quot;x&quot;&nbsp;y', 'AT&amp;T &lt;3 "x" y'],
    ['invisible ones are dropped', 'a&shy;b&zwnj;c&NoBreak;d&it;e&ic;f&af;g', 'abcdefg'],
    ['an entity in code stays', '`&amp;`', '`&amp;amp;`'],
    ['a product is no emphasis', '2*3*4 and 2**3**4', '2*3*4 and 2**3**4'],
    ['a name with underscores', 'snake_case_name', 'snake_case_name'],
    ['Chinese without spaces gets an edge', '这是**重点**内容', '这是\u200b*重点*\u200b内容'],
    ['bold over two lines is marked on each', '**a\nb**', '*a*\n*b*'],
    ['an empty link is its label', '[label]()', 'label'],
    ['marks that stay open are text', '**bold and *more', '**bold and *more'],
  ])('%s', (_, markdown, mrkdwn) => {
    expect(answer(markdown).join('\n\n')).toBe(mrkdwn)
  })

  test('a code block is a fence without its language and with its indent', () => {
    expect(answer('```python\nif x < 1:\n    pass\n```')).toEqual(['```\nif x &lt; 1:\n    pass\n```'])
  })

  test('a code block in a list or a quote is separate, whole and unindented', () => {
    const markdown = '1. Write:\n   ```sh\n   ls | wc\n   ```\n2. Run it.\n\n> quoted\n> ```\n> code\n> ```'
    expect(answer(markdown)).toEqual(['1. Write:\n\n```\nls | wc\n```\n\n2. Run it.\n\n> quoted\n\n```\ncode\n```'])
  })

  test('a fence inside a fence cannot end it', () => {
    expect(answer('````\n```\n<!channel>\n```\n````')).toEqual(['```\nˋˋˋ\n&lt;!channel&gt;\nˋˋˋ\n```'])
  })
})

describe('long answers', () => {
  const paragraph = (n: number) => `Paragraph ${n}. ${'Some words of it. '.repeat(30)}`.trim()

  test('are split at paragraphs, in order, with nothing lost', () => {
    const paragraphs = Array.from({ length: 60 }, (_, i) => paragraph(i))
    const texts = answer(paragraphs.join('\n\n'))
    expect(texts.join('\n\n').split('\n\n')).toEqual(paragraphs)
    for (const text of texts) expect(text).toMatch(/^Paragraph \d+\..*of it\.$/s)
  })

  test('a fence of 30 kB becomes several whole ones', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${i} ${'x'.repeat(20)}`)
    const texts = answer(`Before.\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n\nAfter.`)
    const fences = texts.join('\n\n').match(/```\n[^`]*\n```/g) ?? []
    expect(fences.flatMap((fence) => fence.slice(4, -4).split('\n'))).toEqual(lines)
    for (const text of texts) expect((text.match(/```/g) ?? []).length % 2).toBe(0)
  })

  test('a long list with code in its items keeps every fence whole', () => {
    const items = Array.from(
      { length: 60 },
      (_, i) => `${i + 1}. Step ${i + 1}:\n   \`\`\`sh\n   run --step ${i + 1} ${'y'.repeat(80)}\n   \`\`\``,
    )
    const texts = answer(items.join('\n'))
    for (const text of texts) expect((text.match(/```/g) ?? []).length % 2).toBe(0)
    expect(texts.join('\n\n').match(/Step \d+:\n\n```\nrun --step \d+ y+\n```/g)?.length).toBe(60)
  })

  test('two hundred items stay lines of a list', () => {
    const items = Array.from(
      { length: 200 },
      (_, i) => `item ${i} with **bold** and [a link](https://example.com/${i})`,
    )
    const texts = answer(items.map((item) => `- ${item}`).join('\n'))
    expect(texts.join('\n').split('\n')).toEqual(
      items.map((_, i) => `• item ${i} with *bold* and <https://example.com/${i}|a link>`),
    )
  })

  test('one line of 60 kB is split between words, or inside a single one', () => {
    const words = Array.from({ length: 9000 }, (_, i) => `w${i}`)
    expect(answer(words.join(' ')).join(' ').split(' ')).toEqual(words)
    expect(answer('é'.repeat(55_000)).join('')).toBe('é'.repeat(55_000))
  })

  test('are cut after five messages, and say so before the footer', () => {
    const cut = (text: string) =>
      answerContents({ text, sources: [], question: '', allowedHosts: [], footer: 'FOOTER' })
    const contents = cut(Array.from({ length: 400 }, (_, i) => paragraph(i)).join('\n\n'))
    expect(contents).toHaveLength(5)
    expect(contents.slice(0, -1).flatMap(textsOf).join()).not.toMatch(/not shown|FOOTER/)
    const [note, footer] = textsOf(contents.at(-1)!).slice(-2)
    expect(note).toMatch(/^✂️ _This answer is too long for Slack. About 1\d\d,\d{3} more characters are not shown\._$/)
    expect(footer).toBe('FOOTER')
    expect(cut('word '.repeat(11_000)).flatMap(textsOf).join()).not.toContain('not shown')
    expect(cut('x'.repeat(1_000_000))).toHaveLength(5)
  })

  test('one block that is parsed in pieces stays one', () => {
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i} of **one** paragraph`)
    expect(answer(lines.join('\n')).join('\n').split('\n')).toEqual(lines.map((line) => line.replaceAll('**', '*')))
    const rows = Array.from({ length: 300 }, (_, i) => `| row ${i} | ${i} |`)
    const tables = answer(`| Name | N |\n|---|---|\n${rows.join('\n')}`).join('\n')
    expect(tables.match(/^row \d+ +\| \d+$/gm)).toHaveLength(300)
    const far = `[x][far]\n\n${'Some words.\n\n'.repeat(900)}[far]: https://example.com/far`
    expect(answer(far)[0]).toMatch(/^<https:\/\/example\.com\/far\|x>\n/)
  })

  test('no entity, link or emoji is cut in two', () => {
    for (const piece of ['&', '<', '😀', '👨‍👩‍👧', '[link](https://example.com/abc)', 'a&b ']) {
      const texts = answer(piece.repeat(9000))
      for (const text of texts) {
        expect(text).not.toMatch(/&[a-z]{0,4}$|^[a-z]{0,4};|[\ud800-\udbff]$|^[\udc00-\udfff]/)
        expect((text.match(/<https/g) ?? []).length).toBe((text.match(/link>/g) ?? []).length)
      }
    }
  })

  test.each([
    ['nothing', ''],
    ['only spaces', ' \n\t '],
    ['only what has no form', '\u200b\u200d\ufeff'],
    ['an empty fence', '```\n```'],
    ['an empty heading', '#'],
    ['an empty comment', '[//]: # (nothing)'],
  ])('%s says that it is empty', (_, text) => {
    expect(answer(text)).toEqual(['(The answer is empty.)'])
  })

  test('a hundred kilobytes of anything are messages that Slack accepts', () => {
    const kinds = [
      'word ',
      'x',
      '😀',
      '\n',
      '\n\n',
      '&',
      '`',
      '```\n',
      '* ',
      '- a\n',
      '> ',
      '**',
      '[a](',
      '|a|b|\n|-|-|\n',
      '<!channel> ',
      '\u200b',
      '\ud83d',
      '1. ',
      '# h\n',
    ]
    for (const kind of kinds) {
      const contents = answerContents({
        text: kind.repeat(100_000 / kind.length),
        sources: [],
        question: '',
        allowedHosts: [],
        footer: 'F',
      })
      for (const content of contents) accept(content)
    }
  })
})

describe('a megabyte is read without a freeze', () => {
  const kinds = [
    ...[
      'http://a.b/(',
      'www.a.b/(',
      '[',
      '![](',
      '[a](',
      '_a ',
      '*a',
      '**',
      '`a',
      '``',
      '<',
      '<a ',
      '\\',
      '&',
      'a@',
      '>',
      '> ',
    ],
    ...[
      '- ',
      '- a\n',
      '- a\n= ',
      '- a\\\n',
      '> a\n- b\n',
      '\n- ',
      '    ```@\n',
      '~~~\n',
      '|a|b|\n|-|-|\n',
      'a\n|-|-|\n',
      '[a]: b "\n',
    ],
    ...['\\(', '\\[', '$', '$$', '$x^{', '\\frac{', '\\begin{align}&\\\\', '$\\sqrt['],
    ...['1. \n\n', '字', '\n', ' ', '\t', '&#', '<!--', '<script>', 'a.b'],
  ]
  const prefixes = ['', '- ', '> ', 'a ', '|a|b|\n|-|-|\n|']
  const count = propertyRuns({ test: 1, chaos: prefixes.length })
  test.each(kinds.map((kind, i): [string, number] => [kind, i % prefixes.length]))('of %j', (kind, from) => {
    const text = kind.repeat(1_000_000 / kind.length)
    const spent = cpuClock()
    for (const prefix of [...prefixes, ...prefixes].slice(from, from + count))
      for (const content of answerContents({ ...view(prefix + text), question: text })) accept(content)
    accept(stepContent({ thought: text, action: { tool: text, input: text }, observation: { text, ok: true } }))
    renderLink({ label: text, href: `https://example.com/${text}` }, () => true)
    // A generous limit: these took from seconds to hours.
    expect(spent()).toBeLessThan(10_000)
  })

  test('of a table of many columns and many short rows', () => {
    const text = `|${'a|'.repeat(10_000)}\n|${'-|'.repeat(10_000)}\n${'|\n'.repeat(10_000)}`
    for (const content of answerContents(view(text))) accept(content)
    const wide = `|a|b|\n|-|-|\n|${'w'.repeat(20_000)}|b|\n${'|a|b|\n'.repeat(6_000)}`
    expect(answer(wide).join('').length).toBeLessThan(60_000)
  })

  function view(text: string) {
    return { text, sources: [], question: '', allowedHosts: ['a.b'], footer: 'F' }
  }
})

/** Text as hostile as models and pages can write it. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        '<!channel>',
        '<!here|x>',
        '<@U0BOB000001>',
        '<@U0BOB000001|bob>',
        '<!subteam^S1>',
        '&lt;!channel&gt;',
        '&',
        '<',
        '>',
        '*',
        '_',
        '~',
        '`',
        '```\n',
      ),
      fc.constantFrom(
        '\n',
        '\n\n',
        '- ',
        '1. ',
        '> ',
        '# ',
        '|a|b|\n|-|-|\n|c|d|\n',
        '[x](https://e.example/?a=<!channel>)',
        '![x](y)',
        '<https://e.example|<!here>>',
        '\ud83d',
        '\0',
      ),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

/** An address. `fc.webUrl()` first builds a map of all characters, as `anyCharacter` says. */
const address = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.string({ unit: anyCharacter }))
  .map(([scheme, domain, path]) => `${scheme}://${domain}/${encodeURI(path)}`)

test('Slack accepts any answer, and nobody is pinged', () => {
  const title = fc.record({ title: nasty, url: fc.oneof(address, nasty) })
  fc.assert(
    fc.property(nasty, fc.array(title, { maxLength: 7 }), nasty, (text, sources, question) => {
      const view = {
        text,
        sources,
        question,
        understood: question,
        allowedHosts: [],
        footer: footerText({ steps: 1, ms: 5, usage: [] }),
      }
      for (const content of answerContents({ ...view, stopped: 'steps' })) accept(content)
    }),
    { numRuns: propertyRuns({ test: 60, chaos: 300 }) },
  )
})

test('Slack accepts any step, root and note, and nobody is pinged', () => {
  fc.assert(
    fc.property(nasty, nasty, fc.oneof(nasty, fc.anything()), (thought, tool, input) => {
      accept(
        stepContent({ thought, action: { tool, input }, observation: { text: thought, ok: false }, understood: tool }),
      )
      accept(stepContent({ thought: '', unreadable: true }))
      accept(noteContent('A word.'))
      const root = rootContent('U0ALICE0001', thought)
      expect(pings({ ...sanitize(root, 'U0ALICE0001'), blocks: [] })).toEqual(['<@U0ALICE0001>'])
      accept(root)
    }),
    { numRuns: propertyRuns({ test: 60, chaos: 300 }) },
  )
})

test('the longest thought, input, observation and question of characters that count five still fit', () => {
  for (const sign of ['&', '<', '\n&', '😀', ' ', '\n', ' \n', '_']) {
    const text = `x${sign.repeat(100_000)}`
    accept(
      stepContent({
        thought: text,
        action: { tool: text, input: text },
        observation: { text, ok: true },
        understood: text,
      }),
    )
    accept(rootContent('U0ALICE0001', text))
  }
})

test('Slack formats nothing in an observation, and the text beside its block is verbatim', () => {
  const text = '*a* next_task count(*) ~c~ `d` ```e``` :boom: <https://evil.example/?q=1|f>\n> g\n&gt; h'
  const content = stepContent({ thought: '', observation: { text, ok: true } })
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  expect(content.blocks).toEqual([
    { type: 'context', elements: [{ type: 'plain_text', text: `👁 ${escaped}`, emoji: false }] },
  ])
  expect([content.text, content.plain]).toEqual([`👁 ${escaped}`, `👁 ${escaped}`])
  expect(withoutBlocks(content, 'chat.postMessage').text).toBe(`👁 ${escaped}`)
  // An update cannot turn off the formatting of its text.
  expect(withoutBlocks(content, 'chat.update').text).not.toMatch(/[*_~`<]|:boom:|^&gt;/m)
})

test('an observation is cut at 500 characters, and the cut is marked', () => {
  const { text } = stepContent({
    thought: 't',
    action: { tool: 'wikipedia', input: 'x' },
    observation: { text: 'o'.repeat(1234), ok: true },
  })
  expect(text).toBe(`💭 t\n🔧 wikipedia x\n👁 ${'o'.repeat(500)} … (cut, 734 more characters)`)
})

test('without its blocks a post still has all of its text', () => {
  const [content] = answerContents({
    text: `${'word '.repeat(2000)}end`,
    sources: [],
    question: '',
    allowedHosts: [],
    footer: 'FOOTER',
  })
  expect(withoutBlocks(content!, 'chat.postMessage').text).toMatch(/^word .*end\n\nFOOTER$/s)
  expect(withoutBlocks(content!, 'chat.update').text.length).toBeLessThanOrEqual(4000)
})

test('the footer has steps, seconds, models, tokens and cost, with ~ before estimates', () => {
  const usage = { model: 'gpt-5-mini', inputTokens: 1000, outputTokens: 234, estimated: false, costUsd: 0.0021 }
  expect(footerText({ steps: 2, ms: 3440, usage: [usage] })).toBe(
    '2 steps · 3.4 s · gpt-5-mini · 1,234 tokens · $0.0021',
  )
  const other = { model: 'local', inputTokens: 1, outputTokens: 1, estimated: true }
  expect(footerText({ steps: 1, ms: 0, usage: [usage, other] })).toBe(
    '1 step · 0.0 s · gpt-5-mini, local · ~1,236 tokens',
  )
  expect(footerText({ steps: 0, ms: 0, usage: [] })).toBe('0.0 s')
})

test('a step names its tool by the title; its text has the tool’s own name too', () => {
  const action = { tool: 'notes__add', title: 'Add a note', input: '' }
  const { text, blocks } = stepContent({ thought: 't', action })
  expect(text).toBe('💭 t\n🔧 Add a note (notes__add)\n⏳ running …')
  expect(JSON.stringify(blocks)).toContain('"🔧 *Add a note*"')
  expect(JSON.stringify(blocks)).not.toContain('notes__add')
})

test('a step shows the text that is its only input, without JSON', () => {
  const action = { tool: 'search_file', input: { query: 'holidays' } }
  const { text, blocks } = stepContent({ thought: 't', action })
  expect(text).toContain(' holidays\n')
  expect(JSON.stringify(blocks)).toContain('`holidays`')
})
