import type { OnEvent } from '../intake/bolt-types.ts'
import { expiringCache } from '../../base/expiring-cache.ts'
import { PacedWork } from '../../base/token-bucket.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import { EXAMPLES } from '../views/home.ts'
import { inBackground } from '../intake/button-press.ts'
import { noteOpenHome, type HomeOf, type PublishHome } from '../intake/publish-home.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/**
 * Minimum time between two publications of a person's Home, in ms. Openings in between are published once at its end.
 */
const AGAIN_MS = 3_000
/** How long a person's prompts stay, and how long a team that refused prompts gets none. Milliseconds. */
const PROMPTED_MS = 60 * 60_000
const REFUSED_MS = 24 * PROMPTED_MS
const MAX = 10_000
/** Slack accepts no more. */
const MAX_PROMPTS = 4

/** `app_home_opened`: publishes the Home. If the direct message was opened, suggests questions. */
export function appHomeOpened(services: Services, publishHome: PublishHome): OnEvent<'app_home_opened'> {
  const now = () => services.now().getTime()
  const paced = new PacedWork({ burst: 1, everyMs: AGAIN_MS, now }, () => undefined)
  const prompts = promptsOf(services)
  return async ({ event, context }) => {
    const recipient = await recipientOf({ context }, services)
    if (!recipient) return
    const { user, channel, tab } = event
    const opened = { ...recipient, user, channel }
    const home = async () => {
      // Noted first, so that a question that ends during the publication renews it.
      try {
        await noteOpenHome(opened, services)
      } finally {
        await publishHome(opened)
      }
    }
    const shown = () => (tab === 'home' ? home() : prompts(opened))
    const turn = { key: `${recipient.team}:${user}:${tab}`, thing: '' }
    await paced.run(turn, async () => inBackground('app_home_opened', services, shown))
  }
}

/**
 * Suggests questions in the direct message of an agent app. Slack refuses this for a plain app; refusals are
 * remembered.
 */
function promptsOf(services: Services): (opened: HomeOf) => Promise<void> {
  const now = () => services.now().getTime()
  const prompts = (services.examples ?? EXAMPLES).slice(0, MAX_PROMPTS).map((message) => ({ title: message, message }))
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
