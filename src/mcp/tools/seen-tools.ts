/** The listed tools of a server, cleaned, bounded, and checked for words that refer to other servers' tools. */
import { cleanText, namesOther, type TextFault } from './clean-text.ts'
import type { SeenTool } from './tool-pins.ts'
import { plainSchema } from './plain-schema.ts'
import type { ServerTool } from '../types.ts'

const DESCRIPTION_CHARS = 3_000
const NAME_CHARS = 200

/** The parts that were removed from a tool's description of itself. */
interface CleanedTool {
  tool: string
  faults: TextFault[]
}

/** Returns a server's list, cleaned and bounded. If two tools have the same name, the last one counts. */
export function seenTools(listed: readonly ServerTool[]): { seen: SeenTool[]; cleanings: CleanedTool[] } {
  const cleaned = [...new Map(listed.map((tool) => [tool.name, tool])).values()].map(cleanTool)
  const cleanings = cleaned.map(({ seen: { name: tool }, faults }) => ({ tool, faults }))
  return { seen: cleaned.map(({ seen }) => seen), cleanings: cleanings.filter(({ faults }) => faults.length > 0) }
}

function cleanTool(tool: ServerTool): { seen: SeenTool; faults: TextFault[] } {
  const { name, description, title, annotations } = tool
  const cleanedDescription = cleanText(description || title || '', DESCRIPTION_CHARS)
  const cleanedName = cleanText(name, NAME_CHARS)
  const plain = plainSchema(tool.inputSchema)
  const faults = [...new Set([...cleanedDescription.faults, ...cleanedName.faults, ...(plain.ok ? plain.faults : [])])]
  const hints = { readOnly: annotations.readOnlyHint === true, idempotent: annotations.idempotentHint === true }
  const broken = cleanedName.text !== name ? 'its name has invalid characters' : plain.ok ? undefined : plain.why
  return {
    faults,
    seen: {
      // A tool with an invalid name is shown and kept, but never called.
      name: cleanedName.text === name ? name : `${cleanedName.text}?`,
      ...(title === undefined ? {} : { title: cleanText(title, NAME_CHARS).text }),
      description: cleanedDescription.text,
      parameters: plain.ok ? plain.schema : { type: 'object', properties: {} },
      hints,
      ...(faults.includes('hidden') ? { suspect: 'contains invisible characters' } : {}),
      broken,
    },
  }
}

/** Returns why a tool is suspect next to other servers' tools: its words refer to one of them. */
export function shadowing({ description, parameters }: SeenTool, others: ReadonlySet<string>): string | undefined {
  const other = namesOther([description, ...textsIn(parameters)].join('\n'), others)
  return other === undefined ? undefined : `speaks of "${other}", a tool of another server`
}

function* textsIn(value: unknown, key = ''): Generator<string> {
  if (typeof value === 'string' && key !== 'pattern' && key !== '$ref') yield value
  if (typeof value !== 'object' || value === null) return
  for (const [name, one] of Object.entries(value)) yield* textsIn(one, name)
}
