/**
 * A recorded conversation as a file: what people did, what models and tools returned, and the final state of the
 * workspace.
 */
import { isObject } from '../slack/args.ts'
import type { Json } from '../slack/types.ts'

/** Plain JSON. Ids and times of one workspace are replaced by place names (place-names.ts) or left out. */
export interface RecordedConversation {
  version: 1
  name: string
  /** The bot's settings that differ from their defaults, by name. */
  settings: Record<string, string>
  /** The acts, in order. */
  acts: Act[]
  models: RecordedCall[]
  tools: RecordedTool[]
  /**
   * The declarations of tools that a bot may not have by itself, such as those of MCP servers, without their functions.
   */
  offered?: Json[]
  /** The final state of the workspace. */
  after: WorkspaceState
}

/** An action of a person on the page, with its arguments. */
export interface Act {
  /** The path of the page's action, without the slash: `say`, `press`, `edit`, … */
  act: string
  /** The person's name. */
  as: string
  /** The request's body, with place names instead of ids and times. */
  with: Json
  files?: RecordedFile[]
  /** The time since the person last opened the Home, in ms. A bot may limit how often it publishes the Home. */
  sinceMs?: number
  /** The numbers of ended model calls, ended tool calls and existing messages when the act was done. */
  after: RecordedProgress
  /** The calls in progress when the act was done. Absent if the bot was idle. */
  during?: OngoingCall[]
}

export interface RecordedProgress {
  models: number
  tools: number
  messages: number
}

/** A call in progress, by its index. `chars` is the length of the model's output so far. */
export type OngoingCall = { model: number; chars: number } | { tool: number }

/** The bytes: as text if they are UTF-8, otherwise as base64. */
export interface RecordedFile {
  name: string
  alt?: string
  text?: string
  base64?: string
}

/** A model call and its response. */
export interface RecordedCall {
  /** `condense` asks for the standalone question. */
  kind: 'condense' | 'step'
  /** The question in the call's prompt. */
  question: string
  /** The earlier results and outputs in the prompt, in order: `tool 0`, `model 2`. */
  sees: string[]
  /** The model's output, as far as the bot read it. */
  text: string
  reasoning?: string
  toolCalls?: { id: string; name: string; arguments: string }[]
  usage?: Json
  finish?: string
  /** The bot hung up, or the connection broke. */
  isCut?: true
  /** An HTTP status and its message, instead of an answer. */
  refused?: { status: number; message: string }
}

/** A tool call. */
export interface RecordedTool {
  tool: string
  input: unknown
  output?: unknown
  /** The error that the tool threw. `isDown`: the service was down. */
  error?: { message: string; isDown?: true }
}

/** The state of a workspace without anything that differs between two runs. */
export interface WorkspaceState {
  messages: StateMessage[]
  /** The Home and the open modals, by person. */
  views: Record<string, { home?: Json; modals?: Json[] }>
  /** The sessions, by thread. */
  sessions: Record<string, Json>
  /** The bot's statuses, by thread. Empty at the end of a conversation. */
  statuses: Record<string, string>
}

export interface StateMessage {
  /** The place name: `#general/2/1` is the first reply to the second message. */
  at: string
  /** The author, and the only person who sees the message, if there is one. */
  by: string
  to?: string
  /** The text as people see it. */
  shown: string[]
  /** The other fields, as Slack stores them. */
  is: Json
}

/** The maximum size of a conversation's file, in characters. */
export const MAX_CHARS = 8_000_000

/** Checks a file's name: letters, digits and hyphens, so that it stays in its folder. @throws Error with a sentence */
export function checkName(name: unknown): string {
  if (typeof name === 'string' && /^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/.test(name)) return name
  throw new Error('A name has up to 60 lower-case letters, digits and hyphens, such as who-is-ada.')
}

/** Parses a conversation's file. @throws Error that says what is wrong */
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

/** Returns what is wrong with the form, as far as a replay depends on it. */
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
