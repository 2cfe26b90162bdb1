import type { PersonInPlace } from '../../base/place.ts'
import { nextCursor, pagesOf, type SlackWeb } from './web-api.ts'

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
  const pages = pagesOf(client, 'conversations.members', { channel, limit: 999 }, { effort: 'once' }, maxPages)
  try {
    for await (const page of pages) {
      if (!Array.isArray(page.members)) return undefined
      const here = new Set<unknown>(page.members)
      for (const one of people) if (here.has(one)) found.add(one)
      if (found.size === people.length || !nextCursor(page)) return [...found]
    }
  } catch {
    // Slack does not say.
  }
  return undefined
}
