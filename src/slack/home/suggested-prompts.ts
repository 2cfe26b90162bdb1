import { expiringCache } from '../../base/expiring-cache.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import type { Services } from '../services.ts'
import { EXAMPLES } from '../views/home.ts'
import type { HomeOf } from './publish-home.ts'

/** How long a person's prompts stay, and how long a team that refused prompts gets none. Milliseconds. */
const PROMPTED_MS = 60 * 60_000
const REFUSED_MS = 24 * PROMPTED_MS
const MAX = 10_000
/** Slack accepts no more. */
const MAX_PROMPTS = 4

/**
 * Suggests questions in the direct message of an agent app. Slack refuses this for a plain app; refusals are
 * remembered.
 */
export function promptsOf(services: Services): (opened: HomeOf) => Promise<void> {
  const now = () => services.now().getTime()
  const prompts = (services.operator.examples ?? EXAMPLES)
    .slice(0, MAX_PROMPTS)
    .map((message) => ({ title: message, message }))
  const prompted = expiringCache<true>({ ttlMs: PROMPTED_MS, max: MAX, now })
  const refused = expiringCache<true>({ ttlMs: REFUSED_MS, max: MAX, now })
  return async ({ team, user, channel, installation }) => {
    if (refused.has(team) || prompted.has(`${team}:${user}`)) return
    try {
      const args = { channel_id: channel, prompts }
      await installation.client.call('assistant.threads.setSuggestedPrompts', args, { effort: 'once' })
      prompted.set(`${team}:${user}`, true)
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error
      if (error.code !== 'ratelimited') refused.set(team, true)
    }
  }
}
