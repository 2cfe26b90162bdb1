/** The parts of a run's trace, each with a key: `question`, `call-1`, `wait-1`, `added-1`, `answer`. */

/** @returns {string} the key of the part that a post shows: `step-2`, `answer-1`, … */
export function partOfPost(trace, post) {
  const step = /^step-(\d+)/.exec(post ?? '')
  if (step) return keyOfStep(trace, Number(step[1])) ?? 'question'
  if (/^answer/.test(post ?? '') && trace.answer !== undefined) return 'answer'
  return trace.calls.length > 0 ? `call-${trace.calls.length}` : 'question'
}

/** Returns the key of a step's call: its tool's, or the model's if the output was unreadable. */
function keyOfStep(trace, n) {
  const tool = trace.calls.findIndex((call) => call.kind === 'tool' && call.step === n)
  const at = tool >= 0 ? tool : trace.calls.findIndex((call) => call.kind === 'model' && openedBy(call).includes(n))
  return at >= 0 ? `call-${at + 1}` : undefined
}

/** Returns the numbers of the steps that a model call opened. */
function openedBy({ read }) {
  if (read?.kind === 'actions') return read.actions.map(({ step }) => step)
  return read?.kind === 'unreadable' ? [read.step] : []
}

/**
 * Returns the part with a key.
 * @returns {{ kind: string, call?: object, n?: number, wait?: object, added?: object }}
 */
export function partAt(trace, key) {
  const [, kind, number] = /^([a-z]+)(?:-(\d+))?$/.exec(key) ?? []
  const n = Number(number)
  if (kind === 'call' && trace.calls[n - 1]) return { kind: trace.calls[n - 1].kind, call: trace.calls[n - 1], n }
  if (kind === 'wait' && trace.waits?.[n - 1]) return { kind, wait: trace.waits[n - 1] }
  if (kind === 'added' && trace.added?.[n - 1]) return { kind, added: trace.added[n - 1] }
  return { kind: kind === 'answer' && trace.answer !== undefined ? 'answer' : 'question' }
}

/** Returns the previous model call. A provider may have its messages in its cache. */
export function callBefore(trace, n) {
  const call = trace.calls[n - 1]
  return trace.calls
    .slice(0, n - 1)
    .findLast((one) => one.kind === 'model' && one.for === call.for && one.model === call.model)
}

/** Returns the total usage of model calls. */
export function sumOf(calls) {
  const used = calls.flatMap((call) => (call.kind === 'model' ? call.usage : []))
  const sum = (field) => used.reduce((all, one) => all + (one[field] ?? 0), 0)
  const isPriced = used.some((one) => one.costUsd !== undefined)
  return {
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cached: sum('cachedTokens'),
    cost: isPriced ? sum('costUsd') : undefined,
    isEstimated: used.some((one) => one.estimated),
  }
}

/** Returns the name of a call in lists. */
export function nameOf(trace, call) {
  if (call.kind === 'tool') return call.tool
  if (call.for === 'condense') return 'Condense'
  if (call.for === 'tool') return `${toolOf(trace, call.step)} asks`
  return call.read?.kind === 'finish' ? 'Answer' : `Thought ${call.turn ?? ''}`
}

function toolOf(trace, step) {
  return trace.calls.find((call) => call.kind === 'tool' && call.step === step)?.tool ?? 'A tool'
}

/** Returns how a run ended, in words. */
export function endOf({ end, stopped, endedAt }) {
  const budgets = { steps: 'no steps left', time: 'no time left', tokens: 'no tokens left', cost: 'no money left' }
  const whys = { ...budgets, loop: 'it went in circles', unreadable: 'unreadable', stopped: 'stopped by a person' }
  const why = stopped && (whys[stopped] ?? stopped)
  if (!end) return endedAt ? 'ended' : 'under way'
  if (end === 'answered') return why ? `answered, ${why}` : 'answered'
  return end === 'gave_up' ? `gave up${why ? `: ${why}` : ''}` : end
}
