/** The one list of built-in tools. A line here, and a file beside it, is all that a new one needs. */
import type { Tool } from '../src/agent/types.ts'
import { ConfigError } from '../src/errors.ts'
import { calculator } from './calculator.ts'
import type { ToolParts, ToolSettings } from './settings.ts'
import { wikipedia } from './wikipedia.ts'

export type { ToolParts, ToolSettings } from './settings.ts'

/** What stands behind one name of TOOLS. */
interface Entry {
  make(parts: ToolParts): Tool[]
  /** Without TOOLS, only tools that are there for everyone are on; those that teach or overlap wait to be asked for. */
  onlyWhenNamed?: boolean
  /** The setting without which it cannot work. */
  needs?: { setting: string; given(settings: ToolSettings): boolean }
}

const ENTRIES: Record<string, Entry> = {
  calculator: { make: () => [calculator()] },
  wikipedia: { make: wikipedia },
}

/** The names that TOOLS takes, in the order in which a prompt lists the tools. */
export const toolNames = Object.keys(ENTRIES)

/**
 * Builds the tools that TOOLS names, in its order; without TOOLS, those that need no key and those whose key is set.
 * @throws ConfigError naming TOOLS, for a name that does not exist or a tool whose key is missing.
 */
export function createToolbox(parts: ToolParts): Tool[] {
  return chosen(parts.settings).flatMap((entry) => entry.make(parts))
}

/** The same check without building anything. @throws ConfigError */
export function checkToolNames(settings: ToolSettings): void {
  chosen(settings)
}

function chosen(settings: ToolSettings): Entry[] {
  const isGiven = (entry: Entry) => entry.needs?.given(settings) ?? true
  if (!settings.enabled) return Object.values(ENTRIES).filter((entry) => !entry.onlyWhenNamed && isGiven(entry))
  return [...new Set(settings.enabled)].map((name) => {
    const entry = Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined
    if (!entry)
      throw new ConfigError(`TOOLS names "${name}", which does not exist. There are: ${toolNames.join(', ')}.`)
    if (!isGiven(entry)) throw new ConfigError(`TOOLS names ${name}, which needs ${entry.needs?.setting}.`)
    return entry
  })
}
