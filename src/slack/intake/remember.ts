/** Stores texts that people ask the bot to remember, for the place of their message. */
import { inTime } from '../../base/async.ts'
import type { Place } from '../../base/place.ts'
import { SealBroken } from '../../base/encryption.ts'
import { isFollowed } from '../../question/followed-threads.ts'
import type { Question } from '../../stores/runs/types.ts'
import { REMEMBERED_CHARS, type Remembered } from '../../stores/remembered/types.ts'
import { tellPerson, type EphemeralPlace } from '../client/ephemeral.ts'
import type { Installation } from '../client/installations.ts'
import { whyNoPosts } from '../client/place-facts.ts'
import { Mentions } from '../client/mentions.ts'
import { cannotPost, denialText, MEMORY, tooLongToRemember } from '../format/messages.ts'
import { outcomeContent, type RememberOutcome } from '../views/remembered-content.ts'
import type { Services, WorkspaceServices } from '../services.ts'
import { denialNow } from './access.ts'
import { scopeNow } from './remembered-scope.ts'

/** A request to remember. `question`: the person and the place. `by`: the author, if it is another person. */
export interface RememberRequest {
  question: Question
  /** See `Remembered`. */
  id: string
  text: string
  by?: string
  userTeam?: string
  /** The time of the message; now unless given. Milliseconds since the epoch. */
  at?: number
}

/** The text after `remember:` in a message; undefined for any other message. */
export function toRemember({ text }: Pick<Question, 'text'>): string | undefined {
  return /^remember\s{0,3}[:\uff1a](.*)$/is.exec(text)?.[1]?.trim()
}

/**
 * Handles `remember: …` in a message. Without a mention it counts only in a thread where the bot was asked before and
 * is not muted. Only the person sees the outcome.
 * @throws if a store fails
 */
export async function hearRemember(question: Question, text: string, services: Services): Promise<void> {
  const { installations, oncePerDay, log } = services
  const isForBot = question.surface !== 'thread' || (await isFollowed(question, services))
  const installation = await installations.of(question.team)
  if (!isForBot || !installation) return
  if (question.kind === 'bot') return log.info({ question: question.id }, 'a bot asked to remember: ignored')
  const { ts = '', thread } = question
  const outcome = await remember({ question, id: ts, text, at: Number(ts) * 1000 }, installation, services)
  // Slack delivers a mention as two events.
  const isRefused = outcome !== 'known' && 'refusal' in outcome
  if (isRefused && !(await oncePerDay.isFirst(question.team, `remember:${question.id}`))) return
  const place = { ...question, thread_ts: thread === ts ? undefined : thread }
  void tellOutcome(outcome, place, { installation, services })
}

/** Stores it, if the person may add it. Only full members may, even if others may ask. @throws if the store fails */
export async function remember(
  wanted: RememberRequest,
  installation: Installation,
  services: Services,
): Promise<RememberOutcome> {
  const { question, id, text, by = question.user } = wanted
  const { remembered, log } = services
  const asking = scopeNow(question, installation, remembered).catch(() => 'unanswered' as const)
  const refusal = await refusalOf(wanted, installation, services)
  if (refusal !== undefined) return { refusal }
  const scope = await inTime(PATIENCE_MS, asking, 'unanswered' as const)
  if (scope === 'unanswered') return { refusal: MEMORY.failed }
  if (scope === undefined) return { refusal: MEMORY.notIn }
  // A command may come from a direct message between other people, where the bot could never use the text.
  const { channel, surface } = question
  const isCommand = channel.startsWith('D') && surface !== 'dm'
  const obstacle = isCommand ? await whyNoPosts(channel, installation) : undefined
  if (obstacle !== undefined) return { refusal: cannotPost(obstacle) }
  const { userTeam } = wanted
  const at = wanted.at ?? services.now().getTime()
  const one: Remembered = { id, text, by, at, isTold: true, userTeam }
  const isOthers = by !== question.user
  const adding = remembered.add(scope, isOthers ? { ...one, keptBy: question.user } : one)
  const outcome = await adding.catch(unreadable)
  log.info({ question: question.id, user: question.user, chars: text.length, outcome }, 'asked to remember')
  if (outcome === 'known') return outcome
  if (outcome !== 'added') return { refusal: MEMORY[outcome] }
  return { kept: { id, text: await new Mentions(installation.directory, question).withNames(text) } }
}

/** @throws any other error */
export function unreadable(error: unknown): 'unreadable' {
  if (error instanceof SealBroken) return 'unreadable'
  throw error
}

/** Time limit for looking up the person, because Slack waits three seconds for an ack. Milliseconds. */
const PATIENCE_MS = 1_800

/** Returns why something is not remembered, as mrkdwn; undefined if it may be. */
export async function refusalOf(
  { question, text }: Pick<RememberRequest, 'question' | 'text'>,
  installation: Installation,
  services: Services,
): Promise<string | undefined> {
  const { length } = [...text]
  if (length === 0) return MEMORY.empty
  if (length > REMEMBERED_CHARS) return tooLongToRemember(length)
  const asking = personRefusal(question, installation, services)
  return inTime(PATIENCE_MS, asking, MEMORY.untold)
}

async function personRefusal(
  question: Question,
  installation: Installation,
  { settingsFor }: Services,
): Promise<string | undefined> {
  const facts = await installation.directory.factsOfAuthor(question)
  if (typeof facts === 'string') return MEMORY.untold
  if (facts.isGuest || facts.isExternal) return MEMORY.notMember
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const denial = await denialNow({ question, settings: await settingsFor(question), installation, signal })
  return denial && denialText(denial)
}

interface OutcomePlace extends EphemeralPlace, Place {}

/** Shows only the person the outcome. Never rejects. */
export async function tellOutcome(
  outcome: RememberOutcome,
  place: OutcomePlace,
  { installation, services }: WorkspaceServices,
): Promise<void> {
  const content = outcomeContent(outcome, place)
  if (content) await tellPerson(place, content, installation.client, services.log)
}
