/** Markdown beside CJK letters and punctuation, Slack's own links, and HTML's entities in answers. */
import { expect, test } from 'vitest'
import { answerContents } from '../../src/slack/format/answer-messages.ts'
import { answer } from '../harness/slack-content.ts'

test.each([
  [
    '**重要：**この操作は元に戻せません。次に**「設定」**を開いてください。',
    '*重要：*この操作は元に戻せません。次に*「設定」*を開いてください。',
  ],
  ['**"확인"**을 누르세요', '*"확인"*을 누르세요'],
  ['**変更はありません。**続けて', '*変更はありません。*続けて'],
  ['~~削除。~~次の文と~~「旧」~~です', '~削除。~次の文と~「旧」~です'],
  ['*（注）*本文', '_（注）_本文'],
  ['他の*「語」*と*（注）*本文', '他の_「語」_と_（注）_本文'],
  ['**"quoted"**text', '*"quoted"*text'],
  ['**O**bjectives and **K**ey **R**esults', '*O*bjectives and *K*ey *R*esults'],
  ['**Note:**text, **(a)**b', '*Note:*text, *(a)*b'],
  ['**bold *nested* text** and 2**3**4', '*bold _nested_ text* and 2**3**4'],
  ['**a `**` b** c', '*a `**` b* c'],
  ['a ** b **c** d', 'a ** b *c* d'],
  ['- **値：**5\n- **合計**50件', '• *値：*5\n• *合計*50件'],
  ['un**believ**able', 'un*believ*able'],
  ['Das ist**(wichtig)**hier, **5.**Punkt', 'Das ist*(wichtig)*hier, *5.*Punkt'],
  ['x**y**z, 2**(n+1)**3, a*b*c, 2*3*4', 'x**y**z, 2**(n+1)**3, a*b*c, 2*3*4'],
  ['***「両方」***です', '_*「両方」*_です'],
])('%s', (markdown, expected) => {
  expect(answer(markdown).join('\n').replaceAll('\u200b', '')).toBe(expected)
})

test.each([
  ['&rarr; &le; &times; &mdash; &hellip; &copy; &eacute;a&nbsp;x', '→ ≤ × — … © éa x'],
  ['&Omega;&omega; &Auml; &euro;5 &frac12; &check;', 'Ωω Ä €5 ½ ✓'],
  ['AT&T; &amp;rarr; `&rarr;` &unknown;', 'AT&amp;T; &amp;rarr; `&amp;rarr;` &amp;unknown;'],
  ['&#8594; &#x2192;', '→ →'],
  ['&lt;!channel&gt;', '&lt;!channel&gt;'],
])('%s', (markdown, expected) => {
  expect(answer(markdown).join('\n')).toBe(expected)
})

test.each([
  ['See <https://example.com/hb|the handbook>.', 'See <https://example.com/hb|the handbook>.'],
  ['See <https://other.example/hb?d=1|the handbook>.', 'See the handbook (`https://other.example/hb?d=1`).'],
  ['See <https://example.com/hb|bank.example>.', 'See `bank.example` (<https://example.com/hb>).'],
  [
    'See <https://example.com/hb|a|b> and <https://example.com/hb|>.',
    'See <https://example.com/hb|a¦b> and <https://example.com/hb>.',
  ],
  ['（https://example.com/hb）を見る', '（<https://example.com/hb>）を見る'],
  ['参照：https://example.com/hb。次', '参照：<https://example.com/hb>。次'],
  ['`<https://example.com/hb|x>`', '`&lt;https://example.com/hb|x&gt;`'],
  ['<!channel|x> <@U123|bob>', '&lt;!channel|x&gt; &lt;@U123|bob&gt;'],
])('%s', (markdown, expected) => {
  expect(answer(markdown).join('\n')).toBe(expected)
})

test('the cells of a table read marks and links as prose does, also a link whose bar is not escaped', () => {
  const table = [
    '| a | b |',
    '|---|---|',
    '| <https://example.com/hb|the handbook> | **重要：**この |',
    '| <https://other.example/hb|x> | `a\\|b` &rarr; |',
  ].join('\n')
  const [content] = answerContents({
    text: table,
    sources: [],
    question: 'q',
    allowedHosts: ['example.com'],
    footer: '',
  })
  const rows = content?.blocks.flatMap((block) => (block.type === 'data_table' ? block.rows : [])) ?? []
  const words = rows.map((row) =>
    row.map((cell) =>
      cell.type === 'rich_text'
        ? cell.elements.flatMap(({ elements }) =>
            elements.map((one) =>
              one.type === 'link' ? `[${one.text}](${one.url})` : one.type === 'text' ? one.text : '',
            ),
          )
        : [cell.text],
    ),
  )
  expect(JSON.parse(JSON.stringify(words).replaceAll('\u200b', ''))).toEqual([
    [['a'], ['b']],
    [['[the handbook](https://example.com/hb)'], ['重要：この']],
    [['x (https://other.example/hb)'], ['a|b →']],
  ])
})
