/** Draws a run: its totals, its flow, its timings, and the open part. */
import { el } from './dom.js'
import { drawPart } from './run-call.js'
import { drawFlow } from './run-flow.js'
import { endOf, partAt, sumOf } from './run-parts.js'
import { count, counted, dollars, duration, visible } from './run-text.js'
import { drawWaterfall } from './run-waterfall.js'

/**
 * A view that shows one trace after another, or one that grows. Open parts stay open, and the focus stays in place.
 * @param {(key: string) => void} onOpen gets the key of the opened part
 */
export function createRunView(onOpen = () => undefined) {
  const [sum, map, part] = [
    el('div.run-sum', {}),
    el('div.run-map', { tabindex: 0, role: 'region', 'aria-label': 'Flow and timings' }),
    el('section.run-part', { tabindex: 0, 'aria-label': 'Opened part' }),
  ]
  const box = el('div.run-view', {}, sum, legend(), el('div.run-panes', {}, map, part))
  let [trace, key, print] = [undefined, 'question', '']

  function draw() {
    const focused = map.contains(document.activeElement) ? nameOfBox(document.activeElement) : undefined
    sum.replaceChildren(...sumLine(trace))
    map.replaceChildren(
      el('h3', {}, 'Flow'),
      drawFlow(trace, open),
      el('h3', {}, 'Timings'),
      drawWaterfall(trace, open, Date.now()),
    )
    markOpen(map, key)
    if (focused)
      allBoxes(map)
        .find((one) => nameOfBox(one) === focused)
        ?.focus({ preventScroll: true })
    drawOpen()
  }

  /** The open part is drawn again only if it has changed, so that its unfolded texts stay. */
  function drawOpen() {
    const now = printOf(trace, key)
    if (now === print) return
    print = now
    part.replaceChildren(...drawPart(trace, key))
  }

  function open(wanted) {
    key = wanted
    markOpen(map, key)
    drawOpen()
    part.scrollTop = 0
    onOpen(key)
  }

  return {
    box,
    open,
    /** @param {object} shown a trace @param {string} [wanted] the part to open */
    show(shown, wanted) {
      if (trace?.id !== shown.id) key = 'question'
      trace = shown
      if (wanted) key = wanted
      draw()
    },
    get key() {
      return key
    },
  }
}

/** The legend of the boxes and bars: the look, name and meaning of each. */
const LEGEND = [
  ['flow-box.thought', 'Thought', 'what the model wrote before it acted; a bar is pale until its first piece arrived'],
  [
    'flow-box.action',
    'Action',
    'the tool that the model asked for, with its input; a bar: a model call made by a tool or by the bot',
  ],
  ['flow-box.observation', 'Observation', 'what the tool gave back, and how long it took'],
  ['flow-box.answer', 'Answer', 'where the run ended'],
  ['flow-box.failed', 'Failed', 'an error, or output that could not be read'],
  ['fall-bar.wait', 'Waiting', 'waiting for a person; this time is shortened'],
  ['flow-box.waited', 'Dashed', 'what else could have happened here'],
]

function legend() {
  const items = LEGEND.map(([look, name, about]) =>
    el('li', {}, el(`span.run-swatch.${look}`, { 'aria-hidden': 'true' }), el('strong', {}, name), `: ${about}`),
  )
  return el('details.run-legend', {}, el('summary', {}, 'What the colours mean'), el('ul', {}, ...items))
}

/** Returns everything of a part that can change during the run. */
function printOf(trace, key) {
  const { call, wait } = partAt(trace, key)
  return JSON.stringify([
    trace.id,
    key,
    call?.ms,
    call?.read?.kind,
    call?.shown?.length,
    wait,
    trace.answer,
    trace.model,
  ])
}

function allBoxes(map) {
  return [...map.querySelectorAll('[data-part]')]
}

/** Returns the name by which a box is recognised when it is drawn again. */
function nameOfBox(box) {
  return `${box.className} ${box.dataset.part}`
}

function markOpen(map, key) {
  for (const one of allBoxes(map)) one.setAttribute('aria-pressed', String(one.dataset.part === key))
}

function sumLine(trace) {
  const { input, output, cached, cost, isEstimated } = sumOf(trace.calls)
  const calls = (kind) => trace.calls.filter((call) => call.kind === kind).length
  const words = [
    endOf(trace),
    trace.endedAt && timeOf(trace),
    counted(calls('model'), 'model call'),
    counted(calls('tool'), 'tool call'),
    `${count(input)} tokens in${cached ? `, ${count(cached)} of them cached` : ''}, ${count(output)} out${isEstimated ? ' (estimated)' : ''}`,
    cost !== undefined && dollars(cost),
  ]
  const chips = words.filter(Boolean).map((one) => el('span.run-chip', {}, visible(one)))
  return [...chips, trace.cut && el('p.quiet', {}, visible(trace.cut))].filter(Boolean)
}

/** Returns the run's duration, and how much of it was spent waiting for a person. */
function timeOf({ startedAt, endedAt, waits = [] }) {
  const waited = waits.reduce((sum, { from, until }) => sum + (until === undefined ? 0 : until - from), 0)
  const worked = duration(Math.max(0, endedAt - startedAt - waited))
  return waited > 0 ? `${worked} of work, ${duration(waited)} waiting for a person` : worked
}
