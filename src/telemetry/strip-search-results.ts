/** Removes a run's findings in the workspace from its trace: Slack's terms let an app use them, but not store them. */
import { defused } from '../agent/observation.ts'
import type {
  RunTrace,
  TracedCall,
  TracedMessage,
  TracedModelCall,
  TracedReading,
  TracedToolCall,
} from '../stores/runs/run-trace.ts'

const NOT_KEPT = '(What was found is not kept.)'

/** A shorter text may be anybody's, so it stays in the model's text. Characters. */
const SHORTEST_QUOTE = 20

/** A find in the two forms in which prompts show it to the model, and in all other forms. */
interface TracedFind {
  shown: string[]
  all: string[]
}

/**
 * Returns the trace in the form in which it may be stored; the same object if nothing has to be removed. The trace of a
 * continued run may begin with calls that were stored in this form.
 */
export function withoutSearchResults(trace: RunTrace): RunTrace {
  const first = trace.calls.findIndex(isFind)
  if (first < 0) return trace
  const finds: TracedFind[] = []
  const steps = new Set(trace.calls.filter(isFind).map(({ step }) => step))
  const known = new Set(trace.calls.slice(0, first).flatMap(contentsOf))
  const calls = trace.calls.map((call, i): TracedCall => {
    if (isFind(call)) finds.push(findOf(call))
    if (call.kind === 'tool') return isFind(call) ? emptied(call) : call
    if (call.step !== undefined && steps.has(call.step)) return withoutTexts(call)
    return i < first ? call : withoutQuotes(call, finds, known)
  })
  return { ...trace, calls }
}

function isFind(call: TracedCall): call is TracedToolCall {
  return call.kind === 'tool' && call.passing === true
}

function contentsOf(call: TracedCall): string[] {
  return call.kind === 'model' ? call.request.messages.map(({ content }) => content) : []
}

function findOf({ shown, output }: TracedToolCall): TracedFind {
  const given = typeof output === 'string' ? output : output?.text
  const both = (text: string | undefined) => (text ? [text, defused(text)] : [])
  return { shown: both(shown), all: [...both(shown), ...both(given)] }
}

function emptied({ output, shown, ...call }: TracedToolCall): TracedToolCall {
  const rest = typeof output === 'string' ? NOT_KEPT : output && { ...output, text: NOT_KEPT }
  return { ...call, output: rest, shown: shown === undefined ? undefined : NOT_KEPT }
}

/** Removes a tool's questions to the model about its finds. */
function withoutTexts({ request, output, ...call }: TracedModelCall): TracedModelCall {
  const messages = request.messages.map((message) => ({ ...message, content: NOT_KEPT }))
  return { ...call, request: { ...request, messages }, output: withTexts(output, () => NOT_KEPT) }
}

/** Returns an output with its texts changed, including those beside the text itself. */
function withTexts(
  { text, reasoning, ...output }: TracedModelCall['output'],
  change: (text: string) => string,
): TracedModelCall['output'] {
  return { ...output, text: change(text), ...(reasoning === undefined ? {} : { reasoning: change(reasoning) }) }
}

/** Returns what was read of an output with its texts changed. Inputs of tools stay. */
function withReadTexts(read: TracedReading, change: (text: string) => string): TracedReading {
  if (read.kind === 'finish') return { ...read, answer: change(read.answer) }
  return { ...read, thought: change(read.thought) }
}

/**
 * A find that does not occur word for word in the messages may occur in parts, so every message that was not already
 * sent before the first find is removed.
 */
function withoutQuotes(call: TracedModelCall, finds: TracedFind[], known: ReadonlySet<string>): TracedModelCall {
  const longest = [...new Set(finds.flatMap(({ all }) => all))].sort((one, other) => other.length - one.length)
  const whole = call.request.messages.map(({ content }) => content).join('\n')
  const allOccur = finds.every(({ shown }) => shown.length === 0 || shown.some((text) => whole.includes(text)))
  const clear = (content: string) =>
    allOccur ? longest.reduce((text, find) => text.replaceAll(find, NOT_KEPT), content) : NOT_KEPT
  const messages = call.request.messages.map((message): TracedMessage =>
    known.has(message.content) || message.role === 'system' ? message : { ...message, content: clear(message.content) },
  )
  const quotes = longest.filter(({ length }) => length >= SHORTEST_QUOTE)
  // What an earlier process has found is no longer known here, so the model may quote it.
  const isUnknown = !allOccur && longest.includes(NOT_KEPT)
  const unquoted = (text: string) =>
    isUnknown ? NOT_KEPT : quotes.reduce((rest, find) => rest.replaceAll(find, NOT_KEPT), text)
  const read = call.read && { read: withReadTexts(call.read, unquoted) }
  return { ...call, ...read, request: { ...call.request, messages }, output: withTexts(call.output, unquoted) }
}
