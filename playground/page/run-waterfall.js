/** Draws a run's calls on a time scale. Waits for a person are folded. */
import { el } from './dom.js'
import { nameOf, sumOf } from './run-parts.js'
import { count, dollars, duration, visible } from './run-text.js'

/** The share of the scale that a folded wait takes. */
const FOLD_SHARE = 0.04

/** @param {object} trace @param {(key: string) => void} open @param {number} now milliseconds since the epoch */
export function drawWaterfall(trace, open, now) {
  const scale = scaleOf(trace, now)
  const calls = trace.calls.map((call, i) => ({ at: call.at, row: callRow(trace, { call, n: i + 1, scale, open }) }))
  const waits = (trace.waits ?? []).map((wait, i) => ({
    at: wait.from,
    row: waitRow(wait, { n: i + 1, scale, open, now }),
  }))
  const rows = [...calls, ...waits].sort((one, other) => one.at - other.at)
  return el(
    'div.waterfall',
    {},
    axis(scale),
    el('ol.falls', { 'aria-label': 'Timings' }, ...rows.map(({ row }) => row)),
  )
}

/** Returns a function from a time to a share of the width, and the duration without the waits. */
function scaleOf(trace, now) {
  const from = Math.min(trace.startedAt, ...trace.calls.map(({ at }) => at))
  const ends = trace.calls.map((call) => call.at + (call.ms ?? (call.error ? 0 : Math.max(0, now - call.at))))
  const to = Math.max(trace.endedAt ?? from, from + 1, ...ends)
  const folds = foldsOf(trace, now)
  const folded = folds.reduce((sum, one) => sum + one.to - one.from, 0)
  const whole = Math.max(1, to - from - folded)
  const room = 1 - Math.min(0.5, folds.length * FOLD_SHARE)
  const gap = folds.length > 0 ? (1 - room) / folds.length : 0
  const at = (time) => {
    const before = folds.filter((fold) => fold.from < time)
    const lost = before.reduce((sum, fold) => sum + Math.min(time, fold.to) - fold.from, 0)
    const gaps = before.reduce(
      (sum, fold) => sum + (gap * (Math.min(time, fold.to) - fold.from)) / (fold.to - fold.from),
      0,
    )
    return Math.min(1, Math.max(0, ((time - from - lost) / whole) * room + gaps))
  }
  return { at, whole, hasFolds: folds.length > 0 }
}

/** Returns the waits, with overlapping ones merged. */
function foldsOf({ waits = [], endedAt }, now) {
  const all = waits.map(({ from, until }) => ({ from, to: Math.max(from + 1, until ?? endedAt ?? now) }))
  const folds = []
  for (const one of all.sort((a, b) => a.from - b.from)) {
    const last = folds.at(-1)
    if (last && one.from <= last.to) last.to = Math.max(last.to, one.to)
    else folds.push({ ...one })
  }
  return folds
}

/** Draws quarters of the time unless a wait is folded, and the duration at the end. */
function axis({ whole, hasFolds }) {
  const marks = hasFolds ? [0] : [0, 0.25, 0.5, 0.75]
  const ticks = marks.map((share) => placed(el('span.fall-tick', {}, duration(share * whole)), { left: share }))
  const end = el('span.fall-end', {}, duration(whole))
  return el('div.fall-axis', { 'aria-hidden': 'true' }, el('span.fall-track', {}, ...ticks), end)
}

function callRow(trace, { call, n, scale, open }) {
  const isLost = call.ms === undefined && call.error !== undefined
  const end = call.ms === undefined ? undefined : call.at + call.ms
  const [left, right] = [scale.at(call.at), end === undefined ? (isLost ? scale.at(call.at + 1) : 1) : scale.at(end)]
  const kind = call.kind === 'tool' ? 'acts' : ({ step: 'model', tool: 'asks' }[call.for] ?? 'condenses')
  const look = `${kind}${call.error || call.ok === false ? '.failed' : ''}${end === undefined && !isLost ? '.open' : ''}`
  const bar = placed(el(`span.fall-bar.${look}`, {}), { left, width: right - left })
  if (call.firstMs !== undefined && call.ms > 0)
    bar.append(placed(el('span.fall-first', {}), { left: 0, width: Math.min(1, call.firstMs / call.ms) }))
  const words = wordsOf(trace, call)
  return row({ key: `call-${n}`, label: visible(nameOf(trace, call)), kind, bars: [bar], words, open })
}

/** Returns time, tokens and cost in words. */
function wordsOf(trace, call) {
  const { input, output, cached, cost } = sumOf([call])
  const used = call.kind === 'model' && input + output > 0 && `${count(input)} → ${count(output)} tokens`
  const first = call.firstMs !== undefined && `first piece after ${duration(call.firstMs)}`
  const failed = call.error ? 'failed' : call.ok === false && 'error'
  const kept = cached > 0 && `${count(cached)} cached`
  return [duration(call.ms), failed, used, kept, cost !== undefined && dollars(cost), first].filter(Boolean)
}

function waitRow({ from, until, for: what }, { n, scale, open, now }) {
  const [left, right] = [scale.at(from), scale.at(until ?? now)]
  const bar = placed(el('span.fall-bar.wait', {}), { left, width: right - left })
  const words = [
    until ? duration(until - from) : '…',
    `${until ? 'waited' : 'waits'} for ${what === 'question' ? 'an answer' : 'approval'}`,
  ]
  return row({ key: `wait-${n}`, label: 'A person', kind: 'wait', bars: [bar], words, open })
}

function row({ key, label, kind, bars, words: [time, ...more], open }) {
  return el(
    'li',
    {},
    el(
      'button.fall',
      { type: 'button', 'data-part': key, onclick: () => open(key) },
      el(`span.fall-name.${kind}`, {}, label),
      el('span.fall-track', { 'aria-hidden': 'true' }, ...bars),
      el('span.fall-time', {}, time),
      el('span.fall-more', {}, more.join(' · ')),
    ),
  )
}

/** Sets shares of the width by script, because the page's policy allows no style attributes. */
function placed(element, { left, width }) {
  element.style.setProperty('left', `${(left * 100).toFixed(3)}%`)
  if (width !== undefined) element.style.setProperty('width', `${(Math.max(0, width) * 100).toFixed(3)}%`)
  return element
}
