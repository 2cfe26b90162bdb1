import type { PersonInPlace } from '../../base/place.ts'
import { nextCursor, type SlackWeb } from './web-api.ts'

/**
 * Maximum number of pages of channel members to read, 999 members each: while somebody waits, and at any other time.
 */
const MAX_PAGES = 5
export const ALL_PAGES = 200

/** Returns whether somebody is in a channel. Returns undefined if Slack does not say. */
export async function isMember(
  { channel, user }: PersonInPlace,
  client: SlackWeb,
  maxPages = MAX_PAGES,
): Promise<boolean | undefined> {
  return (await membersAmong([user], channel, client, maxPages))?.includes(user)
}

/** Returns those of the people who are in a channel. Returns undefined if Slack does not say. */
export async function membersAmong(
  people: readonly string[],
  channel: string,
  client: SlackWeb,
  maxPages = MAX_PAGES,
): Promise<string[] | undefined> {
  const found = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const args = { channel, limit: 999, cursor }
    const answer = await client.call('conversations.members', args, { effort: 'once' }).catch(() => undefined)
    if (!Array.isArray(answer?.members)) return undefined
    const here = new Set<unknown>(answer.members)
    for (const one of people) if (here.has(one)) found.add(one)
    cursor = nextCursor(answer)
    if (found.size === people.length || !cursor) return [...found]
  }
  return undefined
}
