/** The list of built-in tools: a new one is a file and a row here. */
import type { Tool } from '../src/agent/contracts/tool.ts'
import type { Config } from '../src/config.ts'
import { ConfigError } from '../src/base/errors.ts'
import { arxiv } from './arxiv.ts'
import { calculator } from './calculator.ts'
import { duckduckgo } from './duckduckgo.ts'
import { invoices } from './examples/invoices/index.ts'
import { githubUser } from './github-user.ts'
import { llmMath } from './llm-math.ts'
import { readChannelTool, readThreadTool } from './read-workspace.ts'
import { readPage } from './read-page.ts'
import { makeFile } from './make-file.ts'
import type { ToolParts, ToolSettings } from './tool-settings.ts'
import { webSearch } from './web-search.ts'
import { wikipedia } from './wikipedia.ts'
import { workspaceSearch } from './workspace-search.ts'

export type { ToolParts, ToolSettings } from './tool-settings.ts'

/** The tools behind one name of TOOLS. */
interface ToolEntry {
  make(parts: ToolParts): Tool | Tool[]
  /** Its line in docs/tools.md. */
  does: string
  /** Off unless TOOLS names it: an example, or a tool that overlaps with others. */
  onlyWhenNamed?: boolean
  /** The settings of which it needs one. */
  needs?: (keyof Config)[]
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

const ENTRIES: Record<string, ToolEntry> = {
  calculator: {
    make: calculator,
    does: 'calculates; it cannot run code',
    sample: { expression: '6 * 7' },
  },
  wikipedia: {
    make: wikipedia,
    does: 'reads the beginning of a page, then finds sentences with a keyword; works with any MediaWiki',
    sample: { query: 'Wikipedia' },
  },
  search: {
    make: webSearch,
    does: 'searches the web with the engine of `SEARCH_ENGINE`, or Google through SerpApi (`SERPAPI_API_KEY`); see [below](#web-search)',
    needs: ['SERPAPI_API_KEY', 'SEARCH_ENGINE'],
    sample: { query: 'Wikipedia' },
  },
  duckduckgo: {
    make: duckduckgo,
    does: "DuckDuckGo's instant answers",
    sample: { query: 'Wikipedia' },
  },
  read_page: {
    make: readPage,
    does: 'reads a web page or a document at an address that somebody named, or that a search found; see [below](#pages)',
  },
  arxiv: {
    make: arxiv,
    does: 'finds papers: title, authors, date, abstract, link',
    sample: { query: 'attention is all you need' },
  },
  github_user: {
    make: githubUser,
    does: 'the public figures of a GitHub user',
    sample: { login: 'octocat' },
  },
  make_file: {
    make: makeFile,
    does: 'attaches a text file, such as a table as csv, to the answer; only in Slack',
  },
  workspace_search: {
    make: workspaceSearch,
    does: "searches the workspace with Slack's own search; see [Files and search](files-and-search.md)",
    ofWorkspace: true,
  },
  read_channel: {
    make: readChannelTool,
    does: "reads a channel's messages since or between times, with its threads",
    ofWorkspace: true,
  },
  read_thread: {
    make: readThreadTool,
    does: 'reads the thread behind a Slack link',
    ofWorkspace: true,
  },
  llm_math: {
    make: llmMath,
    does: 'turns a sum in words into an expression and calculates it',
    onlyWhenNamed: true,
  },
  invoices: {
    make: invoices,
    does: 'an example to learn from, for `AGENT_DIALECT=bracket`',
    onlyWhenNamed: true,
    examples: 'tools/examples/invoices/examples.md',
  },
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
  const named = settings.TOOLS ?? toolNames.filter((name) => !ENTRIES[name]?.onlyWhenNamed)
  return [...new Set(named)].filter((name) => isGiven(toolEntry(name), settings))
}

/** Returns the built-in tools that are off, each with the reason. */
export function toolsOff(settings: ToolSettings): { name: string; why: string }[] {
  const on = new Set(toolsOn(settings))
  const off = Object.entries(ENTRIES).filter(([name]) => !on.has(name))
  return off.map(([name, entry]) => {
    const lacking = isGiven(entry, settings) ? undefined : (entry.needs?.join(' or ') ?? 'Slack and a model')
    return { name, why: lacking ? `needs ${lacking}` : 'not among TOOLS' }
  })
}

/** Returns the files with worked examples for the chosen tools, relative to the package root. @throws ConfigError */
export function exampleFiles(settings: ToolSettings): string[] {
  return chosen(settings).flatMap((entry) => entry.examples ?? [])
}

function chosen(settings: ToolSettings): ToolEntry[] {
  return [...new Set(settings.TOOLS ?? toolsOn(settings))].flatMap((name) => {
    const entry = toolEntry(name)
    if (!entry) throw new ConfigError(`TOOLS: there is no tool "${name}". Choose from ${toolNames.join(', ')}.`)
    if (entry.ofWorkspace) return isGiven(entry, settings) ? entry : []
    if (!isGiven(entry, settings))
      throw new ConfigError(`TOOLS: ${name} needs ${entry.needs?.join(' or ')}. Set it, or remove ${name}.`)
    return entry
  })
}

export function toolEntry(name: string): ToolEntry | undefined {
  return Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined
}

function isGiven(entry: ToolEntry | undefined, settings: ToolSettings): boolean {
  if (entry?.ofWorkspace) return settings.hasWorkspace === true
  return entry !== undefined && (entry.needs?.some((name) => Boolean(settings[name])) ?? true)
}
