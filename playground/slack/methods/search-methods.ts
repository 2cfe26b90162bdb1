/**
 * Search for apps: https://docs.slack.dev/reference/methods/assistant.search.context. A bot finds public messages for
 * the person who addressed it.
 */
import { flag, invalid, optional, required } from '../args.ts'
import { TEAM } from '../store.ts'
import { declined, Refusal, type Channel, type Json, type StoredMessage, type User } from '../types.ts'
import type { IssuedSearchTokens } from '../search-tokens.ts'
import type { Method, Workspace } from './method.ts'

const MAX_LIMIT = 20
/** The maximum length of a query; Slack does not document one. */
const MAX_QUERY = 1_000

/** The kinds of results, each with the scope that it needs. */
const SCOPES: Record<string, string> = {
  messages: 'search:read.public',
  channels: 'search:read.public',
  files: 'search:read.files',
  users: 'search:read.users',
}

export const searchMethods: Record<string, Method> = {
  'assistant.search.info': (_args, { search }) => ({ is_ai_search_enabled: enabled(search).kind === 'meaning' }),

  'assistant.search.context': (args, slack) => {
    const tokens = enabled(slack.search)
    const query = required(args, 'query')
    if (query.length > MAX_QUERY) throw new Refusal('query_too_long', { why: `${query.length} characters` })
    const { asker, isOwn } = askerOf(args, tokens, slack)
    const kinds = listOf(args, 'content_types', 'messages')
    for (const kind of kinds) checkKind(kind, slack)
    for (const type of typesOf(args)) checkPlace(type, isOwn)
    const found = kinds.flatMap((kind) => FINDERS[kind]!(query, { slack, asker, args }).map((one) => ({ kind, one })))
    const { from, to, next } = pageOf(found.length, args)
    const results: Record<string, Json[]> = Object.fromEntries(kinds.map((kind) => [kind, []]))
    for (const { kind, one } of found.slice(from, to)) results[kind]!.push(one)
    return { results, response_metadata: { next_cursor: next } }
  },
}

function enabled(search: IssuedSearchTokens | undefined): IssuedSearchTokens {
  if (!search) throw declined('feature_not_enabled')
  return search
}

/**
 * Returns the asker. A bot token searches only for the person who addressed it. `isOwn`: the person granted the token.
 */
function askerOf(args: Json, tokens: IssuedSearchTokens, { store }: Workspace): { asker: User; isOwn: boolean } {
  const token = optional(args, 'action_token')
  const person = token === undefined ? undefined : tokens.personOf(token)
  if (person === 'expired') throw declined('invalid_action_token')
  const asker = person && store.users.get(person.user)
  if (!asker) throw new Refusal('invalid_action_token', { why: 'No event of this Slack carried the token.' })
  return { asker, isOwn: person.isOwn }
}

function listOf(args: Json, name: string, normal: string): string[] {
  return (optional(args, name) ?? normal).split(',').map((one) => one.trim())
}

function checkKind(kind: string, { isGranted }: Workspace): void {
  const scope = SCOPES[kind]
  if (scope === undefined) throw invalid(`[ERROR] content_types: ${kind}`)
  if (!isGranted(scope)) throw declinedScope(scope)
}

const TYPES: Record<Channel['kind'], string> = {
  channel: 'public_channel',
  group: 'private_channel',
  mpim: 'mpim',
  im: 'im',
}

function typesOf(args: Json): string[] {
  return listOf(args, 'channel_types', TYPES.channel)
}

/** Refuses the kinds of channels that need a person's token. */
function checkPlace(type: string, isOwn: boolean): void {
  if (!Object.values(TYPES).includes(type)) throw invalid(`[ERROR] channel_types: ${type}`)
  if (type === TYPES.channel || isOwn) return
  throw declinedScope(`search:read.${type === 'private_channel' ? 'private' : type}`)
}

function declinedScope(needed: string): Refusal {
  return new Refusal('missing_scope', { why: needed, blame: false, more: { needed } })
}

interface SearchContext {
  slack: Workspace
  asker: User
  args: Json
}

const FINDERS: Record<string, (query: string, context: SearchContext) => Json[]> = {
  messages: (query, context) =>
    ranked(query, messagesIn(context), ({ message }) => message.text).map((one) => messageOf(one, context.slack)),
  files: (query, context) =>
    ranked(query, filesOf(context), ({ file }) => `${String(file['title'])} ${String(file['preview'] ?? '')}`).map(
      (one) => fileOf(one, context.slack),
    ),
  channels: (query, context) =>
    ranked(query, channelsFor(context), ({ name }) => name).map((channel) => channelOf(channel, context.slack)),
  users: (query, { slack }) => {
    const people = [...slack.store.users.values()].filter((user) => !user.deleted && !user.is_bot)
    return ranked(query, people, ({ real_name, name }) => `${real_name} ${name}`).map((user) => userOf(user, slack))
  },
}

