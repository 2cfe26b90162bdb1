/** An opened entry of the journal: its request, its response, and its actions. */
import { el } from './dom.js'
import { KINDS, threadWords, timeOf } from './inspector-row.js'
import { count, duration } from './run-text.js'

/**
 * @param {object} told the answer of `/journal/entry`: `{ entry, curl, needsToken, whyNotAgain, again, first }`
 * @param {{ open(n): void, again(n): Promise<void>, close(): void, goTo(thread): void }} acts
 */
export function drawEntry(told, acts) {
  const { entry } = told
  const status = el('p.inspector-status', { role: 'status' })
  return [
    el(
      'header.inspector-entry-head',
      {},
      el('h3', { tabindex: -1 }, `${entry.n}. ${KINDS[entry.sort] ?? entry.sort}: ${entry.name}`),
      el(
        'button.icon-button',
        { type: 'button', 'aria-label': 'Close entry', onclick: acts.close },
        el('span', { 'aria-hidden': 'true' }, '✕'),
      ),
    ),
    buttons(told, { ...acts, say: (words) => (status.textContent = words) }),
    status,
    facts(entry, acts),
    ...around(told, acts),
    entry.ok === false && el('p.inspector-error', {}, entry.error ?? 'It failed.'),
    ...answers(told),
    ...bodies(entry),
    told.curl && section('As curl', told.curl, { open: false }),
  ].filter(Boolean)
}

function buttons({ entry, curl, needsToken, whyNotAgain }, { again, say }) {
  const copy = async () => {
    await navigator.clipboard.writeText(curl)
    say(needsToken ? `Copied. It reads the token from your shell: export ${needsToken}` : 'Copied.')
  }
  const send = async () => {
    say('Sending …')
    await again(entry.n)
  }
  const failed = (error) => say(error.message)
  return el(
    'div.inspector-buttons',
    {},
    curl && el('button.button', { type: 'button', onclick: () => copy().catch(failed) }, 'Copy as curl'),
    !whyNotAgain && el('button.button', { type: 'button', onclick: () => send().catch(failed) }, 'Send again'),
    whyNotAgain && el('p.quiet', {}, `It cannot be sent again. ${whyNotAgain}`),
  )
}

const told = (number) => (typeof number === 'number' ? count(number) : '?')

function facts({ at, ms, thread, response, sort }, acts) {
  const { usage, firstMs, finish } = (sort === 'model' && response) || {}
  const tokens = usage && `${told(usage.prompt_tokens)} tokens in, ${told(usage.completion_tokens)} out`
  const words = [
    timeOf(at),
    ms === undefined ? 'under way' : duration(ms),
    firstMs !== undefined && `first byte after ${duration(firstMs)}`,
    tokens,
    finish && `ended by ${finish}`,
  ]
  const open = { type: 'button', onclick: () => acts.goTo(thread) }
  return el(
    'p.inspector-facts',
    {},
    words.filter(Boolean).join(' · '),
    thread && ' · ',
    thread && el('button.inspector-link', open, `Open thread ${threadWords(thread)}`),
  )
}

/** Draws links to the entry that this one repeats, and to the entries that repeat it. */
function around({ entry, again }, acts) {
  const toEntry = (n) => el('button.inspector-link', { type: 'button', onclick: () => acts.open(n) }, `number ${n}`)
  const list = again.flatMap((n, i) => [i > 0 && ', ', toEntry(n)])
  return [
    entry.of !== undefined && el('p', {}, 'Repeat of ', toEntry(entry.of), '.'),
    again.length > 0 && el('p', {}, 'Repeated as ', ...list, '.'),
  ]
}

/** Draws a model's answer and, if the call was repeated, the earlier answer. */
function answers({ entry, first }) {
  if (entry.sort !== 'model') return []
  const now =
    entry.response && el('figure.inspector-answer', {}, ...answer(first ? `Answer now (${entry.n})` : 'Answer', entry))
  const before = first?.response && el('figure.inspector-answer', {}, ...answer(`Answer before (${first.n})`, first))
  return [el('div.inspector-answers', {}, before, now)]
}

function answer(title, { error, response }) {
  const { text = '', reasoning, toolCalls = [] } = response
  const calls = toolCalls.map(({ name, arguments: written }) => `${name}(${written})`)
  const words = [reasoning && `(thinking) ${reasoning}`, text, ...calls, error && `(${error})`]
    .filter(Boolean)
    .join('\n')
  return [el('figcaption', {}, title), el('pre', {}, words || '(nothing)')]
}

/** Draws the request and the response: the important headers as lines, the rest as JSON. */
function bodies({ request, response, isShortened }) {
  const shortened = isShortened && el('p.quiet', {}, 'Some text is shortened, or has secrets removed.')
  return [
    section('Request', halves(request)),
    shortened,
    response ? section('Response', halves(response)) : el('p.quiet', {}, 'There is no response yet.'),
  ]
}

function halves({ headers = {}, method, path, status, ...rest }) {
  const first = [method, path, status !== undefined && `status ${status}`].filter(Boolean).join(' ')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [[first, ...lines].filter(Boolean).join('\n'), pretty(rest)]
    .filter((one) => one !== '' && one !== '{}')
    .join('\n\n')
}

/** Formats JSON for people: a line break inside a text is shown as `\n` and as a line break. */
function pretty(value) {
  return JSON.stringify(value, null, 2).replace(/\\\\|\\n/g, (sign) => (sign === '\\n' ? '\\n\n' : sign))
}

function section(title, text, { open = true } = {}) {
  return el(
    'details.inspector-section',
    { open },
    el('summary', {}, title),
    el('pre', { tabindex: 0, 'aria-label': title }, text),
  )
}
