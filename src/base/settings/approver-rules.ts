/** Parses APPROVERS: who besides the asker may approve a tool's calls. */
import { z } from 'zod'

/**
 * The people who may decide, for everything or for one server or tool. If several lists fit a tool, the people of all
 * of them may decide.
 */
export interface ApproverList {
  /**
   * A server's or tool's name, or a tool name's prefix followed by `*`. Absent for the list that applies to everything.
   */
  name?: string
  /** People (`U…`, `W…`) and user groups (`S…`). */
  ids: string[]
  /** The asker may not decide, unless a list names them. */
  notAsker: boolean
}

const ID = /^[UWS][A-Z0-9]{5,}$/
const NAME = /^[\w.-]{1,128}\*?$/
const NOT_ASKER = 'not-asker'

const FORM =
  'ids of people (U0123456789) and user groups (S0123456789), or NAME=ID|ID for a server or a tool, separated by commas; not-asker excludes the asker'

/**
 * Parses `U0ALICE00001,github=S0DEVS00001|not-asker,files__*=U0BOB0000001`. A list with `not-asker` must have somebody
 * else who may decide.
 */
export const approvers = z.string().transform((value, context): ApproverList[] => {
  const lists = new Map<string, ApproverList>()
  let isValid = true
  for (const entry of value.split(',').map((one) => one.trim())) {
    if (entry === '') continue
    const at = entry.indexOf('=')
    const name = entry.slice(0, Math.max(0, at)).trim()
    isValid &&= at < 0 || NAME.test(name)
    const list = lists.get(name) ?? { ...(at < 0 ? {} : { name }), ids: [], notAsker: false }
    for (const word of entry.slice(at + 1).split('|')) isValid = add(list, word.trim()) && isValid
    lists.set(name, list)
  }
  const all = [...lists.values()]
  const general = lists.get('')?.ids.length ?? 0
  if (isValid && all.every(({ ids, notAsker }) => !notAsker || ids.length + general > 0)) return all
  context.addIssue(isValid ? `${FORM}, and then somebody else must be named` : FORM)
  return z.NEVER
})

function add(list: ApproverList, word: string): boolean {
  if (word === NOT_ASKER) list.notAsker = true
  else if (ID.test(word)) list.ids.push(word)
  else return false
  return true
}
