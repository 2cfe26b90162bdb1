/**
 * An agent's sessions and an assistant's threads: https://docs.slack.dev/reference/methods, agents.* and assistant.*.
 */
import { invalid, isObject, optional, required } from '../args.ts'
import { declined, type Channel, type Json, type SessionStatus } from '../types.ts'
import type { Method, Workspace } from './method.ts'

const STATUSES: readonly string[] = ['processing', 'active', 'suspended', 'closed'] satisfies SessionStatus[]
const MAX_TITLE = 200
const MAX_PROMPTS = 4

export const sessionMethods: Record<string, Method> = {
  'agents.sessions.setStatus': (args, slack) => {
    const { channel, thread } = sessionPlace(args, slack)
    const status = readStatus(required(args, 'status'))
    const initiator = optional(args, 'initiator_user_id')
    if (initiator !== undefined && !channel.members.has(initiator)) throw declined('user_not_in_channel')
    const title = readTitle(optional(args, 'title'))
    const known = channel.sessions.get(thread)
    // Title and initiator are ignored for an existing session.
    const first = known ? {} : { ...(title && { title }), ...(initiator && { initiator }) }
    const session = slack.store.setSession(channel, thread, { status, ...first })
    return { status: session.status, agent_status: session.status, ...(session.title && { title: session.title }) }
  },

  'agents.sessions.rename': (args, slack) => {
    const { channel, thread } = sessionPlace(args, slack)
    const title = readTitle(required(args, 'title'))
    const session = channel.sessions.get(thread)
    if (!session) throw declined('session_not_found')
    slack.store.renameSession(channel, thread, title)
    return { title }
  },

  'assistant.threads.setStatus': (args, { store }) => {
    const { channel, thread } = threadPlace(args, store)
    if (typeof args['status'] !== 'string') throw invalid('[ERROR] missing required field: status')
    const loading = args['loading_messages'] ?? []
    if (!Array.isArray(loading) || loading.length > 10) throw invalid('[ERROR] no more than 10 loading_messages')
    store.setStatus(channel, thread, args['status'])
    return {}
  },

  'assistant.threads.setTitle': (args, slack) => {
    mustBeAgent(slack)
    const { channel, thread } = threadPlace(args, slack.store)
    const title = readTitle(required(args, 'title'))
    if (!channel.sessions.has(thread)) slack.store.setSession(channel, thread, { status: 'active', title })
    else slack.store.renameSession(channel, thread, title)
    return {}
  },

  'assistant.threads.setSuggestedPrompts': (args, slack) => {
    mustBeAgent(slack)
    const { store } = slack
    const channel = store.writable(required(args, 'channel_id'))
    const thread = optional(args, 'thread_ts') ?? ''
    if (thread !== '') store.message(channel, thread, 'invalid_thread_ts')
    store.setPrompts(channel, thread, readPrompts(args['prompts']))
    return {}
  },
}

/** Refuses a plain app. It has no sessions. */
function mustBeAgent({ agent }: Workspace) {
  if (!agent) throw declined('not_authorized')
}

function sessionPlace(args: Json, slack: Workspace): { channel: Channel; thread: string } {
  mustBeAgent(slack)
  return threadPlace(args, slack.store)
}

/** Returns a thread by its root. Refuses other messages of the thread. */
function threadPlace(args: Json, store: Workspace['store']): { channel: Channel; thread: string } {
  const channel = store.writable(required(args, 'channel_id'))
  const thread = required(args, 'thread_ts')
  store.message(channel, thread, 'invalid_thread_ts')
  return { channel, thread }
}

export function readStatus(status: string): SessionStatus {
  if (!STATUSES.includes(status)) throw invalid(`[ERROR] status: ${status}`)
  return status as SessionStatus
}

function readTitle<Title extends string | undefined>(title: Title): Title {
  if (title !== undefined && title.length > MAX_TITLE) throw invalid(`[ERROR] a title over ${MAX_TITLE} characters`)
  return title
}

function readPrompts(prompts: unknown): Json[] {
  const given: unknown[] = Array.isArray(prompts) ? prompts : []
  const list = given.filter(isObject)
  const whole = list.every((one) => typeof one['title'] === 'string' && typeof one['message'] === 'string')
  if (list.length === 0 || list.length !== given.length || !whole)
    throw invalid('[ERROR] prompts: objects of title and message')
  if (list.length > MAX_PROMPTS) throw invalid(`[ERROR] no more than ${MAX_PROMPTS} prompts`)
  return list
}