/**
 * Returns the public channels, and the other channels that the asker is in. A guest finds only channels that they are
 * in.
 */
function channelsFor({ slack, asker, args }: SearchContext): Channel[] {
  const isGuest = asker.is_restricted || asker.is_ultra_restricted || asker.is_stranger || asker.team_id !== TEAM
  return [...slack.store.channels.values()].filter(
    ({ kind, archived, members }) =>
      typesOf(args).includes(TYPES[kind]) &&
      (!archived || flag(args, 'include_archived_channels')) &&
      ((kind === 'channel' && !isGuest) || members.has(asker.id)),
  )
}

interface FoundMessage {
  channel: Channel
  message: StoredMessage
}

interface FoundFile extends FoundMessage {
  file: Json
}

function messagesIn(context: SearchContext): FoundMessage[] {
  const withBots = flag(context.args, 'include_bots')
  const [after, before] = [Number(context.args['after'] ?? 0), Number(context.args['before'] ?? Infinity)]
  return channelsFor(context).flatMap((channel) =>
    channel.messages
      .filter(({ ts, bot_id, subtype }) => {
        const isWords = subtype === undefined || subtype === 'file_share' || subtype === 'thread_broadcast'
        return (withBots || bot_id === undefined) && isWords && Number(ts) > after && Number(ts) < before
      })
      .map((message) => ({ channel, message })),
  )
}

function filesOf(context: SearchContext): FoundFile[] {
  return messagesIn(context).flatMap((one) => (one.message.files ?? []).map((file) => ({ ...one, file })))
}

/** Sorts results by the number of the query's words in them, then newest first. */
function ranked<T>(query: string, all: T[], textOf: (one: T) => string): T[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])]
  const scored = all.map((one) => {
    const text = textOf(one).toLowerCase()
    return { one, score: words.filter((word) => text.includes(word)).length }
  })
  return scored
    .filter(({ score }) => score > 0)
    .reverse()
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one)
}

function messageOf({ channel, message }: FoundMessage, { store, base }: Workspace): Json {
  const { ts, thread_ts: thread, user = '' } = message
  const inThread = thread && thread !== ts ? `?thread_ts=${thread}&cid=${channel.id}` : ''
  return {
    author_name: store.users.get(user)?.real_name ?? '',
    author_user_id: user,
    team_id: TEAM,
    channel_id: channel.id,
    channel_name: channel.name,
    message_ts: ts,
    content: message.text,
    is_author_bot: message.bot_id !== undefined,
    permalink: `${base()}/archives/${channel.id}/p${ts.replace('.', '')}${inThread}`,
  }
}

function fileOf({ message, file }: FoundFile, { store, base }: Workspace): Json {
  const { user = '', ts } = message
  return {
    author_name: store.users.get(user)?.real_name ?? '',
    author_user_id: user,
    team_id: TEAM,
    file_id: file['id'],
    title: file['title'] ?? file['name'],
    file_type: file['filetype'] ?? '',
    date_created: Math.floor(Number(ts)),
    content: file['preview'] ?? '',
    permalink: `${base()}/files/${user}/${String(file['id'])}/${encodeURIComponent(String(file['name']))}`,
  }
}

function channelOf({ id, name }: Channel, { base }: Workspace): Json {
  return { team_id: TEAM, id, name, topic: '', purpose: '', permalink: `${base()}/archives/${id}` }
}

function userOf({ id, real_name, profile }: User, { base }: Workspace): Json {
  return { user_id: id, full_name: real_name, title: profile['title'] ?? '', permalink: `${base()}/team/${id}` }
}

function pageOf(length: number, args: Json): { from: number; to: number; next: string } {
  const limit = Number(args['limit'] ?? MAX_LIMIT)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalid(`[ERROR] limit must be from 1 to ${MAX_LIMIT}`)
  const cursor = optional(args, 'cursor')
  const place = cursor === undefined ? ['', '0'] : /^search:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString())
  if (!place) throw new Refusal('invalid_cursor')
  const from = Number(place[1])
  const to = from + limit
  return { from, to, next: to < length ? Buffer.from(`search:${to}`).toString('base64') : '' }
}
