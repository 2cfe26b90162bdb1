import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { loadCustomTools, type CustomTools } from '../../tools/custom-loader.ts'
import type { CustomTool } from '../../tools/custom-tool.ts'
import { pageReader } from '../files/web-pages.ts'
import { checkToolNames, createToolbox, exampleFiles, toolNames, toolsOff, toolsOn } from '../../tools/index.ts'
import type { Tool } from '../agent/contracts/tool.ts'
import type { Config } from '../config.ts'
import type { ToolHttp } from '../base/http/tool-http.ts'
import type { Log } from '../base/log.ts'
import type { Prompts } from '../base/prompts.ts'
import { ROOT } from '../base/package-root.ts'

/** The tools of a run, and their worked examples for AGENT_DIALECT=bracket. */
export interface Toolbox {
  tools: Tool[]
  examples: string
  /** The tools that are off or broken, each with the reason, in words for people. */
  off: { name: string; why: string }[]
}

/** A file of custom tools that cannot be used, with a sentence about its fault. */
export type BrokenToolFile = CustomTools['problems'][number]

interface ToolboxParts {
  http: ToolHttp
  prompts: Prompts
  log: Log
  /** Called with each custom tool that is left out, in place of a log line. */
  leftOut?: ((one: BrokenToolFile) => void) | undefined
  /** Whether questions come from a Slack workspace. */
  hasWorkspace?: boolean | undefined
}

/**
 * Opens the built-in tools that TOOLS names and every sound tool in CUSTOM_TOOLS_DIR. A file in that folder is on, and
 * may take the name of a built-in tool that is off. A broken file is named with its fault and left out.
 * @throws ConfigError for an unknown name in TOOLS
 */
export async function openToolbox(config: Config, parts: ToolboxParts): Promise<Toolbox> {
  const { log, http, prompts, hasWorkspace } = parts
  const { leftOut = (one) => log.warn(one, 'skipped a custom tool') } = parts
  const wanted = { ...config, hasWorkspace }
  const on = { ...wanted, TOOLS: toolsOn(wanted) }
  const builtIn = createToolbox({ settings: on, http, prompts, pages: pageReader() })
  const dir = resolve(ROOT, config.CUSTOM_TOOLS_DIR)
  const taken = ['read_skill', ...on.TOOLS, ...builtIn.map((tool) => tool.name)]
  const { tools: written, problems } = await loadCustomTools(dir, taken)
  const custom = written.map((tool) => withHosts(tool, http))
  problems.forEach(leftOut)
  checkToolNames({ ...wanted, TOOLS: config.TOOLS?.filter((name) => !custom.some((tool) => tool.name === name)) })
  if (custom.length > 0) log.info({ tools: custom.map((tool) => tool.name) }, 'custom tools loaded')
  const files = [...exampleFiles(on).map((file) => join(ROOT, file)), join(dir, 'examples.md')]
  const examples = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8').trim())
  const names = new Set(custom.map((tool) => tool.name))
  const off = toolsOff(wanted).filter(({ name }) => !names.has(name))
  // The log gets the fault of a file too: it may quote the file.
  const broken = problems.map(({ file }) => ({ name: basename(file), why: 'cannot be loaded; see the log' }))
  return { tools: [...builtIn, ...custom], examples: examples.join('\n\n'), off: [...off, ...broken] }
}

/** Returns the names for TOOLS that turn on every built-in tool that can be used, given the keys that are set. */
export function everyToolName(config: Config): string[] {
  return toolsOn({ ...config, TOOLS: toolNames })
}

/** Returns a sentence for a terminal, without control characters: the fault may quote the file. */
export function leftOutSentence({ file, fault }: BrokenToolFile): string {
  return `Skipped the custom tool ${file}: ${fault}`.replace(/\p{Cc}+/gu, ' ')
}

/** Lets a custom tool call the internal hosts that it names. Other custom tools may call public hosts only. */
function withHosts({ hosts, ...tool }: CustomTool, http: ToolHttp): Tool {
  if (!hosts?.length) return tool
  const origins = hosts.flatMap((host) => ['http', 'https'].map((scheme) => new URL(`${scheme}://${host}`).origin))
  const inside = http.scope({ name: tool.name, hosts: origins, inside: true, cacheMs: 0 })
  const isInside = (url: string | URL) => URL.canParse(String(url)) && origins.includes(new URL(url).origin)
  return {
    ...tool,
    run(input, context) {
      const { fetch } = context
      const signalled: typeof fetch = (url, options) => inside(url, { signal: context.signal, ...options })
      return tool.run(input, { ...context, fetch: (url, options) => (isInside(url) ? signalled : fetch)(url, options) })
    },
  }
}
