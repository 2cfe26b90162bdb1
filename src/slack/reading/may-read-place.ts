/** Decides whether a place may be read for the asker of a question, and whether they may learn that it exists. */
import { ToolError } from '../../base/errors.ts'
import { isDirect, isPrivate, type Question } from '../../stores/runs/types.ts'
import { isMember } from '../client/channel-members.ts'
import { channelSchema } from '../client/people-and-channels.ts'
import type { Installation } from '../client/installations.ts'
import { areSeenFrom } from '../client/place-facts.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { cleanName } from '../format/escape.ts'
import type { QuestionWork } from '../question-work.ts'
import { pagesOf } from '../client/web-api.ts'

export const NOT_THERE = 'I cannot read that channel: I am not a member, or it does not exist. A member can invite me.'
const ASK_THERE =
  'That is in a private conversation, so I only read it where nobody else sees the answer. The asker can ask there, or in a direct message to me.'
const ASK_INSIDE =
  'Not everyone who reads here may see that channel, so I only read it where nobody else sees the answer. The asker can ask there, or in a direct message to me.'

/**
 * Checks access and returns the place's display name. A place that some readers of the question's channel cannot see is
 * read only in that place, or for the asker alone. The asker must be a member of a private place; a guest, of a public
 * one too.
 * @throws ToolError if it may not be read
 */
export async function readablePlace(
  channel: string,
  { question, installation, signal }: QuestionWork,
): Promise<string> {
  const isHere = channel === question.channel
  if (channel.startsWith('D')) {
    if (!isHere) throw new ToolError(ASK_THERE)
    return 'this direct message'
  }
  const info = await infoOf(channel, installation, signal)
  // The place that the question was asked in can be read even if Slack gives no information about it.
  if (isHere) return info?.name ? `#${info.name}` : 'this conversation'
  if (!info?.isBotThere) throw new ToolError(NOT_THERE)
  const isForAskerAlone = isDirect(question) || isPrivate(question)
  if (info.isPrivate && !isForAskerAlone) throw new ToolError(ASK_THERE)
  if (!isForAskerAlone && (await areSeenFrom(question, [channel], installation)) === 'no')
    throw new ToolError(ASK_INSIDE)
  const mustBeThere = info.isPrivate || !(await isFullMember(question, installation))
  if (mustBeThere && (await isMember({ ...question, channel }, installation.client)) !== true)
    throw new ToolError('Slack says that the asker is not in that channel, so I do not read it for them.')
  return info.isPrivate ? 'a private channel' : `#${info.name}`
}

/** Returns whether the asker may find a channel by its name: a public one, or a private one that they are in. */
async function mayFindPlace(
  { channel, isPrivate: isClosed }: { channel: string; isPrivate: boolean },
  { question, installation }: QuestionWork,
): Promise<boolean> {
  return !isClosed || (await isMember({ ...question, channel }, installation.client)) === true
}

interface PlaceInfo {
  name: string
  isPrivate: boolean
  isBotThere: boolean
}

/** Returns undefined if Slack refuses. */
async function infoOf(
  channel: string,
  installation: Installation,
  signal: AbortSignal,
): Promise<PlaceInfo | undefined> {
  const call = installation.client.call('conversations.info', { channel }, { effort: 'patient', signal })
  const answer = await call.catch((error: unknown) => {
    if (refusalCode(error) === undefined) throw error
    return undefined
  })
  const info = channelSchema.safeParse(answer).data?.channel
  if (!info) return undefined
  return {
    name: cleanName(info.name ?? ''),
    isPrivate: info.is_private !== false || info.is_mpim === true,
    isBotThere: info.is_member === true,
  }
}

async function isFullMember(question: Question, { directory }: Installation): Promise<boolean> {
  const facts = await directory.factsOfAuthor(question)
  return typeof facts !== 'string' && !facts.isGuest && !facts.isExternal
}

/** Maximum number of pages of the bot's channels to read, 999 channels each. */
const MAX_PAGES = 5
const LOOK_UP_MS = 2_000

/**
 * Finds a channel by its id or name: the question's own, one that the question mentions, or one that the bot is in.
 * @returns its id. Undefined if there is none, or if it is private and the asker is not in it
 */
export async function findChannel(asked: string, search: QuestionWork): Promise<string | undefined> {
  const named = /[CDG][A-Z0-9]{5,20}(?=$|[|>])/.exec(asked)?.[0]
  if (named !== undefined && /^(?:<?#?)[CDG][A-Z0-9]{5,20}(?:\|[^>]*)?>?$/.test(asked)) return named
  const name = asked.replace(/^#/, '').toLowerCase()
  if (name === 'here' || name === 'this channel') return search.question.channel
  return (await mentioned(name, search)) ?? listed(name, search)
}

async function mentioned(
  name: string,
  { question, installation: { directory } }: QuestionWork,
): Promise<string | undefined> {
  const { team, channel, text, lookingAt } = question
  const ids = [...text.matchAll(/<#([CG][A-Z0-9]{1,20})/g)].flatMap(([, id]) => id ?? [])
  const all = [channel, ...(lookingAt ? [lookingAt] : []), ...ids].filter((id) => !id.startsWith('D'))
  await directory.lookUp(team, all, LOOK_UP_MS)
  return all.find((id) => {
    const known = directory.get(team, id)
    return known?.kind === 'channel' && known.name.toLowerCase() === name
  })
}

async function listed(name: string, search: QuestionWork) {
  const place = await findListed(name, search).catch(() => undefined)
  return place && (await mayFindPlace(place, search)) ? place.channel : undefined
}

async function findListed(name: string, { installation: { client }, signal }: QuestionWork) {
  const args = { types: 'public_channel,private_channel', limit: 999 }
  for await (const page of pagesOf(client, 'users.conversations', args, { effort: 'patient', signal }, MAX_PAGES)) {
    const channels = (page.channels ?? []) as { id?: string; name?: string; is_private?: boolean }[]
    const found = channels.find((one) => one.name?.toLowerCase() === name)
    if (found?.id !== undefined) return { channel: found.id, isPrivate: found.is_private !== false }
  }
  return undefined
}
