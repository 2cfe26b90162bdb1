/** What a web page is read as: its text, or a sentence about the wall that stands in its place. */
import { describe, expect, test } from 'vitest'
import { PARSE_LIMITS } from '../../src/files/parse-file.ts'
import { parseWebPage } from '../../src/files/parsers/web-page.ts'

const WORDS = 'The lighthouse was built in 1871 by Ada Meyer, and its lamp is 42 metres above the sea. '

function readPage(html: string, { address = 'https://news.example/story', isWhole = false } = {}) {
  const bytes = new TextEncoder().encode(html)
  const page = { address, isWhole }
  const file = parseWebPage({ kind: 'html', name: 'page.html', bytes, encoding: 'utf-8', limits: PARSE_LIMITS, page })
  return { ...file, text: file.sections.map(({ text }) => text).join('\n') }
}

const page = (body: string, head = '') => `<!doctype html><html><head>${head}</head><body>${body}</body></html>`
const titled = (title: string, body: string) => page(body, `<title>${title}</title>`)
const FOOTER = `<footer>${'<a href="/x">Imprint and terms of use</a> '.repeat(30)}</footer>`
const BUNDLE = '<script src="/assets/app.js"></script>'

describe('a login page', () => {
  test.each([
    ['a password', page('<form><h1>Welcome</h1><input name=u><input type=password><button>Go</button></form>')],
    ['in upper case', page('<FORM><INPUT TYPE="PASSWORD"></FORM>')],
    ['with a long footer', page(`<form><input type=password></form>${FOOTER}`)],
    [
      'with some words',
      page(`<h1>Intranet</h1><p>Please use your staff account.</p><form><input type=password></form>`),
    ],
    [
      'of two steps',
      titled('Sign in – Example', '<h1>Sign in</h1><form><input type=email><button>Next</button></form>'),
    ],
    ['of a provider', titled('Log in', '<p>Log in to Example</p><a href="/g">Log in with Google</a>')],
    ['in German', titled('Anmelden', '<h1>Anmelden</h1><form><input name="username"><button>Weiter</button></form>')],
    ['in French', titled('Connexion', '<form><input name="email"><button>Se connecter</button></form>')],
    ['in Spanish', titled('Iniciar sesión', '<h1>Iniciar sesión</h1><form><input name="user"></form>')],
    ['in Portuguese', titled('Entrar', '<form><input type=email><button>Entrar</button></form>')],
    ['in Italian', titled('Accedi', '<form><input type=email><button>Accedi</button></form>')],
    ['in Dutch', titled('Inloggen', '<form><input type=email><button>Verder</button></form>')],
    ['in Polish', titled('Zaloguj się', '<form><input type=email></form>')],
    ['in Russian', titled('Вход', '<h1>Войти</h1><form><input name=login></form>')],
    ['in Japanese', titled('ログイン', '<form><input name="email"><button>ログイン</button></form>')],
    ['in Chinese', titled('登录', '<form><input name="account"></form>')],
  ])('is told: %s', (_, html) => expect(() => readPage(html)).toThrow('This is a login page'))

  test('is told by its address', () => {
    const html = titled('Sign in to your account', `${BUNDLE}<div>Loading</div>`)
    expect(() => readPage(html, { address: 'https://login.example.com/common/oauth2/authorize' })).toThrow('login page')
  })

  test.each([
    ['a text beside a login', page(`<form><input type=password></form><article><p>${WORDS.repeat(6)}</p></article>`)],
    ['a short text with a link to log in', page(`<nav><a href="/login">Log in</a></nav><p>${WORDS}</p>`)],
    ['a text about it', titled('How to log in', `<h1>How to log in</h1><p>${WORDS.repeat(4)}</p>`)],
  ])('is not %s', (_, html) => expect(readPage(html).text).toContain('Ada Meyer'))
})

