/** A row of the list of journal entries. */
import { el } from './dom.js'
import { duration } from './run-text.js'
import { names, state } from './state.js'

export const COLUMNS = ['Time', 'Kind', 'What', 'Thread', 'Took', 'Result']

export const KINDS = {
  event: 'Event',
  command: 'Command',
  interaction: 'Interaction',
  call: 'Web API',
  model: 'Model',
  tool: 'Tool',
  fault: 'Trouble',
}

export function headRow() {
  return el('div.inspector-row.inspector-head', { role: 'row', 'aria-rowindex': 1 }, ...COLUMNS.map(headCell))
}

function headCell(name) {
  return el(`span.inspector-${name.toLowerCase()}`, { role: 'columnheader' }, name)
}

/** @param {object} row a row of `/journal` */
export function rowElement(row, { isActive, isOpen }) {
  const { n, at, ms, kind, name, thread, ok, error, of } = row
  const bad = ok === false
  const result = ms === undefined ? 'under way' : bad ? (error ?? 'failed') : 'ok'
  const cells = [
    timeOf(at),
    KINDS[kind] ?? kind,
    of ? `${name} (again, of ${of})` : name,
    threadWords(thread),
    duration(ms),
    result,
  ]
  const classes = [bad && 'inspector-bad', isActive && 'inspector-active', isOpen && 'inspector-open'].filter(Boolean)
  return el(
    ['div', 'inspector-row', `inspector-kind-${kind}`, ...classes].join('.'),
    { role: 'row', id: `inspector-row-${n}`, 'aria-selected': String(isOpen) },
    ...cells.map((text, i) =>
      el(`span.inspector-${COLUMNS[i].toLowerCase()}`, { role: 'gridcell', title: i > 1 && text }, text),
    ),
  )
}

/** Formats a time of day in the local time zone, with milliseconds. */
export function timeOf(at) {
  const time = new Date(at)
  const two = (number) => String(number).padStart(2, '0')
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
  return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** Describes a thread for people: its channel, and the beginning of its root. */
export function threadWords(thread) {
  if (!thread) return ''
  const [channel, ts] = thread.split(':')
  const root = state.channels.get(channel)?.messages.get(ts)
  const place = channel.startsWith('D') ? 'direct' : `#${names.channel(channel)}`
  const words = root?.text.replace(/<[^>]*>/g, '').trim()
  return words ? `${place} ${words.slice(0, 80)}` : place
}
