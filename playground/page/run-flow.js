/**
 * Draws the flow of a run as ReAct: a question, then thoughts, actions and observations, then the answer. Each box
 * opens its part. Alternative branches are drawn faint.
 */
import { el } from './dom.js'
import { callBefore, endOf } from './run-parts.js'
import { duration, lineOf, visible } from './run-text.js'

/** The number of characters that a box shows. */
const BOX_CHARS = 160

/** @param {object} trace @param {(key: string) => void} open */
export function drawFlow(trace, open) {
  const rows = rowsOf(trace)
  const list = rows.map((row) => row(trace, open))
  return el('ol.flow', { 'aria-label': 'Flow of the run' }, ...list)
}

/** Returns functions that draw one row each, in the order of the run. */
function rowsOf(trace) {
  const rows = [question]
  let turns = 0
  for (const [i, call] of trace.calls.entries()) {
    if (call.kind !== 'model' || call.for === 'tool') continue
    rows.push(...addedBefore(trace, i))
    if (call.for === 'condense') rows.push((_, open) => condensed(call, { key: `call-${i + 1}`, open }))
    else rows.push(turn(call, { i, isAgain: turns++ > 0 }))
  }
  const isAnswered = trace.calls.some((call) => call.read?.kind === 'finish')
  return isAnswered || !trace.end ? rows : [...rows, ending]
}

function question(trace, open) {
  const { question: text } = trace
  return el('li.flow-row.first', {}, box({ kind: 'question', label: 'Question', text, key: 'question', open }))
}

function condensed(call, { key, open }) {
  const parts = { kind: 'condense', label: 'Condense', time: duration(call.ms), text: call.output.text }
  return el('li.flow-row.single', {}, box({ ...parts, key, open }))
}

/** Returns the person's additions before a given thought. */
function addedBefore({ added = [], calls }, i) {
  const after = callBefore({ calls }, i + 1)?.at ?? 0
  return [...added.entries()].flatMap(([n, one]) => {
    if (calls[i].for !== 'step' || one.at > calls[i].at || one.at <= after) return []
    const parts = { kind: 'question', label: 'Added by a person', text: one.text, key: `added-${n + 1}` }
    return [(_, open) => el('li.flow-row.single.again', {}, box({ ...parts, open }))]
  })
}

/** Draws a turn of the model: its thought and its actions or answer. */
function turn(call, { i, isAgain }) {
  return (trace, open) => {
    const key = `call-${i + 1}`
    const { read, error } = call
    const text = error ?? read?.thought ?? beforeAnswer(call)
    const named = { label: `Thought ${call.turn ?? ''}`, time: duration(call.ms) }
    const thought = box({ kind: error ? 'failed' : 'thought', ...named, text: text || '(no thought)', key, open })
    const outcome = outcomeOf(trace, { call, key, open })
    return el(
      `li.flow-row${isAgain ? '.again' : ''}`,
      {},
      el('div.flow-cell', {}, thought, others(othersOf(call))),
      outcome,
    )
  }
}

/** Returns the text before an answer, without the answer's label. */
function beforeAnswer({ output: { text }, read }) {
  const at = read ? text.indexOf(read.answer) : -1
  const before = text.slice(0, Math.min(BOX_CHARS, at < 0 ? BOX_CHARS : at)).trim()
  return at < 0 ? before : before.slice(0, before.lastIndexOf('\n') + 1)
}

/** Draws alternative branches, faint. */
function others(ways) {
  if (ways.length === 0) return undefined
  return el('ul.flow-others', { 'aria-label': 'Alternative branches' }, ...ways.map((way) => el('li', {}, way)))
}

function othersOf({ read, error }) {
  if (error) return []
  const ways = { actions: 'action', finish: 'answer', unreadable: 'unreadable → hint' }
  return [...Object.entries(ways).flatMap(([kind, way]) => (kind === read?.kind ? [] : [way])), 'budget']
}

function outcomeOf(trace, { call, key, open }) {
  const { read } = call
  if (read?.kind === 'finish') {
    const label = trace.stopped ? `Answer · ${endOf(trace)}` : 'Answer'
    return el('div.flow-acts', {}, box({ kind: 'answer', label, text: read.answer, key: 'answer', open }))
  }
  if (read?.kind === 'unreadable') return el('div.flow-acts', {}, unreadable(call, { key, open }))
  const actions = read?.kind === 'actions' ? read.actions : []
  return el('div.flow-acts', {}, ...actions.map((action) => acted(trace, { action, open })))
}

/** Draws an unreadable output, and the hint that the model gets in place of an observation. */
function unreadable({ output, read }, { key, open }) {
  const written = box({ kind: 'failed', label: 'Unreadable', text: output.text || '(nothing)', key, open })
  const hint = box({ kind: 'observation', label: 'Hint', text: read.hint, key, open })
  return el('div.flow-act', {}, el('div.flow-cell', {}, written), el('div.flow-cell', {}, hint))
}

/** Draws an action and its observation. */
function acted(trace, { action: { step, tool, input }, open }) {
  const at = trace.calls.findIndex((call) => call.kind === 'tool' && call.step === step)
  const wait = (trace.waits ?? []).findIndex((one) => one.step === step)
  const call = trace.calls[at]
  const key = at >= 0 ? `call-${at + 1}` : wait >= 0 ? `wait-${wait + 1}` : 'question'
  const action = box({ kind: 'action', label: `Action · ${tool}`, text: lineOf(input), key, open })
  const waited =
    wait >= 0 && box({ kind: 'waited', label: 'Waited', text: 'for a person', key: `wait-${wait + 1}`, open })
  return el('div.flow-act', {}, el('div.flow-cell', {}, action, waited), observed(call, { key, open }))
}

function observed(call, { key, open }) {
  if (!call || (call.ms === undefined && !call.error))
    return el('div.flow-cell', {}, el('p.flow-open', {}, call ? 'under way …' : 'not called yet'))
  const time = call.notCalled ? 'not called' : duration(call.ms)
  const label = call.ok ? 'Observation' : 'Error'
  const text = call.shown ?? call.error ?? ''
  const kind = call.ok ? 'observation' : 'failed'
  return el(
    'div.flow-cell',
    {},
    box({ kind, label, time, text, key, open }),
    others([call.ok ? 'tool error' : 'observation']),
  )
}

/** Draws the end of a run without a model's answer: a budget, a person, a failure, or a tool's own answer. */
function ending(trace, open) {
  const text = trace.answer ?? ''
  const kind = trace.end === 'answered' ? 'answer' : 'failed'
  const label = kind === 'answer' ? 'Answer · from a tool' : `End · ${endOf(trace)}`
  const look = trace.calls.some((call) => call.for === 'step') ? '.again' : ''
  return el(`li.flow-row.single${look}`, {}, box({ kind, label, text, key: text ? 'answer' : 'question', open }))
}

function box({ kind, label, time, text, key, open }) {
  const attributes = { type: 'button', 'data-part': key, onclick: () => open(key) }
  const words = visible(text.slice(0, BOX_CHARS)).replace(/\s+/g, ' ')
  const head = el('span.flow-label', {}, visible(label), time && el('span.flow-time', {}, ` · ${time}`))
  return el(`button.flow-box.${kind}`, attributes, head, el('span.flow-words', {}, words))
}
