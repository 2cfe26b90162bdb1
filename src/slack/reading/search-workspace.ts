/** Searches with Slack's own search for one question. */
import { z } from 'zod'
import type { Find, FindKind, FindOptions } from '../../agent/contracts/tool.ts'
import { cutText } from '../../base/cut-text.ts'
import { ToolError } from '../../base/errors.ts'
import { askedAt, isDirect, isPrivate, originalId, type Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { SEARCH_TOKEN_MS } from '../../stores/search-tokens/search-tokens.ts'
import { isOfOurs } from '../client/whose-person.ts'
import { areSeenFrom } from '../client/place-facts.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { cleanFileName, cleanName } from '../format/escape.ts'
import { plainText } from '../content/plain-text.ts'
import { Mentions } from '../client/mentions.ts'
import type { QuestionWork } from '../question-work.ts'

const FINDS = 6
/** A page may contain only the question itself; then the next page is read. */
const MAX_PAGES = 3

const SEARCH = 'assistant.search.context'

const words = z.string().catch('')
/** Leaves out the items that cannot be read. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item.nullable().catch(null))
    .catch([])
    .transform((items) => items.filter((one) => one !== null))

const found = z.object({
  messages: listOf(
    z.object({
      author_user_id: words,
      author_name: words,
      channel_id: words,
      channel_name: words,
      message_ts: words,
      content: words,
      permalink: words,
    }),
  ),
  files: listOf(
    z.object({
      author_user_id: words,
      author_name: words,
      uploader_user_id: words,
      title: words,
      content: words,
      date_created: z.number().optional().catch(undefined),
      permalink: words,
    }),
  ),
  channels: listOf(z.object({ name: words, topic: words, purpose: words, permalink: words })),
  users: listOf(z.object({ full_name: words, title: words, permalink: words })),
})
type SearchResults = z.infer<typeof found>

const answerSchema = z.object({
  results: found,
  response_metadata: z.object({ next_cursor: words }).catch({ next_cursor: '' }),
})

/**
 * Searches a few results at a time: public ones, and with the asker's own grant everything that they can see.
 * @throws ToolError with a sentence for the model
 */
export async function searchWorkspace(
  query: string,
  { kind, cursor, signal }: FindOptions,
  work: QuestionWork,
): Promise<{ finds: Find[]; cursor?: string; asAsker?: true; forAsker?: true }> {
  const { installation } = work
  const access = await accessFor(kind, work)
  await checkAsker(work)
  const places = { content_types: kind, channel_types: access.channelTypes, limit: FINDS }
  const seen = access.channelTypes === PUBLIC ? {} : { asAsker: true as const }
  let next = cursor ?? ''
  for (let page = 0; page < MAX_PAGES; page++) {
    const args = { query, ...access.args, ...places, ...(next === '' ? {} : { cursor: next }) }
    const answer = await access.client
      .call(SEARCH, args, { effort: 'patient', signal })
      .catch((error: unknown) =>
        access.client === installation.client ? refused(error, kind, installation) : endedGrant(error, work),
      )
    const read = answerSchema.safeParse(answer).data
    if (!read) throw new ToolError('Slack’s search returned an unreadable response.')
    const finds = await FINDS_OF[kind](read.results, work)
    next = read.response_metadata.next_cursor
    if (finds.length === 0 && next !== '') continue
    const isForAsker = access.channelTypes === ALL && !(await seenByAll(read.results, work))
    const more = { ...(next === '' ? {} : { cursor: next }), ...(isForAsker ? { forAsker: true as const } : {}) }
    return { finds: finds.slice(0, FINDS), ...seen, ...more }
  }
  return { finds: [], ...seen }
}

const PUBLIC = 'public_channel'
const ALL = 'public_channel,private_channel,mpim,im'

interface SearchAccess {
  client: Pick<Installation['client'], 'call'>
  args: { action_token?: string }
  channelTypes: string
}

/** Returns whether the asker may use the logins under their id. */
export async function hasLogins({
  question,
  installation,
  services: { installations },
}: QuestionWork): Promise<boolean> {
  return question.kind !== 'bot' && (await isOfOurs(question, { installation, installations }))
}

/**
 * A person's own grant needs no token of the question. In a channel it is used only for messages. For other finds,
 * Slack does not say which channel they are in, so it is unknown who may see them.
 */
async function accessFor(kind: FindKind, work: QuestionWork): Promise<SearchAccess> {
  const { question, installation, services } = work
  const { searchTokens, now, search } = services
  const isSeen = kind === 'messages' || isDirect(question) || isPrivate(question)
  const isOwn = isSeen && (await hasLogins(work))
  const own = isOwn ? await search.account?.clientOf(question) : undefined
  if (own) return { client: own, args: {}, channelTypes: ALL }
  const token = await searchTokens.load(tokenOwner(question))
  if (token === undefined) throw new ToolError(withoutToken(question, now()))
  return { client: installation.client, args: { action_token: token }, channelTypes: PUBLIC }
}

/** Returns whether everybody who reads where it was asked could see the results. This is known only for messages. */
async function seenByAll({ messages, files, channels, users }: SearchResults, work: QuestionWork): Promise<boolean> {
  if (files.length + channels.length + users.length > 0) return false
  const places = messages.map((one) => one.channel_id)
  return (await areSeenFrom(work.question, [...new Set(places)], work.installation)) === 'yes'
}

const ASK_AGAIN = 'The asker can ask again, in a message that names me or in a direct message.'

/**
 * The id under which the token was stored. An edited question, or one whose files came later, uses the token of its
 * message. "Ask again" has no token: nobody addressed the bot, and somebody else may have pressed it.
 */
function tokenOwner(question: Question): string {
  return question.isRepeat ? question.id : originalId(question)
}

function withoutToken(question: Question, now: Date): string {
  const written = question.isRepeat ? NaN : Number(askedAt(question)) * 1000
  const since = Number.isNaN(written) ? question.at : Math.min(question.at, written)
  return now.getTime() - since >= SEARCH_TOKEN_MS
    ? `Slack’s permission to search expired: it lasts ten minutes after the question. ${ASK_AGAIN}`
    : `Slack gave no permission to search with this question. ${ASK_AGAIN}`
}

/** A refused grant of a person says nothing about the workspace. One that has ended is deleted. @throws ToolError */
async function endedGrant(error: unknown, { question, services }: QuestionWork): Promise<never> {
  const code = refusalCode(error)
  if (code === undefined) throw error
  if (ENDED.has(code)) await services.search.account?.forget(question)
  throw new ToolError(`Slack refused to search as the asker (${code}). They can connect Slack again: /ask connections.`)
}

const ENDED = new Set(['token_revoked', 'token_expired', 'invalid_auth', 'account_inactive', 'not_authed'])

/** Guests see some of the public channels, and Slack does not say which of them it would search. */
async function checkAsker({ question, installation }: QuestionWork): Promise<void> {
  const facts = await installation.directory.factsOfAuthor(question)
  if (typeof facts === 'string')
    throw new ToolError('Slack did not confirm that the asker is a member, so I do not search.')
  if (facts.isGuest || facts.isExternal)
    throw new ToolError('I do not search this workspace for guests and people of other workspaces.')
}

const SCOPES: Record<FindKind, string> = {
  messages: 'search:read.public',
  channels: 'search:read.public',
  files: 'search:read.files',
  users: 'search:read.users',
}

/**
 * Throws a refusal as a sentence. If the workspace has no search at all, this is remembered and the tool is left out
 * for a while.
 */
function refused(error: unknown, kind: FindKind, { client }: Installation): never {
  const code = refusalCode(error)
  if (code === undefined) throw error
  if (code === 'invalid_action_token')
    throw new ToolError(`Slack no longer accepts the permission to search that came with the question. ${ASK_AGAIN}`)
  if (code === 'query_too_long') throw new ToolError('The query is too long for Slack: use fewer words.')
  if (code === 'missing_scope')
    throw new ToolError(
      `I may not search for ${kind} here: the app lacks the scope ${SCOPES[kind]}. The person who runs me can add it.`,
    )
  if (!NOT_ENABLED.has(code)) throw new ToolError(`Slack refused to search (${code}).`)
  client.refusals.set(SEARCH, true)
  throw new ToolError('This workspace does not let apps search. Its admins can change that.')
}

const NOT_ENABLED = new Set([
  'feature_not_enabled',
  'assistant_search_context_disabled',
  'not_authorized',
  'unknown_method',
  'not_allowed_token_type',
])

/** Returns the results with names instead of ids. Very long ones are cut. */
const FINDS_OF: Record<FindKind, (results: SearchResults, work: QuestionWork) => Promise<Find[]>> = {
  async messages({ messages }, { question, installation }) {
    const { botUser } = installation.identity
    const isOwn = (one: { author_user_id: string; channel_id: string; message_ts: string }) =>
      one.author_user_id === botUser || (one.channel_id === question.channel && one.message_ts === question.ts)
    const others = messages.filter((one) => !isOwn(one))
    const spoken = await new Mentions(installation.directory, question).messagesForModel(
      others.map(({ author_user_id, content }) => ({ user: author_user_id, text: findText(content) })),
    )
    return others.map(({ author_name, channel_name, message_ts, permalink }, i) => ({
      ...nameOf(spoken[i]?.name ?? author_name),
      ...(cleanName(channel_name) && { where: `#${cleanName(channel_name)}` }),
      at: Number(message_ts),
      text: spoken[i]?.text ?? '',
      url: permalink,
    }))
  },
  async files({ files }, { question, installation }) {
    const spoken = await new Mentions(installation.directory, question).messagesForModel(
      files.map(({ author_user_id, uploader_user_id, content }) => {
        return { user: author_user_id || uploader_user_id, text: findText(content) }
      }),
    )
    return files.map(({ author_name, title, date_created, permalink }, i) => ({
      ...nameOf(spoken[i]?.name ?? author_name),
      where: `the file ${cleanFileName(title) || 'without a name'}`,
      at: date_created,
      text: spoken[i]?.text ?? '',
      url: permalink,
    }))
  },
  channels: async ({ channels }) =>
    channels.map(({ name, topic, purpose, permalink }) => {
      const text = findText([topic, purpose].filter(Boolean).join(' · '))
      return { who: `#${cleanName(name)}`, text, url: permalink }
    }),
  users: async ({ users }) =>
    users.map((one) => ({ ...nameOf(one.full_name), text: findText(one.title), url: one.permalink })),
}

/** Longer texts are cut, because their beginning shows the subject. */
const TEXT_CHARS = 2_000

function findText(content: string): string {
  return plainText(cutText(content, TEXT_CHARS), '') + (content.length > TEXT_CHARS ? ' … (cut)' : '')
}

function nameOf(name: string): { who?: string } {
  const clean = cleanName(name)
  return clean === '' ? {} : { who: `@${clean}` }
}
