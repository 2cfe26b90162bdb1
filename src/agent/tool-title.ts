import type { Action } from './contracts/run-events.ts'
import type { Tool } from './contracts/tool.ts'

const MAX_CHARS = 60
/** Real names are shorter. A model can invent one of a megabyte, which takes 50 ms to rewrite. */
const MAX_NAME_CHARS = 1_000

/** Returns a tool's name in people's words, on one line: its title, or `notes__add_item` of `notes` as "Add item". */
export function toolTitle({ name, title = '', server }: Pick<Tool, 'name' | 'title' | 'server'>): string {
  const given = title.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  if (given !== '' && given.length <= MAX_CHARS) return given
  const own = server === undefined ? name : name.replace(/^.*?__/, '')
  const words = own
    .slice(0, MAX_NAME_CHARS)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Returns the name of a step's tool for people. */
export function actionTitle({ tool, title }: Pick<Action, 'tool' | 'title'>): string {
  return title ?? toolTitle({ name: tool })
}

/** Adds the tool's title to an action, if its name alone would not give it. */
export function withTitle(action: Action, tools: readonly Tool[]): Action {
  const tool = tools.find(({ name }) => name === action.tool)
  const title = tool && toolTitle(tool)
  return title === undefined || title === actionTitle({ tool: action.tool }) ? action : { ...action, title }
}
