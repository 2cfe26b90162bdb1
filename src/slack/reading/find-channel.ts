import { nextCursor } from '../client/web-api.ts'
import type { QuestionWork } from '../question-work.ts'
import { mayFindPlace } from './may-read-place.ts'

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
  const { installation, signal } = search
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const args = { types: 'public_channel,private_channel', limit: 999, cursor }
    const answer = await installation.client
      .call('users.conversations', args, { effort: 'patient', signal })
      .catch(() => undefined)
    if (!Array.isArray(answer?.channels)) return undefined
    const channels = answer.channels as { id?: string; name?: string; is_private?: boolean }[]
    const found = channels.find((one) => one.name?.toLowerCase() === name)
    if (found?.id !== undefined) {
      const place = { channel: found.id, isPrivate: found.is_private !== false }
      return (await mayFindPlace(place, search)) ? found.id : undefined
    }
    cursor = nextCursor(answer)
    if (!cursor) return undefined
  }
  return undefined
}
