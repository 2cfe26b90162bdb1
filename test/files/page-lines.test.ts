/** Web pages as a reader sees them: columns, raised digits, controls, numbers and targets. */
import { expect, test } from 'vitest'
import { parseHtml } from '../../src/files/parsers/html-lines.ts'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import type { ParsedFile } from '../../src/files/types.ts'

function page(html: string): ParsedFile {
  return parseHtml({ kind: 'html', name: 'a.html', bytes: Buffer.from(html), encoding: 'utf-8', limits: PARSE_LIMITS })
}
const textOf = (html: string) => page(html).sections[0]?.text

test.each([
  ['an empty first cell', '<tr><th><th>2023<th>2024<tr><td>North<td>11<td>12', '| 2023 | 2024\nNorth | 11 | 12'],
  ['an empty cell', '<tr><td>a</td><td></td><td>b</td></tr>', 'a |  | b'],
  [
    'rowspan',
    '<tr><td>R<td>P<td>U</tr><tr><td rowspan=2>EU<td>x<td>1</tr><tr><td>y<td>2</tr><tr><td>US<td>z<td>3</tr>',
    'R | P | U\nEU | x | 1\nEU | y | 2\nUS | z | 3',
  ],
  [
    'colspan',
    '<tr><td><td colspan=2>2023<td>2024</tr><tr><td>N<td>1<td>2<td>3</tr>',
    '| 2023 | 2023 | 2024\nN | 1 | 2 | 3',
  ],
  [
    'both',
    '<tr><td rowspan=2 colspan=2>A<td>b</tr><tr><td>c</tr><tr><td>1<td>2<td>3</tr>',
    'A | A | b\nA | A | c\n1 | 2 | 3',
  ],
  ['missing cells', '<tr><td>a<td>b<td>c</tr><tr><td>d</tr>', 'a | b | c\nd |  |'],
  ['a table in a cell', '<tr><td>A<td>in<table><tr><td>1<td>2</table><td>C</tr>', 'A | in | C\n1 | 2'],
])('a row has a cell for every column: %s', (_, rows, lines) => {
  expect(textOf(`<table>${rows}</table>`)).toBe(lines)
})

test.each([
  ['10<sup>6</sup> units', '10⁶ units'],
  ['412<sup>2</sup> million', '412² million'],
  ['10<sup>-6</sup> H<sub>2</sub>O', '10⁻⁶ H₂O'],
  ['2<sup>n+1</sup> and 5<sup>1/2</sup>', '2ⁿ⁺¹ and 5^(1/2)'],
  ['the 21<sup>st</sup>, see<sup>[3]</sup>', 'the 21st, see[3]'],
])('raised and lowered digits are no digits of the number before: %s', (html, text) => {
  expect(textOf(`<p>${html}</p>`)).toBe(text)
})

test.each([
  ['<input type=checkbox checked> yes <input type=radio> no', '☒ yes ☐ no'],
  ['Name: <input value="Ann Lee"><input type=hidden value=token>', 'Name: Ann Lee'],
  ['<select><option>a<option selected>b</select> of <select><option>c<option>d</select>', 'b of c'],
  ['Note: <textarea>two words</textarea>', 'Note: two words'],
  ['<img alt="Sales by month"><img>', '[Image: Sales by month]'],
  ['<ol start=3><li>c<li value=9>i<li>j</ol>', '3. c\n9. i\n10. j'],
  ['<ol type=i><li>one<li>two</ol><ul><li>dot</ul>', 'i. one\nii. two\n- dot'],
  ['costs <del>10</del> 12', 'costs ~~10~~ 12'],
  [
    'see <a href="https://a.example/x">the page</a> or <a href="#top">top</a>',
    'see the page (https://a.example/x) or top',
  ],
])('a page keeps what its controls, pictures, lists and links say: %s', (html, text) => {
  expect(textOf(html)).toBe(text)
})

test('an equation that cannot be read leaves its place, and a note', () => {
  const file = page(
    '<p>The fee is <math><mroot><mi>P</mi><mn>3</mn></mroot></math> per year, <math alttext="a+b"></math>.</p>',
  )
  expect(file.sections[0]?.text).toBe('The fee is [equation] per year, a+b .')
  expect(file.notes).toEqual(['Not read: 1 equation.'])
})

test('a table that claims to be wide and long is read in time, and bounded', () => {
  const rows = '<tr><td colspan=1000 rowspan=65534>x<td rowspan=0>y'.repeat(20_000)
  expect(page(`<table>${rows}</table>`).sections[0]!.text.length).toBeLessThanOrEqual(PARSE_LIMITS.maxChars)
})

test.each([
  [
    '<table><tr><td>Before <table><tr><td>n1</td><td>n2</td></tr></table> After</td><td>B</td></tr><tr><td>C</td><td>D</td></tr></table>End',
    ['Before | B', 'n1 | n2', 'After', 'C | D', '', 'End'],
  ],
  [
    '<table><tr><td>Hi <table><tr><td>a<table><tr><td>deep</td></tr></table>b</td></tr></table> mid <table><tr><td>z</td></tr></table> end</td></tr></table>',
    ['Hi', 'a', 'deep', 'b', 'mid', 'z', 'end'],
  ],
  [
    '<table><tr><td><table><tr><td><p>One</p><p>Two</p></td></tr></table><p>Three</p></td></tr><tr><td>Four</td></tr></table>',
    ['One Two', 'Three', 'Four'],
  ],
])('the text behind a table in a cell follows the rows of that table: %s', (html, lines) => {
  expect(textOf(html)?.split('\n')).toEqual(lines)
})

const tex = (text: string) =>
  `<semantics><mi>?</mi><annotation encoding="application/x-tex">${text}</annotation></semantics>`

test.each([
  ['a fraction', '<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>', '(a+b)/(2)'],
  ['a power', '<math><msup><mi>x</mi><mn>2</mn></msup></math>', 'x^(2)'],
  [
    'a sum',
    '<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msqrt><mi>i</mi></msqrt></math>',
    '∑_(i)^(n)√(i)',
  ],
  ['TeX', `<math>${tex('\\frac{y}{2}')}</math>`, '\\frac{y}{2}'],
  ['a style that raises', '10<span style="vertical-align: super; color: red">6</span>', '10⁶'],
  ['a style that strikes', '<span style="text-decoration: line-through">old</span> new', '~~old~~ new'],
  ['an exponent without digits', 'E<sup>a+b</sup>, 5<sup>th</sup>', 'E^(a+b), 5th'],
  ['a reference with a target', '99<sup><a href="https://e.example/x">[3]</a></sup>', '99[3] (https://e.example/x)'],
  ['the reading of a word', '<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>', '東京 (とうきょう)'],
  ['values beside each other', '<meter>3/10</meter><output>42</output>', '3/10 42'],
  ['a soft hyphen', 'soft\u00adhyphen', 'softhyphen'],
])('a page keeps %s', (_, html, text) => {
  expect(page(`<p>${html}</p>`).sections[0]?.text.trim()).toBe(text)
})

test('a reversed list has its numbers only if it says where it begins', () => {
  expect(page('<ol reversed><li>a<li>b</ol><ol reversed start=2><li>c<li>d</ol>').sections[0]?.text).toBe(
    '- a\n- b\n2. c\n1. d',
  )
})
