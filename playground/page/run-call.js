/** An opened part of a run: a model call, a tool call, a wait, the question, the answer. */
import { el, link } from './dom.js'
import { compareMessages, contentOf } from './run-diff.js'
import { marksIn } from './run-marks.js'
import { callBefore, endOf, nameOf, partAt, sumOf } from './run-parts.js'
import { beginning, count, dollars, duration, folded, jsonText, textBox, visible } from './run-text.js'

/** @returns {Node[]} the drawing of the part with this key */
export function drawPart(trace, key) {
  const part = partAt(trace, key)
  if (part.kind === 'model') return modelCall(trace, part)
  if (part.kind === 'tool') return toolCall(part.call)
  if (part.kind === 'wait') return waited(part.wait)
  if (part.kind === 'added') return [heading('Added by a person'), textBox(part.added.text, 'What was added')]
  return part.kind === 'answer' ? answered(trace) : asked(trace)
}

function asked({ question, standalone, model, dialect, attempts, id }) {
  const known = { Run: id, Model: model || '(none yet)', Dialect: dialect || '(known at the end)' }
  return [
    heading('Question'),
    textBox(question, 'As it was asked'),
    ...(standalone && standalone !== question
      ? [heading('As it was understood'), textBox(standalone, 'As it was understood')]
      : []),
    facts({ ...known, ...(attempts > 1 ? { 'Processes that worked on it': count(attempts) } : {}) }),
  ]
}

function answered(trace) {
  const at = trace.calls.findLastIndex((call) => call.read?.kind === 'finish')
  const text = textBox(trace.answer, 'Answer')
  const head = [heading('Answer'), facts({ End: endOf(trace) }), text]
  return at < 0 ? head : [...head, ...modelCall(trace, { call: trace.calls[at], n: at + 1 })]
}

function waited({ from, until, for: what }) {
  const how = until ? `It waited ${duration(until - from)} for a person.` : 'It waits for a person.'
  return [
    heading(what === 'question' ? 'A tool asks the person' : 'A person allows it, or not'),
    el('p', {}, how),
    facts({ Since: new Date(from).toLocaleString() }),
  ]
}

function modelCall(trace, { call, n }) {
  const before = callBefore(trace, n)
  return [
    heading(`${nameOf(trace, call)}: call ${n} of ${trace.calls.length}`),
    modelFacts(call),
    call.error && el('p.run-error', {}, visible(call.error)),
    heading('Output', 'as the model wrote it, with what was read of it'),
    ...output(call),
    heading('Messages', before ? 'with what has changed since the call before' : 'as they were sent'),
    ...messages(call, before),
  ].filter(Boolean)
}

function modelFacts(call) {
  const { input, output: written, cached, cost, isEstimated } = sumOf([call])
  const about = isEstimated ? ' (estimated)' : ''
  return facts({
    Model: call.model,
    Time: `${duration(call.ms)}${call.firstMs === undefined ? '' : `, the first piece after ${duration(call.firstMs)}`}`,
    Tokens: `${count(input)} in${cached ? ` (${count(cached)} cached)` : ''}, ${count(written)} out${about}`,
    ...(cost === undefined ? {} : { Cost: dollars(cost) }),
    ...(call.retries ? { Retries: count(call.retries) } : {}),
    ...(call.request.stop?.length > 0
      ? { 'Stops at': call.request.stop.map((one) => JSON.stringify(one)).join(', ') }
      : {}),
  })
}

function output({ output: { text, reasoning, toolCalls = [] }, read, isCut }) {
  const raw = el('pre.run-text', { tabindex: 0, role: 'region', 'aria-label': 'Raw output' }, ...marked(text, read))
  return [
    reasoning && folded('Reasoning beside the text', () => [textBox(reasoning, 'Reasoning')]),
    text === '' && toolCalls.length > 0 ? undefined : raw,
    ...toolCalls.map(({ name, arguments: written }) => textBox(`${name}(${written})`, `Tool call ${name}`)),
    isCut && el('p.quiet', {}, 'We stopped the model here because it began to invent an observation.'),
    read?.dropped && el('p.quiet', {}, `${count(read.dropped)} more calls were asked for and not made.`),
    read?.kind === 'unreadable' &&
      el('p.quiet', {}, 'This output could not be read. The model was told: ', visible(read.hint)),
  ].filter(Boolean)
}

/** Longer outputs are shown without marks. */
const MAX_MARKED = 60_000

function marked(text, read) {
  if (text === '') return [el('span.quiet', {}, '(nothing)')]
  if (!read || text.length > MAX_MARKED) return beginning(text)
  const nodes = []
  let at = 0
  for (const { from, to, part } of marksIn(text, read)) {
    nodes.push(unread(text.slice(at, from)))
    nodes.push(el(`mark.run-read.${part}`, {}, el('span.run-read-part', {}, `${part} `), visible(text.slice(from, to))))
    at = to
  }
  return [...nodes, unread(text.slice(at))]
}

