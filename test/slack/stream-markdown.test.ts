/** Markdown for a streamed message: wherever it is cut, nothing pings, and only allowed links open. */
import fc from 'fast-check'
import { Lexer } from 'marked'
import { describe, expect, test } from 'vitest'
import { linkPolicy } from '../../src/slack/format/links.ts'
import { StreamMarkdown } from '../../src/slack/format/stream-markdown.ts'
import { cpuSeconds } from '../harness/cpu-clock.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const policy = linkPolicy({
  sources: [{ title: '', url: 'https://good.example/page' }],
  question: '',
  allowedHosts: [],
})
const ANGLE = /<(?:[!@#]|(?:https?|ftp|mailto|tel):(?!\u200b)[^>\n]*>)/i
const CLICKABLE = /(?:https?:\/\/|www\.)evil|\]\(\s*<?https?:\/\/evil|\]:\s*<?https?:\/\/evil/i

/** Returns the parts that are sent if the text comes in pieces of these lengths. */
function streamed(text: string, lengths = [5]): { written: string; markdown: string } {
  const stream = new StreamMarkdown(policy, String)
  const out = { written: '', markdown: '' }
  const add = ({ written, markdown }: { written: string; markdown: string }) => {
    out.written += written
    out.markdown += markdown
  }
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length] ?? 1
    stream.push(text.slice(at, at + length))
    at += length
    add(stream.take())
  }
  out.markdown += stream.finish(text.slice(out.written.length))
  return out
}

