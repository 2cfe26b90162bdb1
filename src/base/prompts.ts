import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './errors.ts'
import { ROOT } from './package-root.ts'

/**
 * The variables of each prompt file. A file must use exactly these. The README in prompts/ says where each file is
 * used.
 */
export const PROMPT_VARIABLES = {
  'standalone-question': ['history', 'question'],
  'standalone-turns': [],
  'earlier-turns': ['turns'],
  'thread-messages': ['messages'],
  'thread-files': ['files'],
  remembered: ['remembered'],
  'done-before': ['calls'],
  'unseen-pictures': ['names'],
  'house-instructions': ['instructions'],
  cards: ['call', 'tools'],
  'about-you': ['name', 'abilities'],
  'asked-in': ['place', 'asker', 'time'],
  links: ['tool'],
  skills: ['call', 'skills'],
  'channel-instructions': ['instructions'],
  'quiet-schedule': [],
  'final-turn': ['reason', 'known', 'question', 'form'],
  text: ['tools', 'tool_names', 'today'],
  'text-turns': [],
  json: ['tools', 'tool_names', 'today'],
  'json-turns': [],
  docstore: ['today'],
  bracket: ['tools', 'examples', 'today'],
  'self-ask': ['today'],
  conversational: ['tools', 'tool_names', 'today'],
  native: ['today'],
  structured: ['tools', 'tool_names', 'today'],
  'structured-turns': [],
  'more-tools': ['tools', 'how'],
  'llm-math': ['question'],
} as const

export type PromptName = keyof typeof PROMPT_VARIABLES
export type Prompts = {
  [Name in PromptName]: (values: Record<(typeof PROMPT_VARIABLES)[Name][number], string>) => string
}

/**
 * Reads all prompt files of `folder` (`NAME.md`, variables as `{{name}}`) and checks their variables.
 * @throws ConfigError that names the file and the variable (or the missing or unknown file)
 */
export function loadPrompts(folder = join(ROOT, 'prompts')): Prompts {
  const unknown = readdirSync(folder).find(
    (f) => f.endsWith('.md') && f !== 'README.md' && !(f.slice(0, -3) in PROMPT_VARIABLES),
  )
  if (unknown) throw new ConfigError(`prompts/${unknown} is not used. Remove or rename it.`)
  const entries = Object.entries(PROMPT_VARIABLES).map(([name, variables]) => [name, load(folder, name, variables)])
  return Object.fromEntries(entries) as Prompts
}

function load(folder: string, name: string, variables: readonly string[]): (values: Record<string, string>) => string {
  // Values are joined in, never searched: `$&` or `{{x}}` in a value stays as it is.
  const parts = read(folder, name).split(/\{\{\s*([\w-]+)\s*\}\}/)
  const used = new Set(parts.filter((_, i) => i % 2 === 1))
  for (const variable of variables)
    if (!used.has(variable))
      throw new ConfigError(`prompts/${name}.md lacks the variable {{${variable}}}. Put it back.`)
  for (const variable of used)
    if (!variables.includes(variable))
      throw new ConfigError(
        `prompts/${name}.md uses {{${variable}}}, which does not exist. It can use ${variables.join(', ')}.`,
      )
  return (values) => parts.map((part, i) => (i % 2 === 1 ? (values[part] ?? '') : part)).join('')
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, `${name}.md`), 'utf8').trimEnd()
  } catch {
    throw new ConfigError(`prompts/${name}.md is missing. Put it back.`)
  }
}