describe('a question for consent', () => {
  test.each([
    ['short', page('<p>Please accept all cookies to go on.</p>')],
    [
      'of partners',
      page(`<h1>We value your privacy</h1><p>We and our 842 partners store and access cookies on your device
      to show personalised ads. You can change your choice at any time in the settings.</p><button>Accept all</button>`),
    ],
    [
      'with a list',
      page(`<p>When you use our sites, we use cookies to:</p><ul><li>provide our sites and apps to you
      <li>measure your use of our sites</ul><p>We and our partners store data.</p><button>Accept all</button>`),
    ],
    ['before a page', titled('Before you continue', '<h1>Before you continue to Example</h1><a href=x>Reject all</a>')],
    [
      'in German',
      page(`<h1>Willkommen</h1><p>Mit Werbung und Cookies weiterlesen: Sie stimmen der Verarbeitung Ihrer Daten
      durch Partner zu.</p><button>Alle akzeptieren</button><a href="/i">Impressum</a>`),
    ],
    ['in French', page('<p>Nous utilisons des cookies et des traceurs.</p><button>Tout accepter</button>')],
    ['in Spanish', page('<p>Usamos cookies propias y de terceros.</p><button>Aceptar todo</button>')],
    ['in Italian', page('<p>Usiamo i cookie per la tua privacy.</p><button>Accetta tutti</button>')],
    ['in Dutch', page('<p>Wij gebruiken cookies.</p><button>Akkoord</button>')],
    ['in Japanese', page('<p>当サイトはクッキーを使用します。</p><button>同意する</button>')],
  ])('is told: %s', (_, html) => expect(() => readPage(html)).toThrow('only asks for consent to cookies'))

  test.each([
    [
      'a banner below a short text',
      page(`<main><p>${WORDS}</p></main><div>We use cookies. <button>Accept</button></div>`),
    ],
    [
      'a text about cookies',
      page(`<article><p>${'Cookies need consent in the EU, and people accept them. '.repeat(60)}
      Ada Meyer</p></article>`),
    ],
  ])('is not %s', (_, html) => expect(readPage(html).text).toContain('Ada Meyer'))
})

describe('an empty application', () => {
  test.each([
    ['with a root', page(`<div id="root"></div>${BUNDLE}`)],
    ['of Next', page(`<div id="__next"><div class="spinner"></div></div>${BUNDLE}`)],
    ['of Vue', page(`<div id=app>Loading…</div>${BUNDLE}`)],
    ['without a root', page(`<my-shell></my-shell>${BUNDLE}`)],
    ['that is loading', page(`<p>Please wait...</p>${BUNDLE}`)],
    ['in German', page(`<p>Wird geladen …</p>${BUNDLE}`)],
    ['that says it', page('<p>You need to enable JavaScript to run this app.</p>')],
    ['that says it aside', page('<noscript>You need to enable JavaScript to run this app.</noscript><div></div>')],
    ['that says it in German', page('<p>Bitte aktivieren Sie JavaScript in Ihrem Browser.</p>')],
    ['that says it in French', page('<p>Veuillez activer JavaScript.</p>')],
  ])('is told: %s', (_, html) => expect(() => readPage(html)).toThrow('an application that needs JavaScript'))

  test.each([
    ['a short text with scripts', page(`<p>All systems run. Ada Meyer is on call.</p>${BUNDLE}`)],
    [
      'a page that loads comments',
      page(`<p>${WORDS}</p><noscript>Enable JavaScript for comments.</noscript>${BUNDLE}`),
    ],
    ['a text about it', page('<p>JavaScript was made by Brendan Eich; Ada Meyer was not there.</p>')],
  ])('is not %s', (_, html) => expect(readPage(html).text).toContain('Ada Meyer'))
})

