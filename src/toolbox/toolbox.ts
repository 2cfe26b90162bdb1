import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadCustomTools } from '../../tools/custom-loader.ts'
import { createToolbox, exampleFiles, toolNames, type ToolSettings } from '../../tools/index.ts'
import type { Tool } from '../agent/types.ts'
import type { Config } from '../config.ts'
import type { ToolHttp } from './http/tool-http.ts'
import type { Log } from '../log.ts'
import type { Prompts } from '../prompts.ts'
import { ROOT } from '../package-root.ts'

/** The tools of a run, and the worked examples that stand beside them for AGENT_DIALECT=bracket. */
export interface Toolbox {
  tools: Tool[]
  examples: string
}

/**
 * The built-in tools that TOOLS names and every sound tool in CUSTOM_TOOLS_DIR: to lie there is to be on. A broken file is
 * named in the log with its fault and left out. @throws ConfigError for a name in TOOLS that nothing has.
 */
export async function openToolbox(
  config: Config,
  parts: { http: ToolHttp; prompts: Prompts; log: Log },
): Promise<Toolbox> {
  const { log, http, prompts } = parts
  const dir = resolve(ROOT, config.CUSTOM_TOOLS_DIR)
  const { tools: loaded, problems } = await loadCustomTools(dir, toolNames)
  for (const { file, fault } of problems) log.warn({ file, fault }, 'a custom tool is left out')
  const settings = settingsOf(config, loaded)
  const builtIn = createToolbox({ settings, http, prompts })
  const custom = loaded.filter((tool) => isFree(tool, builtIn, log))
  if (custom.length > 0) log.info({ tools: custom.map((tool) => tool.name) }, 'custom tools loaded')
  const tools = [...builtIn, ...custom]
  const files = [...exampleFiles(settings).map((file) => join(ROOT, file)), join(dir, 'examples.md')]
  const examples = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8').trim())
  return { tools, examples: examples.join('\n\n') }
}

/** One name of TOOLS can stand for several tools; which names are taken is known when they are built. */
function isFree({ name }: Tool, builtIn: Tool[], log: Log): boolean {
  const isTaken = builtIn.some((tool) => tool.name === name)
  if (isTaken) log.warn({ tool: name, fault: `The name "${name}" is in use already.` }, 'a custom tool is left out')
  return !isTaken
}

function settingsOf(config: Config, custom: Tool[]): ToolSettings {
  const isCustom = (name: string) => custom.some((tool) => tool.name === name)
  return {
    enabled: config.TOOLS?.filter((name) => !isCustom(name)),
    wikipediaApiUrl: config.WIKIPEDIA_API_URL,
    arxivApiUrl: config.ARXIV_API_URL,
    duckduckgoUrl: config.DUCKDUCKGO_URL,
    serpapiUrl: config.SERPAPI_URL,
    serpapiApiKey: config.SERPAPI_API_KEY,
    githubApiUrl: config.GITHUB_API_URL,
    githubToken: config.GITHUB_TOKEN,
  }
}
