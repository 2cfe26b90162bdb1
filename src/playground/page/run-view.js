/** One run, drawn: its sum, its flow, its timings, and the part that is open. */
import { el } from './dom.js'
import { drawPart } from './run-call.js'
import { drawFlow } from './run-flow.js'
import { endOf, partAt, sumOf } from './run-parts.js'
import { count, dollars, duration, visible } from './run-text.js'
import { drawWaterfall } from './run-waterfall.js'

/**
 * A view that shows one trace after the other, or the same one as it grows: what is open stays open, and the focus where it is.
 * @param {(key: string) => void} onOpen told which part is open
 */
export function createRunView(onOpen = () => undefined) {
  const [sum, map, part] = [
    el('div.run-sum', {}),
    el('div.run-map', { tabindex: 0, role: 'region', 'aria-label': 'Flow and timings' }),
    el('section.run-part', { tabindex: 0, 'aria-label': 'Opened part' }),
  ]
  const box = el('div.run-view', {}, sum, el('div.run-panes', {}, map, part))
  let [trace, key, print] = [undefined, 'question', '']

  function draw() {
    const focused = map.contains(document.activeElement) ? document.activeElement.dataset.part : undefined
    const isFlow = document.activeElement?.classList.contains('flow-box')
    sum.replaceChildren(...sumLine(trace))
    map.replaceChildren(
      el('h3', {}, 'Flow'),
      drawFlow(trace, open),
      el('h3', {}, 'Timings'),
      drawWaterfall(trace, open, Date.now()),
    )
    markOpen()
    if (focused) map.querySelector(`${isFlow ? '.flow-box' : '.fall'}[data-part="${CSS.escape(focused)}"]`)?.focus()
    drawOpen()
  }

  function markOpen() {
    for (const one of map.querySelectorAll('[data-part]')) one.setAttribute('aria-pressed', String(one.dataset.part === key))
  }

  /** Anew only where the part itself has changed: what is unfolded in it stays so. */
  function drawOpen() {
    const { call, wait } = partAt(trace, key)
    const now = JSON.stringify([trace.id, key, call?.ms, call?.read?.kind, call?.shown?.length, wait, trace.answer, trace.model])
    if (now === print) return
    if (!now.startsWith(print.slice(0, print.indexOf(',', 2)))) part.scrollTop = 0
    print = now
    part.replaceChildren(...drawPart(trace, key))
  }

  function open(wanted) {
    key = wanted
    markOpen()
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

function sumLine(trace) {
  const { input, output, cached, cost, isEstimated } = sumOf(trace.calls)
  const calls = (kind) => trace.calls.filter((call) => call.kind === kind).length
  const words = [
    endOf(trace),
    trace.endedAt && duration(trace.endedAt - trace.startedAt),
    counted(calls('model'), 'model call'),
    counted(calls('tool'), 'tool call'),
    `${count(input)} tokens in${cached ? `, ${count(cached)} of them cached` : ''}, ${count(output)} out${isEstimated ? ' (estimated)' : ''}`,
    cost !== undefined && dollars(cost),
  ]
  const chips = words.filter(Boolean).map((one) => el('span.run-chip', {}, visible(one)))
  return [...chips, trace.cut && el('p.quiet', {}, visible(trace.cut))].filter(Boolean)
}

function counted(number, what) {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`
}
