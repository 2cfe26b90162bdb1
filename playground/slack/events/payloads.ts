/** The payloads of people's messages and presses. */
import { isObject } from '../args.ts'
import { option, pickedKey } from './form-state.ts'
import { TEAM } from '../store.ts'
import type { Json, User } from '../types.ts'

/**
 * Returns a person's text as Slack's editor sends it: a rich_text block with mentions and addresses as separate
 * elements.
 */
export function richText(text: string): Json {
  const elements = text
    .split(/(<[@#!][^<>\n]+>|<(?:https?:\/\/|mailto:|tel:)[^<>\n]+>)/)
    .filter(Boolean)
    .map((part) => (part.startsWith('<') ? element(part) : undefined) ?? { type: 'text', text: decoded(part) })
  return { type: 'rich_text', block_id: 'b1', elements: [{ type: 'rich_text_section', elements }] }
}

/** The element of a mention or a link, such as `<@U…>` or `<https://…|words>`. */
function element(markup: string): Json | undefined {
  const [target = '', label] = markup.slice(1, -1).split('|', 2)
  const [, sign, id = ''] = /^(@|#|!subteam\^|!)([\w-]+)$/.exec(target) ?? []
  if (sign === '@') return { type: 'user', user_id: id }
  if (sign === '#') return { type: 'channel', channel_id: id }
  if (sign === '!subteam^') return { type: 'usergroup', usergroup_id: id }
  if (sign === '!') return { type: 'broadcast', range: id }
  if (target.startsWith('!')) return undefined
  return { type: 'link', url: decoded(target), ...(label === undefined ? {} : { text: decoded(label) }) }
}

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Returns the message in an ack, which may be JSON or bare text. */
export function parsed(body: string): Json {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : { text: String(value) }
  } catch {
    return { text: body }
  }
}

/** The element to press or choose, by its `action_id`, with its value if it has several. */
export interface ElementChoice {
  action_id: string
  /** The value of a button, a thumb, or an option. */
  value?: string
  /** The values of several options. */
  values?: string[]
  extra?: Json
}

/** An element that can be pressed, and its block. */
interface Pressable {
  block: string
  element: Json
}

/** Returns the element, also in containers. If several share an `action_id`, returns the one with this value. */
export function findAction(blocks: Json[] | undefined, { action_id, value }: ElementChoice): Pressable | undefined {
  const found = pressables(blocks ?? []).filter(({ element }) => element['action_id'] === action_id)
  return found.find(({ element }) => value !== undefined && element['value'] === value) ?? found[0]
}

function pressables(blocks: Json[]): Pressable[] {
  return blocks.flatMap((block, index) => {
    const several: unknown[] = Array.isArray(block['elements']) ? block['elements'] : []
    const elements = [...several, block['accessory'], block['element']].filter(isObject)
    const id = String(block['block_id'] ?? `b${index}`)
    const children: Json[] = Array.isArray(block['child_blocks']) ? block['child_blocks'] : []
    return [...elements.map((element) => ({ block: id, element })), ...pressables(children)]
  })
}

/** Returns one of an interaction's `actions`. */
export function actionOf({ block, element }: Pressable, chosen: ElementChoice, ts: string): Json {
  const { type, text } = element
  const what = { type, action_id: chosen.action_id, block_id: block, action_ts: ts }
  return { ...what, ...(isObject(text) && { text }), ...held(element, chosen), ...chosen.extra }
}

function held(element: Json, { value, values = [] }: ElementChoice): Json {
  const type = String(element['type'])
  if (type === 'feedback_buttons') return thumb(element, value)
  const picked = pickedKey(type)
  if (picked !== undefined) return { [picked]: picked.endsWith('s') ? values : (value ?? null) }
  if (type === 'datetimepicker') return { selected_date_time: Number(value) }
  if (/^multi_|^checkboxes$/.test(type)) return { selected_options: values.map((one) => option(element, one)) }
  if (/select$|^radio_buttons$|^overflow$/.test(type)) return { selected_option: option(element, value ?? '') }
  return { value: element['value'] ?? value }
}

/** Returns the pressed thumb, by its value. */
function thumb(element: Json, value: string | undefined): Json {
  const sides = [element['positive_button'], element['negative_button']].filter(isObject)
  const side = sides.find((one) => one['value'] === value)
  if (!side) throw new Error(`No thumb has the value ${String(value)}.`)
  return { value, text: side['text'] }
}

/**
 * Returns the author's fields of a message. A person's message has a client id, a bot's message its app, and one from
 * another workspace its team.
 */
export function signature(user: User | undefined, clientId: () => string): Json {
  const team = user?.team_id ?? TEAM
  if (user?.is_bot) {
    const bot_id = String(user.profile['bot_id'] ?? `B${user.id.slice(1)}`)
    const app_id = 'A0OTHER0001'
    return { team, bot_id, app_id, bot_profile: { id: bot_id, app_id, name: user.real_name, team_id: team } }
  }
  if (!user || team === TEAM) return { team, client_msg_id: clientId() }
  const { name, real_name, is_restricted, is_ultra_restricted } = user
  const user_profile = { name, real_name, display_name: real_name, team, is_restricted, is_ultra_restricted }
  return { team, user_team: team, source_team: team, user_profile, client_msg_id: clientId() }
}
