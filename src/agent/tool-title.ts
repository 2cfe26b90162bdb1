import type { Tool } from './contracts/tool.ts'

const MAX_CHARS = 60

/** Returns a tool's name in people's words, on one line: its title, or `notes__add_item` of `notes` as "Add item". */
export function toolTitle({ name, title = '', server }: Pick<Tool, 'name' | 'title' | 'server'>): string {
  const given = title.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  if (given !== '' && given.length <= MAX_CHARS) return given
  const own = server === undefined ? name : name.replace(/^.*?__/, '')
  const words = own.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
