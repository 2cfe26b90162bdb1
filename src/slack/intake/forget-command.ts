/**
 * Who may forget what: admins, or everyone if an admin has set `whoMayForget` so for the channel. `ForgettingAll`
 * (question/open-stores.ts) deletes it from each store.
 */
import { randomBytes } from 'node:crypto'
import { messageOf } from '../../base/errors.ts'
import type { Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { respond } from '../client/response-url.ts'
import { noteContent } from '../format/blocks.ts'
import { FORGET, withReference } from '../format/messages.ts'
import type { Services } from '../services.ts'

/** Whether the text of `/ask` is `forget` alone, in any case, with optional punctuation behind it. */
export function isForgetCommand(text: string): boolean {
  return /^forget[\s\p{P}]*$/iu.test(text)
}

/**
 * Handles `/ask forget`: forgets a direct message and its person, or a channel, and tells the asker alone the outcome.
 * May take longer than Slack waits for an ack. Never rejects.
 */
export async function forgetByCommand(
  { command }: { command: Question },
  installation: Installation,
  services: Services,
): Promise<void> {
  const { log, fetch = globalThis.fetch } = services
  const reference = randomBytes(4).toString('hex')
  const fields = { question: command.id, reference }
  const outcome = await forget(command, installation, services).catch((error: unknown) => {
    log.error({ ...fields, error: messageOf(error) }, 'could not forget')
    return 'failed' as const
  })
  log.info({ ...fields, user: command.user, outcome }, 'asked to forget')
  const isDone = outcome === 'person' || outcome === 'channel'
  const text = isDone ? FORGET[outcome] : withReference(FORGET[outcome], reference)
  const message = { response_type: 'ephemeral', ...noteContent(text), parse: 'none' }
  const warn = (more: object, line: string) => log.warn({ ...fields, ...more }, line)
  await respond(command.responseUrl ?? '', message, { apiUrl: installation.client.apiUrl, fetch, log: warn })
}

async function forget(
  { team, channel, user }: Question,
  { directory }: Installation,
  { forgetting, settingsFor }: Services,
): Promise<keyof typeof FORGET> {
  if (channel.startsWith('D')) {
    await forgetting.forgetPerson({ team, channel, user })
    return 'person'
  }
  const { whoMayForget, access } = await settingsFor({ team, channel })
  const facts = await directory.factsOf(team, user, { isFresh: true })
  if (typeof facts === 'string') return 'untold'
  if (whoMayForget === 'admins' && !facts.isAdmin) return 'notAdmin'
  if ((facts.isExternal || facts.isGuest) && !access.external) return 'notMember'
  await forgetting.forgetChannel({ team, channel })
  return 'channel'
}
