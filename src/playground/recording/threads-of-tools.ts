import type { Entry, Journal } from '../journal.ts'
import type { HeardTool } from './heard.ts'

/** Which thread each use of a tool was for, as `channel:root ts`: a tool does not know, the journal has it of the run's trace. */
export function threadsOfTools(tools: HeardTool[], journal: Journal): Map<HeardTool, string> {
  const told = journal.entries().filter(({ kind, of }) => kind === 'tool' && of === undefined)
  const byCall = new Map<string, Entry[]>()
  for (const entry of told) {
    const key = callKey(entry.name, entry.request['input'])
    byCall.set(key, [...(byCall.get(key) ?? []), entry])
  }
  const threads = new Map<HeardTool, string>()
  for (const tool of tools) {
    const same = byCall.get(callKey(tool.tool, tool.input)) ?? []
    const [nearest] = same.toSorted((a, b) => Math.abs(a.at - tool.at) - Math.abs(b.at - tool.at))
    if (!nearest) continue
    same.splice(same.indexOf(nearest), 1)
    if (nearest.thread !== undefined) threads.set(tool, nearest.thread)
  }
  return threads
}

function callKey(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`
}
