/**
 * Decides who may ask, and where: ALLOW_CHANNELS, ALLOW_USERS, ALLOW_EXTERNAL and ALLOW_BOTS, as `settings.access`
 * (stores/settings/settings.ts). answering/admit-or-refuse.ts checks this before each run.
 * stores/limits/usage-limits.ts limits how much a person may ask.
 */
import { inTime } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import type { Question } from '../../stores/runs/types.ts'
import type { Installations } from '../client/installations.ts'
import type { Access, SettingsFor } from '../../stores/settings/settings.ts'
import { isGroup, type PersonFacts } from '../client/people-and-channels.ts'
import type { NoFacts } from '../client/directory.ts'
import { readMessages } from '../client/thread-messages.ts'
import { inGroups } from '../client/user-groups.ts'
import { isNamedIn } from '../content/message-content.ts'
import type { Denial } from '../format/messages.ts'
import type { QuestionWork } from '../question-work.ts'

/** A question, and the facts that its admission depends on. */
type Applicant = Pick<QuestionWork, 'question' | 'settings' | 'installation' | 'signal'>

/** Maximum number of questions that bots may ask in a row in a thread before a person writes there again. */
const MAX_BOT_TURNS = 3

/**
 * Checks whether the asker may ask in this place. Costs at most one `users.info` call per person and hour, and none if
 * the settings alone decide. A run that has begun was admitted before.
 * `beforeLookUp` is called before a lookup of the person, which may take a while.
 * @returns undefined if the question is admitted
 */
export async function denialOf(work: QuestionWork, beforeLookUp: () => void): Promise<Denial | undefined> {
  const { saved } = work.run
  return saved.steps.length > 0 || Object.keys(saved.posts).length > 0 ? undefined : denialNow(work, beforeLookUp)
}

/**
 * The same check even if the run has begun, and for somebody else's file in the question's thread, as if that person
 * asked.
 */
export async function denialNow(applicant: Applicant, beforeLookUp = () => {}): Promise<Denial | undefined> {
  const { question, settings, installation } = applicant
  const { access } = settings
  if (!isPlaceAllowed(question, access)) return 'channel'
  if (question.kind === 'bot') return (await botTurns(applicant)) > MAX_BOT_TURNS ? 'botTurns' : undefined
  if (access.external && access.users.length === 0) return undefined
  // Ids and groups in settings mean people here.
  if (await installation.directory.isNamesake(question, { onCall: beforeLookUp }))
    return access.users.length > 0 ? 'person' : 'external'
  // A person named by id may ask in any case.
  if (access.users.includes(question.user)) return undefined
  const domains = access.users.filter((one) => one.includes('.'))
  const groups = access.users.filter(isGroup)
  const inGroup = await inGroups(question, groups, installation)
  if (inGroup === 'noScope' && domains.length === 0) return 'groupUntold'
  if (inGroup === 'untold' && domains.length === 0) return 'personUnreachable'
  if (access.users.length > 0 && domains.length === 0 && inGroup !== 'yes') return 'person'
  if (access.external && domains.length === 0) return undefined
  const facts = await installation.directory.factsOf(question.team, question.user, { onCall: beforeLookUp })
  if (typeof facts === 'string') return withoutFacts(facts, question)
  return denialOfPerson(facts, access, inGroup === 'yes' ? [] : domains)
}

/** Time limit for looking up a person who types a word or presses a button, in ms. */
const PATIENCE_MS = 1_800

/** Returns whether somebody may ask in a place right now. False if Slack does not answer in time. */
export async function mayAskNow(
  question: Question,
  { installations, settingsFor }: { installations: Installations; settingsFor: SettingsFor },
): Promise<boolean> {
  const installation = await installations.of(question.team)
  if (!installation) return false
  const settings = await settingsFor(question)
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const asking = denialNow({ question, settings, installation, signal })
  return (await inTime(PATIENCE_MS, asking, 'unknown' as const)) === undefined
}

function isPlaceAllowed({ channel, surface }: Question, { channels }: Access): boolean {
  const place = surface === 'dm' || channel.startsWith('D') ? 'dm' : channel
  return channels.length === 0 || channels.includes(place)
}

/** Maps missing facts to a denial: nobody is admitted because Slack did not say who they are. */
function withoutFacts(why: NoFacts, { userTeam }: Question): Denial {
  if (why === 'hidden' || (why === 'untold' && userTeam !== undefined)) return 'external'
  return why === 'untold' ? 'personUntold' : 'personUnreachable'
}

/**
 * Guests and people from connected workspaces bring their own mail addresses, so a matching domain alone admits nobody.
 */
function denialOfPerson(
  { isExternal, isGuest, mailDomain, isEmailConfirmed }: PersonFacts,
  access: Access,
  domains: string[],
): Denial | undefined {
  if (isExternal && !access.external) return 'external'
  if (isGuest && !access.external) return 'guest'
  if (domains.length === 0) return undefined
  if (mailDomain === undefined) return 'emailUntold'
  if (!domains.includes(mailDomain)) return 'person'
  return isEmailConfirmed ? undefined : 'emailUnconfirmed'
}

/**
 * Counts the bot questions in the thread since a person last wrote there, this one included. Returns Infinity if Slack
 * does not let the bot read the thread.
 */
async function botTurns({ question, installation, signal }: Applicant): Promise<number> {
  const { channel, thread, ts = thread } = question
  const { client, identity } = installation
  let turns = 0
  try {
    for await (const message of readMessages(client, { channel, thread, since: thread, signal })) {
      if (message.ts > ts) break
      if (message.user === identity.botUser) continue
      if (message.bot_id === undefined) turns = 0
      else if (isNamedIn(message, identity.botUser)) turns += 1
    }
    return turns
  } catch (error) {
    signal.throwIfAborted()
    const fields = { question: question.id, error: messageOf(error) }
    client.log.warn(fields, 'could not count the turns of bots: question refused')
    return Infinity
  }
}
