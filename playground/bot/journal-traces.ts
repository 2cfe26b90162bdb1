/** Writes the traces of runs into the journal: tool calls, and the run that each model call belongs to. */
import type { Message } from '../../src/agent/contracts/model.ts'
import type { RunTrace, TracedModelCall, TracedToolCall } from '../../src/stores/runs/run-trace.ts'
import { isObject } from '../slack/args.ts'
import type { JournalEntry, Journal } from '../journal/journal.ts'
import type { Json } from '../slack/types.ts'

/** The maximum number of runs that are followed, and of model calls that wait for their run. */
const MAX_RUNS = 200
const MAX_WAITING = 200

/** @returns a function that takes each trace, every time it grows. */
export function journalTraces(journal: Journal): (trace: RunTrace) => void {
  /** The entries of a run's tool calls, by their place in its trace. */
  const runs = new Map<string, Map<number, JournalEntry>>()
  const waiting = new Set<JournalEntry>()
  journal.watch((entry) => {
    if (entry.kind !== 'model' || entry.thread !== undefined || entry.ms !== undefined) return
    waiting.add(entry)
    const [oldest] = waiting
    if (oldest && waiting.size > MAX_WAITING) waiting.delete(oldest)
  })

  function entriesOf({ id }: RunTrace): Map<number, JournalEntry> {
    const known = runs.get(id) ?? new Map<number, JournalEntry>()
    runs.delete(id)
    runs.set(id, known)
    const [oldest] = runs.keys()
    if (oldest !== undefined && runs.size > MAX_RUNS) runs.delete(oldest)
    return known
  }

  return (trace) => {
    const thread = `${trace.channel}:${trace.thread}`
    const known = entriesOf(trace)
    for (const [index, call] of trace.calls.entries()) {
      if (call.kind === 'model') placeModelCall(journal, waiting, call, thread)
      else known.set(index, noteTool(journal, known.get(index), call, thread))
    }
  }
}

/** Begins or ends the entry of a tool call. Ended entries are left unchanged. */
function noteTool(
  journal: Journal,
  known: JournalEntry | undefined,
  call: TracedToolCall,
  thread: string,
): JournalEntry {
  const { at, ms, tool, input, output, ok, error, step } = call
  const request: Json = { tool, input, step }
  const entry = known ?? journal.begin({ kind: 'tool', name: tool, at, thread, request })
  if (entry.ms !== undefined || ms === undefined) return entry
  const response = output === undefined ? undefined : typeof output === 'string' ? { text: output } : { ...output }
  const words = error ?? (ok ? undefined : wordsIn(response))
  journal.end(entry, { ms, ok, ...(words !== undefined && { error: words }), ...(response && { response }) })
  return entry
}

function wordsIn(response: Json | undefined): string {
  return typeof response?.['text'] === 'string' ? response['text'].slice(0, 200) : 'the tool failed'
}

/** Finds the run of a model call by its messages: the endpoint does not know it. A retried call has several entries. */
function placeModelCall(journal: Journal, waiting: Set<JournalEntry>, call: TracedModelCall, thread: string) {
  for (const entry of waiting) {
    if (!isSame(entry, call)) continue
    waiting.delete(entry)
    const part = call.for === 'step' && call.turn !== undefined ? `turn ${call.turn}` : PARTS[call.for]
    journal.amend(entry, { thread, name: `${entry.name}, ${part}` })
  }
}

const PARTS = { condense: 'condensing', step: 'turn', tool: 'for a tool' }

/** How many characters of a message are compared. The journal shortens long ones. */
const COMPARED = 2_000

function isSame({ request }: JournalEntry, { request: { messages } }: TracedModelCall): boolean {
  const sent: unknown = isObject(request['body']) ? request['body']['messages'] : undefined
  if (!Array.isArray(sent) || sent.length !== messages.length) return false
  return [0, messages.length - 1].every((i) => beginningOf(sent[i]) === messages[i]?.content.slice(0, COMPARED))
}

function beginningOf(message: unknown): string {
  const content = isObject(message) ? message['content'] : ''
  const parts: Message['content'][] = Array.isArray(content)
    ? content.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    : [typeof content === 'string' ? content : '']
  return (parts[0] ?? '').slice(0, COMPARED)
}
