import { build } from 'esbuild'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PAGE } from '../../playground/page-server/page-bundle.ts'
import { startPage, type PageServer as ServedPage } from '../../playground/page-server/page-server.ts'
import { startLocalSlack, type LocalSlack } from '../../playground/slack/slack.ts'
import { describeWithChromium, sharedChromium } from '../harness/chromium.ts'

/** Returns the page's modules that read texts, bundled. */
async function readers(): Promise<string> {
  const contents = ['mrkdwn', 'draw-markdown', 'emoji'].map((name) => `export * from './${name}.js'`).join('\n')
  const stdin = { contents, resolveDir: PAGE }
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false })
  return outputFiles[0]?.text ?? ''
}

/** Reads a text with the page's own modules in Chromium. Returns the result. */
describeWithChromium('the page’s readers of text', () => {
  let slack: LocalSlack
  let served: ServedPage
  let tab: Page
  beforeAll(async () => {
    slack = await startLocalSlack()
    served = await startPage(slack, { port: 0, notes: { model: 'none', isDemo: false, notes: [], examples: [] } })
    tab = await (await sharedChromium()).newPage()
    const body = await readers()
    await tab.route('**/readers.js', (route) => route.fulfill({ contentType: 'text/javascript', body }))
    await tab.goto(served.url)
    await tab.evaluate(`import('/readers.js').then(({ loadEmoji }) => loadEmoji())`)
  })
  afterAll(async () => {
    await tab.close()
    await served.close()
    await slack.close()
  })

  const MRKDWN = `async (text) => {
    const { mrkdwn } = await import('/readers.js')
    const names = { user: (id) => ({ U1: 'Ann' })[id] ?? id, channel: (id) => ({ C1: 'general' })[id] ?? id }
    const box = document.createElement('div')
    box.append(...mrkdwn(text, names))
    return [box.innerHTML, box.textContent]
  }`
  const MARKDOWN = `async (text) => {
    const { markdown } = await import('/readers.js')
    const box = document.createElement('div')
    box.append(...markdown(text))
    return [box.innerHTML, box.textContent]
  }`

  async function read(reader: string, text: string): Promise<[string, string]> {
    return (await tab.evaluate(`(${reader})(${JSON.stringify(text)})`)) as [string, string]
  }
  const html = async (reader: string, text: string) =>
    (await read(reader, text))[0].replaceAll(' target="_blank" rel="noopener noreferrer"', '')

  test.each([
    ['bold, italic, struck', '*b* _i_ ~s~', '<strong>b</strong> <em>i</em> <s>s</s>'],
    ['marks inside marks', '*_both_*', '<strong><em>both</em></strong>'],
    ['code, in which nothing counts', '`*a* <@U1>`', '<code>*a* &lt;@U1&gt;</code>'],
    ['escapes', '&lt;b&gt; &amp;amp;', '&lt;b&gt; &amp;amp;'],
    ['a mention of a person', '<@U1>', '<span class="mention">@Ann</span>'],
    ['a mention of a channel', '<#C1>', '<span class="mention">#general</span>'],
    ['a broadcast', '<!here>', '<span class="mention">@here</span>'],
    [
      'a link with words',
      '<https://example.org/?a=1&amp;b=2|see &lt;this&gt;>',
      '<a href="https://example.org/?a=1&amp;b=2">see &lt;this&gt;</a>',
    ],
    ['a link without words', '<https://example.org>', '<a href="https://example.org">https://example.org</a>'],
    ['a link in bold', '*<https://example.org|x>*', '<strong><a href="https://example.org">x</a></strong>'],
    [
      'code in bold',
      '*Set `A_*` and `B`*, *`C`*',
      '<strong>Set <code>A_*</code> and <code>B</code></strong>, <strong><code>C</code></strong>',
    ],
    ['a link to a script', '<javascript:alert(1)|x>', '<span>x</span>'],
    ['a quote', '> one\n&gt; two', '<blockquote>one<br>two</blockquote>'],
    ['a fence', '```\n*a*\n```', '<pre><code>*a*</code></pre>'],
    ['line breaks', 'a\nb', 'a<br>b'],
    ['an emoji', ':eyes: :no_such_thing:', '👀 :no_such_thing:'],
    ['stars that mark nothing', '2 * 3 * 4, a*b*c, * x *, **', '2 * 3 * 4, a*b*c, * x *, **'],
    ['an address of mail', '<mailto:a@b.c|mail>', '<a href="mailto:a@b.c">mail</a>'],
  ])('mrkdwn: %s', async (_, text, expected) => {
    expect(await html(MRKDWN, text)).toBe(expected)
  })

  test.each([
    [
      'strong and emphasis',
      '**b** __b__ *i* _i_ ~~s~~',
      '<p><strong>b</strong> <strong>b</strong> <em>i</em> <em>i</em> <s>s</s></p>',
    ],
    ['code', 'a `x **y**` b', '<p>a <code>x **y**</code> b</p>'],
    ['a fence with a language', '```js\nlet x = "<b>"\n```', '<pre><code>let x = "&lt;b&gt;"</code></pre>'],
    [
      'many marks in a fence, as they were written',
      '```diff\n- - - - - - - - - -1\n```\n\n> ~~~\n> 1. 2. 3. 4. 5. 6. 7. 8. 9. 10\n> ~~~',
      '<pre><code>- - - - - - - - - -1</code></pre><blockquote><pre><code>1. 2. 3. 4. 5. 6. 7. 8. 9. 10</code></pre></blockquote>',
    ],
    ['a fence that never ends', '```\ncode', '<pre><code>code</code></pre>'],
    ['a heading', '## Title ##', '<p class="heading"><strong>Title</strong></p>'],
    ['a list in a list', '- a\n  - b\n- c', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>'],
    ['a numbered list', '3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['a quote with strong words', '> **a**', '<blockquote><p><strong>a</strong></p></blockquote>'],
    ['a rule', 'a\n\n---\n\nb', '<p>a</p><hr><p>b</p>'],
    ['a rule of many stars', '* * * * * * * * * *', '<hr>'],
    ['a link', '[a *b*](https://example.org "title")', '<p><a href="https://example.org">a <em>b</em></a></p>'],
    ['a bare link', '<https://example.org>', '<p><a href="https://example.org">https://example.org</a></p>'],
    ['a link to a script', '[a](javascript:alert(1))', '<p><span>a</span></p>'],
    ['an escape', '\\*a\\*', '<p>*a*</p>'],
    ['markup', '<b>bold</b><script>1</script>', '<p>&lt;b&gt;bold&lt;/b&gt;&lt;script&gt;1&lt;/script&gt;</p>'],
    [
      'a table',
      '| a | b |\n|---|:-:|\n| 1 | 2 |',
      '<div class="table"><table><thead><tr><th scope="col">a</th><th class="center" scope="col">b</th></tr></thead><tbody><tr><td>1</td><td class="center">2</td></tr></tbody></table></div>',
    ],
    [
      'a table whose rows are short',
      '|a|b|\n|-|-:|\n|`x`|',
      '<div class="table"><table><thead><tr><th scope="col">a</th><th class="right" scope="col">b</th></tr></thead><tbody><tr><td><code>x</code></td><td class="right"></td></tr></tbody></table></div>',
    ],
    ['a list of tasks', '- [x] a\n- [ ] b', '<ul><li class="todo">☑ a</li><li class="todo">☐ b</li></ul>'],
    ['a list of paragraphs', '1. a\n\n   b\n2. c', '<ol><li><p>a</p><p>b</p></li><li><p>c</p></li></ol>'],
    [
      'a quote in a list, a list in a quote',
      '- > a\n\n> - b',
      '<ul><li><blockquote><p>a</p></blockquote></li></ul><blockquote><ul><li>b</li></ul></blockquote>',
    ],
    ['every line of a paragraph', 'a\nb  \nc', '<p>a<br>b<br>c</p>'],
    ['a title with a line under it', 'Title\n===', '<p class="heading"><strong>Title</strong></p>'],
    ['a link by its number', '[a][1]\n\n[1]: https://example.org', '<p><a href="https://example.org">a</a></p>'],
    ['a link without words', '[](https://example.org)', '<p><a href="https://example.org">https://example.org</a></p>'],
    [
      'an address',
      'at https://example.org/:eyes:/a.',
      '<p>at <a href="https://example.org/:eyes:/a">https://example.org/:eyes:/a</a>.</p>',
    ],
    [
      'a picture, which is not loaded',
      '![a](https://example.org/a.png)',
      '<p><a href="https://example.org/a.png">🖼 a</a></p>',
    ],
    [
      'a picture in a link, in which there is no other',
      '[![a](https://example.org/a.png) https://example.org/b](https://example.org)',
      '<p><a href="https://example.org">🖼 a https://example.org/b</a></p>',
    ],
    ['an emoji', '**:eyes:** :white_check_mark: `:eyes:`', '<p><strong>👀</strong> ✅ <code>:eyes:</code></p>'],
    ['what Slack escapes', '&lt;!channel&gt; &amp;lt;', '<p>&lt;!channel&gt; &amp;lt;</p>'],
    [
      'markup over lines, and Markdown in it',
      '<div>\n**a**\n</div>',
      '<p>&lt;div&gt;<br><strong>a</strong><br>&lt;/div&gt;</p>',
    ],
    ['words with underscores', 'snake_case_name and 2*3*4', '<p>snake_case_name and 2*3*4</p>'],
  ])('markdown: %s', async (_, text, expected) => {
    expect(await html(MARKDOWN, text)).toBe(expected)
  })

  test('any text becomes only elements of a message', async () => {
    const pieces = [
      '<',
      '>',
      '&lt;',
      '*',
      '_',
      '~',
      '`',
      '```',
      '|',
      '\n',
      '[',
      '](',
      ')',
      '"',
      '<img src=x>',
      '<@U1',
      'javascript:',
      '# ',
      '- ',
      '1. ',
      ' ',
      'a',
      '</p>',
      '\\',
      '|-|',
    ]
    const ALLOWED = new Set(
      'A BLOCKQUOTE BR CODE DIV EM HR LI OL P PRE S SPAN STRONG TABLE TBODY TD TH THEAD TR UL'.split(' '),
    )
    const tagsOf = `async (text) => {
      const { mrkdwn } = await import('/readers.js')
      const { markdown } = await import('/readers.js')
      const box = document.createElement('div')
      box.append(...mrkdwn(text, { user: String, channel: String }), ...markdown(text))
      const all = [...box.querySelectorAll('*')]
      return [all.map((one) => one.tagName), all.filter((one) => one.hasAttribute('onerror') || /^javascript/i.test(one.getAttribute('href') ?? '')).length]
    }`
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((list) => list.join(''))
    await fc.assert(
      fc.asyncProperty(text, async (words) => {
        const [tags, bad] = (await tab.evaluate(`(${tagsOf})(${JSON.stringify(words)})`)) as [string[], number]
        expect(tags.filter((tag) => !ALLOWED.has(tag))).toEqual([])
        expect(bad).toBe(0)
      }),
      { numRuns: 150 },
    )
  })

  test('no text of a message’s length delays the page', async () => {
    for (const piece of [
      '*',
      '*a ',
      '_a_b',
      '*a`',
      '*`_` ',
      '~',
      '`',
      '``` ',
      '<',
      '<a ',
      '[',
      '[a](',
      '**a ',
      '> ',
      '- ',
      '# ',
      '#',
      '| ',
      '\\',
      '<https://a',
      ':a',
      ' ',
      '\n',
      '~~a ',
      '1. a\n',
      '> - > - > - > - a\nb\n',
      `${'- '.repeat(5990)}x\ny`,
      '> > > > > > > > ```\ny\n',
      '|a|b|\n|-|-|\n',
      '_*_a ',
      '![](',
      '<!--',
      'a@b.c',
    ]) {
      const text = piece.repeat(Math.ceil(12_000 / piece.length))
      for (const reader of [MRKDWN, MARKDOWN]) {
        const start = performance.now()
        await read(reader, text)
        expect(performance.now() - start, piece).toBeLessThan(15_000)
      }
    }
  })

  test.each([
    ['quotes and lists in one another', '> - '.repeat(3000), { 'blockquote, li': 8 }],
    ['the marks of a paragraph', '*a* '.repeat(3000), { em: 0 }],
    ['more characters than Slack takes', 'abc\n\n'.repeat(3000), { p: 2400 }],
    [
      'a wide head over many short rows',
      `${'|a'.repeat(1500)}\n${'|-'.repeat(1500)}\n${'|\n'.repeat(3000)}`,
      { td: 0 },
    ],
  ])('markdown: %s are read so far and no further', async (_, text, most) => {
    const count = `(html, elements) => new DOMParser().parseFromString(html, 'text/html').querySelectorAll(elements).length`
    const [drawn, words] = await read(MARKDOWN, text)
    for (const [elements, times] of Object.entries(most))
      expect(await tab.evaluate(`(${count})(${JSON.stringify(drawn)}, ${JSON.stringify(elements)})`)).toBe(times)
    expect(words.length).toBeGreaterThan(text.replaceAll('\n', '').length - 100)
  })
})
