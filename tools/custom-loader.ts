/** Loads custom tools: files in a folder, each with a tool (or a list of tools) as its default export. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../src/base/errors.ts'
import { asTool, type CustomTool } from './custom-tool.ts'

export interface CustomTools {
  tools: CustomTool[]
  /** Skipped files, each with a sentence about what is wrong. */
  problems: { file: string; fault: string }[]
}

const TOOL_FILE = /^(?![._]).*(?<!\.d|\.test)\.m?[jt]s$/
/** How long a file may take to load, in milliseconds. */
const LOAD_MS = 10_000

/**
 * Loads every `.js`, `.mjs` and `.ts` file of the folder, in the order of their names. `taken` are names that are in
 * use. A file that cannot be read, has no sound tool, or takes longer than `loadMs` to load, is reported in `problems`
 * and left out; nothing throws.
 */
export async function loadCustomTools(dir: string, taken: string[] = [], loadMs = LOAD_MS): Promise<CustomTools> {
  const loaded: CustomTools = { tools: [], problems: [] }
  for (const file of await toolFiles(dir, loaded.problems)) {
    try {
      const names = [...taken, ...loaded.tools.map((tool) => tool.name)]
      loaded.tools.push(...toolsIn(await defaultExport(join(dir, file), loadMs), names))
    } catch (error) {
      loaded.problems.push({ file, fault: messageOf(error).split('\n', 1)[0] ?? '' })
    }
  }
  return loaded
}

async function toolFiles(dir: string, problems: CustomTools['problems']): Promise<string[]> {
  try {
    return (await readdir(dir)).filter((file) => TOOL_FILE.test(file)).sort()
  } catch {
    problems.push({ file: dir, fault: 'The folder does not exist or cannot be read.' })
    return []
  }
}

/** Node loads JavaScript itself; TypeScript goes through jiti, since Node 20 cannot load it. */
async function defaultExport(path: string, loadMs: number): Promise<unknown> {
  const loading = /\.m?ts$/.test(path) ? importTypeScript(path) : import(pathToFileURL(path).href)
  const module: unknown = await Promise.race([loading, tooSlow(loadMs)])
  if (typeof module !== 'object' || module === null || !('default' in module))
    throw new Error('It has no default export: a tool, or a list of tools.')
  return module.default
}

/** jiti is loaded only for such a file. */
async function importTypeScript(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  return createJiti(import.meta.url, { fsCache: false }).import(path)
}

/** A file with a top-level await must not keep the bot from starting. */
async function tooSlow(loadMs: number): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, loadMs).unref())
  throw new Error(`It did not finish loading within ${loadMs / 1000} s.`)
}

/** Returns all tools of a file. @throws Error for the first one that is not sound */
function toolsIn(exported: unknown, taken: string[]): CustomTool[] {
  const tools: CustomTool[] = []
  for (const one of Array.isArray(exported) ? exported : [exported])
    tools.push(asTool(one, [...taken, ...tools.map((tool) => tool.name)]))
  return tools
}
