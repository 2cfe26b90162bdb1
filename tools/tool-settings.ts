import type { FilePart, ToolContext, ToolFetch, ToolOutput } from '../src/agent/contracts/tool.ts'
import type { Config } from '../src/config.ts'
import type { FetchLimits, ToolHttp } from '../src/base/http/tool-http.ts'

/** The operator's settings. Without TOOLS: every tool that needs no key, and those whose key is set. */
export interface ToolSettings extends Partial<Config> {
  /** Whether questions come from a Slack workspace. The terminal, the evaluation and the demo have none. */
  hasWorkspace?: boolean | undefined
}

/** The parts that a built-in tool is built from. */
export interface ToolParts {
  settings: ToolSettings
  http: ToolHttp
  /** Absent where no pages are read. */
  pages?: PageReader | undefined
  /** Prompts with which tools ask the model, by file name; `loadPrompts()` fits. */
  prompts?: { 'llm-math'(values: { question: string }): string } | undefined
}

/** A page or a document of the web, as it was fetched. */
export interface FetchedPage {
  address: string
  bytes: Uint8Array
  /** The Content-Type of the response. */
  type: string
}

/** The part of a page to read, as a model names it. */
interface WantedPage extends FilePart {
  /** Reads everything on the page, and not only its main text. */
  whole?: boolean | undefined
}

/** Turns fetched pages into text. */
export interface PageReader {
  /** @throws ToolError with a sentence that says why there is no text */
  read(page: FetchedPage, part: WantedPage, call: { maxChars: number; context: ToolContext }): Promise<ToolOutput>
}

/** A service: its address, and a fetch that can only reach this address's host. */
export interface Service {
  url: string
  fetch: ToolFetch
}

/**
 * Returns the service that a setting names, or the public one. Only a host that an operator named may be on a private
 * network. The public one is refused there, even if its DNS entry is forged.
 */
export function serviceOf(
  http: ToolHttp,
  setting: string | undefined,
  standard: string,
  scope: Omit<FetchLimits, 'hosts' | 'inside'>,
): Service {
  const url = setting ?? standard
  const inside = new URL(url).origin !== new URL(standard).origin
  return { url, fetch: http.scope({ ...scope, hosts: [url], inside }) }
}