describe('a paywall', () => {
  const LIMIT = 'You have reached your free article limit.'
  test.each([
    ...[
      'Subscribe to continue reading.',
      'Already a subscriber? Log in.',
      LIMIT,
      'This story is for subscribers only.',
    ],
    ...['Dieser Artikel ist nur für Abonnenten.', 'Mit NEWS+ weiterlesen', 'Cet article est réservé aux abonnés.'],
    ...['To Read the Full Story', 'Create an account to read the full story.', 'Läs vidare – bli prenumerant'],
    ...['Il vous reste 80% de cet article à lire.', 'Suscríbete para seguir leyendo', 'Riservato agli abbonati'],
    ...['Conteúdo exclusivo para assinantes', 'Alleen voor abonnees', 'Для подписчиков', 'この記事は有料会員限定です'],
  ])('is told: %s', (words) => {
    expect(() => readPage(page(`<h1>The lamp</h1><p>The lamp was lit …</p><p>${words}</p>`))).toThrow(
      'behind a paywall',
    )
    expect(readPage(page(`<article><p>${WORDS.repeat(9)}</p><p>${words}</p></article>`))).toMatchObject({
      text: expect.stringContaining('Ada Meyer'),
      notes: [expect.stringContaining('only subscribers can read all of it')],
    })
  })

  test('is told by what the page says for programs', () => {
    const data = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'
    expect(() => readPage(page('<p>The lamp was lit by a woman …</p>', data))).toThrow('behind a paywall')
  })

  test('is not a text with words about a newsletter', () => {
    const file = readPage(page(`<article><p>${WORDS.repeat(9)}</p><p>Subscribe to our newsletter.</p></article>`))
    expect(file.notes ?? []).toEqual([])
  })
})

test.each([
  ['Cloudflare', titled('Just a moment...', '<p>Checking your browser before accessing news.example.</p>')],
  ['a captcha', page('<h1>Are you a human?</h1><div class="g-recaptcha"></div>')],
  ['in German', page('<h1>Sind Sie ein Mensch?</h1><p>Bitte lösen Sie das Captcha.</p>')],
])('a check for people is told: %s', (_, html) =>
  expect(() => readPage(html)).toThrow('a proof that a person reads it'),
)

test('a site that denies access with a page is told', () => {
  const html = titled('Access Denied', '<h1>Access Denied</h1><p>You don’t have permission. Reference #18.2d35</p>')
  expect(() => readPage(html)).toThrow('The site denies access to this page.')
})

test('links around headings and blocks keep their addresses', () => {
  const card = (n: number) => `<a href="/story/${n}"><div><h3>Story ${n} of the day</h3><p>It is long.</p></div></a>`
  const { text } = readPage(page(`<main>${[1, 2, 3].map(card).join('')}</main>`), { isWhole: true })
  expect(text).toContain('### Story 2 of the day (https://news.example/story/2)')
  expect(text.match(/story\/2\)/g)).toHaveLength(1)
})

test.each([
  ['a property', '<meta property="article:published_time" content="2026-03-01T09:00:00Z">', '2026-03-01T09:00:00Z'],
  ['a name', '<meta name="DC.date.issued" content="2026-03-01">', '2026-03-01'],
  ['another', '<meta name="citation_publication_date" content="2026/03/01">', '2026/03/01'],
  ['data', '<script type="application/ld+json">{"datePublished" : "2026-03-01"}</script>', '2026-03-01'],
  ['no date', '<meta name="viewport" content="width">', undefined],
])('a page’s date is read from %s', (_, head, published) => {
  expect(readPage(page(`<article><p>${WORDS.repeat(3)}</p></article>`, head)).published).toBe(published)
})

test('a page’s date is the first time in its article, if it says no other', () => {
  const times = '<time datetime="2026-03-01">1 March</time> <time datetime="2026-04-01">changed</time>'
  const html = page(`<time datetime="2020-01-01">now</time><article>${times}<p>${WORDS.repeat(3)}</p></article>`)
  expect(readPage(html).published).toBe('2026-03-01')
})