describe('the Markdown of a stream', () => {
  test.each([
    [
      'keeps what is harmless',
      '# A\n\n- **b** and `c < d`\n- 3 < 4 & 5\n\n```js\nif (a <b) x()\n```\n\nEnd.',
      undefined,
    ],
    ['keeps a link to where a tool has been', 'See [this](https://good.example/page).', undefined],
    [
      'shows another as text',
      'See [this](https://evil.example/?q=1) now',
      'See this (`https:\u200b//evil.\u200bexample/?q=1`) now',
    ],
    ['keeps the name of a file', 'Open config.yml, then go.', undefined],
    [
      'breaks a ping',
      'Hi <!channel> and <@U1> and `<!here>`',
      'Hi <\u200b!channel> and <\u200b@U1> and `<\u200b!here>`',
    ],
  ])('%s', (_, text, expected = text) => {
    expect(streamed(text).markdown).toBe(expected)
  })

  /** The bold, slanted and struck parts as CommonMark reads them. */
  const marked = (markdown: string) =>
    new Lexer({ gfm: true })
      .inlineTokens(markdown, [])
      .filter(({ type }) => type !== 'text')
      .map(({ raw }) => raw.replaceAll('\u200b', ''))

  test.each([
    ['**重要：**この操作は元に戻せません。次に**「設定」**を開いてください。', ['**重要：**', '**「設定」**']],
    ['**"확인"**을 누르세요', ['**"확인"**']],
    ['**変更はありません。**続けて', ['**変更はありません。**']],
    ['~~削除。~~次の文', ['~~削除。~~']],
    ['他の*（注）*本文', ['*（注）*']],
    ['**"quoted"**text and **(a)**b', ['**"quoted"**', '**(a)**']],
    ['**O**bjectives and **K**ey', ['**O**', '**K**']],
    ['これは**`code`：**です', ['**`code`：**']],
    ['a*(b)*c and 2 ** 3 and **open', []],
  ])('%s has its marks, in any pieces', (text, parts) => {
    for (const lengths of [[1], [2, 3], [5], [400]]) {
      const { markdown } = streamed(text, lengths)
      expect(markdown.replaceAll('\u200b', '')).toBe(text)
      expect(marked(markdown)).toEqual(parts)
    }
  })

  test.each([
    ['See <https://good.example/page|the handbook>.', 'See [the handbook](https://good.example/page).'],
    ['See [the long handbook](https://good.example/page) and `a b c`!', undefined],
    ['See <https://good.example/page|bank.example>.', 'See `bank.\u200bexample` (<https://good.example/page>).'],
    ['a &rarr; b &le; 3 &copy; `&rarr;` &amp;rarr; AT&T;', 'a → b ≤ 3 © `&rarr;` &amp;rarr; AT&T;'],
    ['&lt;!channel&gt; &unknown;', '&lt;!channel&gt; &unknown;'],
  ])('%s, in any pieces', (text, expected = text) => {
    for (const lengths of [[1], [2, 3], [5], [400]]) expect(streamed(text, lengths).markdown).toBe(expected)
  })

  test('a link waits until it is complete, but an unfinished one not forever', () => {
    const stream = new StreamMarkdown(policy, String)
    stream.push('It is [here](https://good.exa')
    expect(stream.take().markdown).toBe('It is')
    stream.push('mple/page) and ')
    expect(stream.take().markdown).toBe(' [here](https://good.example/page) and')
    stream.push(`[${'word '.repeat(300)}`)
    expect(stream.take().written.length).toBeGreaterThan(1000)
  })

  test.each(['`~~~\n`<https://evil.example|b>`', '`~~~\n <!channel>`www.evil.example/a`'])(
    'what is unclear in a paragraph stays so to its end, however its lines come: %j',
    (text) => {
      expect(outsideCode(streamed(text, [1]).markdown)).not.toMatch(CLICKABLE)
    },
  )

  test('held-back text is parsed again with its earlier context', () => {
    const stream = new StreamMarkdown(policy, String)
    stream.push('Look: ` and\n')
    const sent = stream.take().markdown
    stream.push('see `https://evil.example/x` here.\n\nEnd ')
    stream.putBack(stream.take())
    expect(outsideCode(sent + stream.take(true).markdown)).not.toMatch(CLICKABLE)
  })

  test('no text pings or links to a foreign address, in any pieces', () => {
    const bits = fc.constantFrom(
      ...[
        '<!channel>',
        '<@U1>',
        '<!',
        'here>',
        '<',
        '[a](',
        'https://evil.example/x',
        ')',
        '[r]: ',
        '![i](',
        '`',
        '``',
        '```',
      ],
      ...[
        '\n',
        '\n\n',
        '\n```\n',
        ' ',
        'word ',
        'www.evil.example/a',
        '<https://evil.example/x|b>',
        '<https://evil.example/x|b c>',
        '**',
        '*',
        '&rarr;',
        '：',
        ']',
        '[',
        '~~~\n',
        '字',
        'a',
      ],
    )
    const texts = fc.array(bits, { maxLength: 30 }).map((list) => list.join(''))
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), (text, lengths) => {
        const { markdown } = streamed(text, lengths)
        expect(markdown).not.toMatch(ANGLE)
        expect(outsideCode(markdown)).not.toMatch(CLICKABLE)
      }),
      { numRuns: propertyRuns({ test: 1000, chaos: 3000 }) },
    )
  })

  test('takes about linear time', () => {
    for (const unit of [
      '[',
      '`',
      '<',
      '[a](',
      '*a',
      '**a',
      '~~a',
      '**a** ',
      '<https://a|b ',
      '&rarr;',
      'a ',
      '\n',
      'https://evil.example/',
      '[]',
      '``` ',
    ]) {
      const text = unit.repeat(30_000 / unit.length)
      expect(
        cpuSeconds(() => streamed(text, [400]), 2),
        unit,
      ).toBeLessThan(2)
    }
  })
})

/** Returns the text without code as CommonMark defines it: fenced blocks first, then spans within a paragraph. */
function outsideCode(markdown: string): string {
  const prose: string[] = []
  let fence = ''
  for (const line of markdown.split('\n')) {
    const [, mark = ''] = /^ {0,3}(`{3,})[^`]*$/.exec(line) ?? []
    if (fence === '' && mark === '') prose.push(line)
    else if (fence === '') [fence] = [mark]
    else if (/^ {0,3}`{3,}\s*$/.test(line) && mark.length >= fence.length) fence = ''
    if (fence !== '' || mark !== '') prose.push('')
  }
  const spans = /(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[^])*?(?<!`)\1(?!`)/g
  return prose.join('\n').replace(spans, ' ')
}
