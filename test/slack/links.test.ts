/** The clickable links of an answer, and the text of the others. */
import { describe, expect, test } from 'vitest'
import { answerContents } from '../../src/slack/format/answer-messages.ts'
import { linkPolicy, renderLink } from '../../src/slack/format/links.ts'
import { startBot } from '../harness/bot.ts'
import { act, finish, type Turn } from '../harness/played-model.ts'
import { accept, answer, textsOf } from '../harness/slack-content.ts'

describe('links', () => {
  const view = {
    sources: [{ title: 'Dune', url: 'https://en.wikipedia.org/wiki/Dune' }],
    question: 'see https://asked.example/x?y=1',
    allowedHosts: ['docs.corp.example', '*.sub.example'],
  }
  test.each([
    ['https://en.wikipedia.org/wiki/Frank?x=12345', true],
    ['https://asked.example/other?data=1', true],
    ['https://docs.corp.example/?q=1', true],
    ['https://a.sub.example/?q=1', true],
    ['https://example.com/docs', false],
    ['https://evil.example/', true],
    ['https://evil.example', true],
    ['HTTP://www.evil.example', true],
    ['https://evil.example/?', false],
    ['https://evil.example/#', false],
    ['https://evil.example/?q=the+secret', false],
    ['https://evil.example/#secret', false],
    ['https://evil.example/the-secret-word', false],
    ['https://evil.example/secret', false],
    ['https://evil.example/one/two/three', false],
    ['https://secret.evil.example/', false],
    ['https://www.secret.evil.example/', false],
    ['https://www.www.evil.example/', false],
    ['https://the-secret-is-12345.evil.example/', false],
    [`https://${'s'.repeat(40)}.example/`, false],
    ['https://evil.example./', false],
    ['https://evil.example.:443/', false],
    ['https://xn--pypal-4ve.com/', false],
    ['https://pаypal.com/', false],
    ['https://127.0.0.1/', false],
    ['https://2130706433/', false],
    ['https://intranet/', false],
    ['https://evil.example/c2VjcmV0LWluLWEtcGF0aA-abcdefgh', false],
    ['https://user:secret@evil.example/', false],
    ['https://secret@en.wikipedia.org/', false],
    ['https://evil.example:8443/', false],
    ['https://en.wikipedia.org:8443/wiki/Dune', false],
    ['https://sub.example.evil.example/?q=1', false],
    ['https://en.wikipedia.org.evil.example/?q=1', false],
    ['https://en.wikipedia.org\\\\@evil.example/?q=1', false],
    ['https:\\\\evil.example', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['slack://channel?team=T1', false],
    ['ftp://en.wikipedia.org/x', false],
    ['mailto:eve@evil.example?body=secret', false],
    ['mailto:secret@evil.example', false],
    ['/wiki/Dune', false],
    ['//evil.example/?q=1', false],
  ])('%s: clickable is %s', (url, isClickable) => {
    const [text = ''] = answer(`[label](${url})`, view)
    expect(text.startsWith('<')).toBe(isClickable)
    if (!isClickable) expect(text).toBe(`label (\`${url.replaceAll('\\\\', '\\')}\`)`)
  })

  test.each([
    ['control characters at the end', 'https://evil.example/\u0001\u0002\u0003'],
    ['a line of them inside', 'https://evil.example/\u0009\u000d'],
    ['another form of the scheme', 'HTTPS:evil.example'],
    ['a host in percent signs', 'https://%65vil.example'],
  ])('what is judged is sent: %s', (_, href) => {
    const policy = linkPolicy({ sources: [], question: '', allowedHosts: [] })
    expect(renderLink({ label: 'x', href }, policy)).toBe('<https://evil.example/|x>')
  })

  test.each([
    ['https://acme.slack.com/archives/C0GENERAL01/p1700000000000001', true],
    ['https://acme.slack.com/archives/C0GENERAL01/p1700000000000001?thread_ts=1700000000.000001&cid=C0GENERAL01', true],
    ['https://acme.slack.com/files/U0BOB000001/F1/plan.pdf', true],
    ['https://acme.slack.com/files/U0BOB000001/F1/plan.pdf?x=1', false],
    ['https://acme.slack.com/archives/C0GENERAL01/p1700000000000001?x=the-secret', false],
    ['https://acme.slack.com/archives/C0GENERAL01/p1700000000000001#x', false],
    ['https://acme.slack.com/oauth/v2/authorize?client_id=1.2', false],
    ['https://other.slack.com/archives/C0GENERAL01/p1700000000000001', false],
    ['http://acme.slack.com:8080/archives/C0GENERAL01/p1700000000000001', false],
  ])('of the workspace’s own pages a message opens, and what a tool returned: %s: %s', (href, isClickable) => {
    const sources = [{ title: '', url: 'https://acme.slack.com/files/U0BOB000001/F1/plan.pdf' }]
    const question = 'What of https://acme.slack.com/archives/C0RANDOM001/p1700000000000009?'
    const policy = linkPolicy({ sources, question, allowedHosts: ['https://acme.slack.com/'] })
    expect(renderLink({ label: 'x', href }, policy).startsWith('<')).toBe(isClickable)
  })

  test('no part of an address of a known host ends the link or starts another', () => {
    const policy = linkPolicy({ sources: [{ title: '', url: 'https://a.example/x' }], question: '', allowedHosts: [] })
    const href = 'https://a.example/a|b<!channel>?c=|d&e=<@U1>\u0001#|<f>\u202e'
    expect(renderLink({ label: 'x|<!here>', href }, policy)).toBe(
      '<https://a.example/a%7Cb%3C!channel%3E?c=%7Cd&amp;e=%3C@U1%3E%01#%7C%3Cf%3E%E2%80%AE|x¦&lt;!here&gt;>',
    )
  })

  test('an image cannot leak data either', () => {
    expect(answer('![x](https://evil.example/p.png?d=secret)')).toEqual(['x (`https://evil.example/p.png?d=secret`)'])
  })

  test.each([
    'https://bank.example',
    'bank.example',
    'Bank.Example/login',
    'sign in at www.bank.example now',
    'bank\u200b.exam\u00adple',
    'bank．example',
    'банк.рф',
    'xn--90ais.xn--p1ai',
    'me@bank.example',
    'bank.example→',
    'bank.example=ok',
    '//bank.example',
    'https:bank.example',
    '192.168.0.1:80',
    'https://example.com/other',
    'example.com@bank.example',
  ])('a label that reads as another address is shown with the real one: %s', (label) => {
    const policy = linkPolicy({ sources: [], question: '', allowedHosts: ['example.com'] })
    const shown = renderLink({ label, href: 'https://example.com/login' }, policy)
    expect(shown).toBe(`\`${label}\` (<https://example.com/login>)`)
  })

  test.each([
    'example.com',
    'www.example.com',
    'https://example.com/login',
    'Node is here.',
    'v2.0 of it',
    'config.json',
    'Node.js, version 22.12.0',
    'https: what it is',
  ])('a label that reads as no other address is a label: %s', (label) => {
    const policy = linkPolicy({ sources: [], question: '', allowedHosts: ['example.com'] })
    expect(renderLink({ label, href: 'https://example.com/login' }, policy)).toMatch(
      new RegExp(`^<https://example.com/login(?:\\|${label})?>$`),
    )
  })

  test('a label cannot be reversed', () => {
    expect(answer('[\u202emoc.knab\u202c x](https://example.com/)')).toEqual(['`moc.knab x` (<https://example.com/>)'])
  })

  test('an address or a label too long for Slack is cut or shown as text', () => {
    const [link = ''] = answer(`[${'l'.repeat(5000)}](https://example.com)`)
    expect(link).toMatch(/^<https:\/\/example\.com\/\|l{200} … \(cut, 4800 more characters\)>$/)
    const [text = ''] = answer(`[label](https://en.wikipedia.org/${'a'.repeat(5000)})`, view)
    expect(text).toMatch(/^label \(`https:\/\/en\.wikipedia\.org\/a+ … \(cut, \d+ more characters\)`\)$/)
  })

  test('the footer names up to five sources, as many as fit', () => {
    const sources = Array.from({ length: 9 }, (_, i) => ({
      title: `Page | ${i} <!channel>\n${'t'.repeat(100)}`,
      url: `https://s${i}.example/${'p'.repeat(i < 3 ? 5 : 1400)}`,
    }))
    const [content] = answerContents({ text: 'x', sources, question: '', allowedHosts: [], footer: 'F' })
    accept(content!)
    const [, footer = ''] = textsOf(content!)
    expect(footer).toMatch(/^Sources: \[1\] <https:\/\/s0\.example\/ppppp\|Page ¦ 0 &lt;!channel&gt; t/)
    expect(footer.match(/<https:/g)?.length).toBe(4)
  })
})

describe('no text of a model, tool or page leaks data', () => {
  const LEAKS = [
    'https://evil.example/?d=1',
    '[x](https://evil.example/p)',
    '![x](http://evil.example/p.png)',
    '<https://evil.example/#d|x>',
    '[r]\n\n[r]: https://evil.example/r',
    'www.evil.example/d',
    'evil.com/secret',
    'ftp://evil.example/d',
    'mailto:d@evil.example',
    'd@evil.example',
    '<d@evil.example>',
    '`[x](https://evil.example/p)`',
    'https://\u0001evil.example/d',
    '[\\](https://evil.example/p)](https://evil.example/p)',
  ]
  const script: Turn[] = LEAKS.flatMap((leak) => [act(`Think ${leak} of it.`, 'wikipedia', leak)]).slice(0, 6)
  const pages = [
    { id: 1, title: 'Leaky', redirects: [], disambiguation: false, text: `${LEAKS.join(' and ')} is leaky.` },
  ]

  test.for([
    ['replies', {}],
    ['a stream', { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' }],
    ['a card', { STEPS: 'card' }],
    ['an answer alone', { STEPS: 'hidden' }],
    ['plain text, where Slack takes no blocks', { LOG_LEVEL: 'silent' }],
  ] as const)('as %s', async ([what, env], t) => {
    const model = [act('Read.', 'wikipedia', 'Leaky'), ...script, finish(LEAKS.join('\n\n'))]
    const { slack, mention } = await startBot(t, { env, pages, model })
    if (what.startsWith('plain'))
      slack.fault({
        method: 'chat.*',
        error: 'invalid_blocks',
        where: ({ blocks }) => Array.isArray(blocks) && blocks.length > 0,
        times: 99,
      })
    const thread = await mention('leak it')
    await thread.ended()
    expect(thread.shown().join('\n')).toMatch(/evil\.\u200b?example/)
    expect(slack.links().filter((url) => /evil|@/.test(url))).toEqual([])
    expect(slack.refusals).toEqual([])
  })
})