function unread(text) {
  return text === '' ? '' : el('span.run-unread', { title: 'not used' }, visible(text))
}

/** Draws the messages of a call. Those of the previous call are folded, and additions and deletions are marked. */
function messages({ request: { messages: sent, tools = [] }, usage }, before) {
  const { messages: compared, gone, kept, all } = compareMessages(before?.request.messages, sent)
  const specs = tools.length > 0 && folded(`${count(tools.length)} tools`, () => [textBox(jsonText(tools), 'Tools')])
  return [
    before && cacheLine({ kept, all, usage }),
    specs,
    el(
      'ol.run-messages',
      {},
      ...compared.map((one, n) => el('li', {}, ...message(one, before !== undefined && n + 1))),
    ),
    gone.length > 0 && el('p.quiet', {}, `${count(gone.length)} messages from the previous call are no longer sent.`),
  ].filter(Boolean)
}

/** Describes the unchanged beginning of the prompt, which a provider can take from its cache. */
function cacheLine({ kept, all, usage }) {
  const share = all > 0 ? kept / all : 0
  const tokens = usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
  const about = tokens > 0 ? `, about ${count(Math.round(tokens * share))} of ${count(tokens)} tokens` : ''
  const meter = el('meter.run-kept', {
    min: 0,
    max: 1,
    value: share.toFixed(4),
    'aria-label': 'Share that a cache keeps',
  })
  const words = `A cache keeps the first ${count(kept)} characters (${Math.floor(share * 100)} %${about}): they are unchanged since the previous call.`
  return el('p.run-cache', {}, meter, words)
}

/** `n`: the message's number, if there was a call before. */
function message({ message: sent, same, prefix, added, suffix, removed }, n) {
  const images = (sent.images ?? []).map(({ name, mime }) => `${name} (${mime})`)
  const head = el('p.run-role', {}, el('strong', {}, sent.role), images.length > 0 && ` with ${images.join(', ')}`)
  const text = contentOf(sent)
  if (!n) return [head, textBox(text, `Message of ${sent.role}`)]
  if (same) return [head, folded(`As before: ${count(text.length)} characters`, () => [textBox(text, 'As before')])]
  return [
    head,
    prefix !== '' && folded(`As before: ${count(prefix.length)} characters`, () => [textBox(prefix, 'As before')]),
    removed.trim() !== '' && folded(`Gone: ${count(removed.length)} characters`, () => [change('del', removed, n)]),
    added !== '' && change('ins', added, n),
    suffix !== '' && folded(`As before: ${count(suffix.length)} characters`, () => [textBox(suffix, 'As before')]),
  ].filter(Boolean)
}

function change(tag, text, n) {
  const name = `${tag === 'ins' ? 'New' : 'Gone'} in message ${n}`
  return el('pre.run-text', { tabindex: 0, role: 'region', 'aria-label': name }, el(tag, {}, ...beginning(text)))
}

function toolCall(call) {
  const { tool, step, input, output: given, ok, error, shown, note, notCalled, passing } = call
  const text = typeof given === 'string' ? given : given?.text
  const result = notCalled ? 'not called: the loop answered by itself' : ok ? 'gave an output' : 'failed'
  return [
    heading(`${tool}: step ${step}`),
    facts({ Time: duration(call.ms), Result: call.ms === undefined && !error ? 'under way' : result }),
    error && el('p.run-error', {}, visible(error)),
    heading('Input', notCalled ? 'as the model wrote it' : 'as it was sent'),
    textBox(jsonText(input), 'Input'),
    text !== undefined && heading('Output', 'as the tool gave it'),
    text !== undefined && textBox(text, 'Output'),
    ...sourcesOf(given),
    shown !== undefined && heading('Observation', 'what the model was shown of it'),
    shown !== undefined && (shown === text ? el('p.quiet', {}, 'All of it.') : textBox(shown, 'Observation')),
    note && el('p.quiet', {}, visible(note)),
    passing &&
      el(
        'p.quiet',
        {},
        'The workspace does not allow this output to be stored, so it is shown only while the run is in progress.',
      ),
  ].filter(Boolean)
}

function sourcesOf(given) {
  const sources = (typeof given === 'object' && given?.sources) || []
  if (sources.length === 0) return []
  return [el('ul.run-sources', {}, ...sources.map(({ url, title }) => el('li', {}, link(url, visible(title)))))]
}

function heading(words, about) {
  return el('h4', {}, visible(words), about && el('span.quiet', {}, ` ${about}`))
}

function facts(values) {
  const pairs = Object.entries(values).map(([name, value]) =>
    el('div', {}, el('dt', {}, name), el('dd', {}, visible(value))),
  )
  return el('dl.run-facts', {}, ...pairs)
}
