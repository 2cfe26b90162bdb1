/** A conversation as a file: what people did, what models and tools gave back, and how the workspace was afterwards. */
import { isObject } from '../slack/args.ts'
import type { Json } from '../slack/types.ts'

/** Plain JSON; times and ids of one workspace stand in it as places (place-names.ts) or not at all. */
export interface RecordedConversation {
  version: 1
  name: string
  /** Settings of the bot that are not as by default, by their names. */
  settings: Record<string, string>
  /** The acts, in order. */
  acts: Act[]
  models: RecordedCall[]
  tools: RecordedTool[]
  /**
   * Tools that the model could ask for and a bot may not have by itself, such as those of MCP servers: all that is no
   * function of them.
   */
  offered?: Json[]
  /** The workspace when all was over. */
  after: WorkspaceState
}

/** An action of a person on the page, with its arguments. */
export interface Act {
  /** The action's address at the page, without its slash: `say`, `press`, `edit`, … */
  act: string
  /** The person's name. */
  as: string
  /** With place names instead of ids and times. */
  with: Json
  files?: RecordedFile[]
  /**
   * How long after the same person's opening of the Home another one was, in ms: a bot may publish it only now and
   * then.
   */
  sinceMs?: number
  /** How many model calls and tool calls had ended, and how many messages stood there. */
  after: Reached
  /** Done while the bot was at work: where its calls had got to. */
  during?: Underway[]
}

export interface Reached {
  models: number
  tools: number
  messages: number
}

/** A call under way, by its place in the list: `chars` is how much a model had said. */
export type Underway = { model: number; chars: number } | { tool: number }

/** Its bytes: as text where they are UTF-8, else as base64. */
export interface RecordedFile {
  name: string
  alt?: string
  text?: string
  base64?: string
}

/** A model call and its response. */
export interface RecordedCall {
  /** `condense`: the standalone question is asked for. */
  kind: 'condense' | 'step'
  /** The question of the call, as in its prompt. */
  question: string
  /** The earlier results and outputs in its prompt, in order: `tool 0`, `model 2`. */
  sees: string[]
  /** The model's text, as far as the bot read it. */
  text: string
  reasoning?: string
  toolCalls?: { id: string; name: string; arguments: string }[]
  usage?: Json
  finish?: string
  /** The bot hung up, or the connection broke. */
  isCut?: true
  /** An HTTP status in place of an answer, with its sentence. */
  refused?: { status: number; message: string }
}

/** A tool call. */
export interface RecordedTool {
  tool: string
  input: unknown
  output?: unknown
  /** The error that it threw. `isDown`: the service was down. */
  error?: { message: string; isDown?: true }
}

/** A workspace without anything that differs between two runs. */
export interface WorkspaceState {
  messages: StateMessage[]
  /** By person: `home`, and the modals that are open. */
  views: Record<string, { home?: Json; modals?: Json[] }>
  /** By thread. */
  sessions: Record<string, Json>
  /** The bot's statuses; empty once everything is over. */
  statuses: Record<string, string>
}

export interface StateMessage {
  /** Its place: `#general/2/1` is the first reply under the second message. */
  at: string
  /** The author, and the only person who sees it, if there is one. */
  by: string
  to?: string
  /** The text as people see it. */
  shown: string[]
  /** The rest of it, as Slack keeps it. */
  is: Json
}

/** The most of a file of a conversation, in characters. */
export const MAX_CHARS = 8_000_000

/** A name for a file: letters, digits and hyphens, so that no folder can be left. @throws Error with a sentence */
export function checkName(name: unknown): string {
  if (typeof name === 'string' && /^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/.test(name)) return name
  throw new Error('A name has up to 60 lower-case letters, digits and hyphens, such as who-is-ada.')
}

/** Reads a file of a conversation. @throws Error that says what is wrong with it */
export function readConversation(text: string): RecordedConversation {
  if (text.length > MAX_CHARS) throw new Error(`A conversation has at most ${MAX_CHARS} characters.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('This is not a conversation: it is not JSON.')
  }
  const fault = faultOf(value)
  if (fault) throw new Error(`This is not a conversation: ${fault}.`)
  return value as RecordedConversation
}

/** Returns the fault in the form, as far as a replay relies on it. */
function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'it is not an object'
  if (value['version'] !== 1) return `version should be 1, not ${JSON.stringify(value['version'])}`
  if (typeof value['name'] !== 'string') return 'name should be a text'
  if (!isObject(value['settings']) || Object.values(value['settings']).some((one) => typeof one !== 'string'))
    return 'settings should be texts by name'
  const checks: [string, (one: Json) => boolean][] = [
    ['acts', isAct],
    ['models', (one) => isText(one['question']) && isText(one['text']) && isList(one['sees'], isText)],
    ['tools', (one) => isText(one['tool']) && isAbsentOr(one['error'], (error) => isText(error['message']))],
  ]
  for (const [key, check] of checks) {
    const list = value[key]
    if (!Array.isArray(list)) return `${key} should be a list`
    const at = list.findIndex((one) => !isObject(one) || !check(one))
    if (at >= 0) return `${key} ${at + 1} lacks something`
  }
  if (value['offered'] !== undefined && !isList(value['offered'], isObject)) return 'offered should be a list of tools'
  return isState(value['after']) ? undefined : 'after should be the state of a workspace'
}

function isAct({ act, as, with: given, after, files = [], during = [] }: Json): boolean {
  const isUnderway = (one: unknown) => isObject(one) && (isNumber(one['model']) || isNumber(one['tool']))
  const isFile = (one: unknown) => isObject(one) && isText(one['name']) && isText(one['text'] ?? one['base64'])
  const isReached = isObject(after) && ['models', 'tools', 'messages'].every((key) => isNumber(after[key]))
  return (
    isText(act) && isText(as) && isObject(given) && isReached && isList(files, isFile) && isList(during, isUnderway)
  )
}

function isState(after: unknown): boolean {
  if (!isObject(after) || !['views', 'sessions', 'statuses'].every((key) => isObject(after[key]))) return false
  return isList(after['messages'], (one) => {
    return (
      isObject(one) && isText(one['at']) && isText(one['by']) && isList(one['shown'], isText) && isObject(one['is'])
    )
  })
}

function isList(value: unknown, check: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every((one) => check(one))
}

function isAbsentOr(value: unknown, check: (one: Json) => boolean): boolean {
  return value === undefined || (isObject(value) && check(value))
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
