/** The list of built-in tools. CONTRIBUTING.md says what a new tool needs. */
import type { Tool } from '../src/agent/contracts/tool.ts'
import { ConfigError } from '../src/base/errors.ts'
import { arxiv } from './arxiv.ts'
import { calculator } from './calculator.ts'
import { duckduckgo } from './duckduckgo.ts'
import { invoices } from './examples/invoices/index.ts'
import { githubUser } from './github-user.ts'
import { llmMath } from './llm-math.ts'
import { readChannel } from './read-channel.ts'
import { readThread } from './read-thread.ts'
import { makeFile } from './make-file.ts'
import type { ToolParts, ToolSettings } from './tool-settings.ts'
import { webSearch } from './web-search.ts'
import { wikipedia } from './wikipedia.ts'
import { workspaceSearch } from './workspace-search.ts'

export type { ToolParts, ToolSettings } from './tool-settings.ts'

/** The tools behind one name of TOOLS. */
interface ToolEntry {
  make(parts: ToolParts): Tool | Tool[]
  /** Off unless TOOLS names it: an example, or a tool that overlaps with others. */
  onlyWhenNamed?: boolean
  /** The setting that it needs. */
  needs?: { setting: string; given(settings: ToolSettings): boolean }
  /**
   * Available if questions come from a workspace. TOOLS may name it anywhere, since one file of settings serves all
   * commands.
   */
  ofWorkspace?: boolean
  /** A harmless input with which `npm run doctor` tries the tool of the same name. Without one it is not tried. */
  sample?: Record<string, string>
  /** Worked examples for AGENT_DIALECT=bracket, relative to the package root. */
  examples?: string
}

const serpapiKey = { setting: 'SERPAPI_API_KEY', given: (settings: ToolSettings) => Boolean(settings.serpapiApiKey) }

const ENTRIES: Record<string, ToolEntry> = {
  calculator: { make: calculator, sample: { expression: '6 * 7' } },
  wikipedia: { make: wikipedia, sample: { query: 'Wikipedia' } },
  search: { make: webSearch, needs: serpapiKey },
  duckduckgo: { make: duckduckgo, sample: { query: 'Wikipedia' } },
  arxiv: { make: arxiv, sample: { query: 'attention is all you need' } },
  github_user: { make: githubUser, sample: { login: 'octocat' } },
  make_file: { make: makeFile },
  workspace_search: { make: workspaceSearch, ofWorkspace: true },
  read_channel: { make: readChannel, ofWorkspace: true },
  read_thread: { make: readThread, ofWorkspace: true },
  llm_math: { make: llmMath, onlyWhenNamed: true },
  invoices: { make: invoices, onlyWhenNamed: true, examples: 'tools/examples/invoices/examples.md' },
}

/** The names allowed in TOOLS, in the order in which a prompt lists the tools. */
export const toolNames = Object.keys(ENTRIES)

/**
 * Builds the tools that TOOLS names, in its order; without TOOLS, those that need no key and those whose key is set.
 * @throws ConfigError naming TOOLS, if a name does not exist or a tool's key is missing.
 */
export function createToolbox(parts: ToolParts): Tool[] {
  return chosen(parts.settings).flatMap((entry) => entry.make(parts))
}

/** The same check without building anything. @throws ConfigError */
export function checkToolNames(settings: ToolSettings): void {
  chosen(settings)
}

/**
 * Returns the names of TOOLS whose tools are on: those that are named, or all that are on by default, if their key is
 * set. Unknown names are left out; `checkToolNames` reports them.
 */
export function toolsOn(settings: ToolSettings): string[] {
  const named = settings.enabled ?? toolNames.filter((name) => !ENTRIES[name]?.onlyWhenNamed)
  return [...new Set(named)].filter((name) => isGiven(entryOf(name), settings))
}

/** Returns the built-in tools that are off, each with the reason. */
export function toolsOff(settings: ToolSettings): { name: string; why: string }[] {
  const on = new Set(toolsOn(settings))
  const off = Object.entries(ENTRIES).filter(([name]) => !on.has(name))
  return off.map(([name, entry]) => {
    const lacking = isGiven(entry, settings) ? undefined : (entry.needs?.setting ?? 'Slack and a model')
    return { name, why: lacking ? `needs ${lacking}` : 'not among TOOLS' }
  })
}

/** Returns the files with worked examples for the chosen tools, relative to the package root. @throws ConfigError */
export function exampleFiles(settings: ToolSettings): string[] {
  return chosen(settings).flatMap((entry) => entry.examples ?? [])
}

/** Returns the input with which a tool may be tried, if it has one. */
export function sampleFor(name: string): Record<string, string> | undefined {
  return entryOf(name)?.sample
}

function chosen(settings: ToolSettings): ToolEntry[] {
  return [...new Set(settings.enabled ?? toolsOn(settings))].flatMap((name) => {
    const entry = entryOf(name)
    if (!entry) throw new ConfigError(`TOOLS: there is no tool "${name}". Choose from ${toolNames.join(', ')}.`)
    if (entry.ofWorkspace) return isGiven(entry, settings) ? entry : []
    if (!isGiven(entry, settings))
      throw new ConfigError(`TOOLS: ${name} needs ${entry.needs?.setting}. Set it, or remove ${name}.`)
    return entry
  })
}

function entryOf(name: string): ToolEntry | undefined {
  return Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined
}

function isGiven(entry: ToolEntry | undefined, settings: ToolSettings): boolean {
  if (entry?.ofWorkspace) return settings.hasWorkspace === true
  return entry !== undefined && (entry.needs?.given(settings) ?? true)
}
