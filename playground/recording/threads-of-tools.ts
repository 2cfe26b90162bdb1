import type { JournalEntry, Journal } from '../journal/journal.ts'
import type { ObservedTool } from './heard.ts'

/**
 * Returns the thread of each tool call, as `channel:root ts`. Tools do not know it, so it is taken from the run's trace
 * in the journal.
 */
export function threadsOfTools(tools: ObservedTool[], journal: Journal): Map<ObservedTool, string> {
  const told = journal.entries().filter(({ kind, of }) => kind === 'tool' && of === undefined)
  const byCall = new Map<string, JournalEntry[]>()
  for (const entry of told) {
    const key = callKey(entry.name, entry.request['input'])
    const same = byCall.get(key)
    if (same) same.push(entry)
    else byCall.set(key, [entry])
  }
  const threads = new Map<ObservedTool, string>()
  for (const tool of tools) {
    const same = byCall.get(callKey(tool.tool, tool.input)) ?? []
    const farOf = (i: number) => Math.abs((same[i]?.at ?? Infinity) - tool.at)
    const nearest = same.reduce((best, _, i) => (farOf(i) < farOf(best) ? i : best), 0)
    const [entry] = same.splice(nearest, 1)
    if (entry?.thread !== undefined) threads.set(tool, entry.thread)
  }
  return threads
}

function callKey(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`
}
