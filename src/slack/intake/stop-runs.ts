/** Stops runs, for Slack's own Stop, our button, a word or a reaction. `whoMayStop` decides who may stop which run. */
import { sleep } from '../../base/backoff.ts'
import { warnWith } from '../../base/log.ts'
import type { PersonInPlace, ThreadKey } from '../../base/place.ts'
import { isFollowed } from '../../question/followed-threads.ts'
import { stopQuestion } from '../../question/stop-question.ts'
import { foreignTeam, isSamePerson, type Presser } from '../../stores/runs/audience.ts'
import { conversationOf, isPrivate, type Question } from '../../stores/runs/types.ts'
import { mayAskNow } from './access.ts'
import { privateThread } from './asked-audience.ts'
import { tellOnce } from '../client/ephemeral.ts'
import { noteContent } from '../format/blocks.ts'
import { STOP_WORDS } from '../format/messages.ts'
import { questionOf, type SlackMessage } from './to-question.ts'
import { recipientOf, type Incoming } from './find-recipient.ts'
import type { Services } from '../services.ts'

interface IncomingMention extends Incoming {
  /** It is the second event of a mention. */
  isTwin?: boolean
}

/** A person's request to stop what runs in a thread. */
export interface StopWish extends PersonInPlace, Presser {
  /** The root of the thread. */
  thread: string
  /** The ts of the request by Slack's clock. A late delivery does not stop questions that were asked after it. */
  at: string
  /** Stops everything that runs in a direct message, in any thread. */
  isWide?: boolean
  /**
   * The questions to stop. The default is the running and suspended ones of the thread, and the person's own waiting
   * ones.
   */
  isMeant?: ((question: Question) => boolean) | undefined
}

/** `stopped`: active runs got a stop signal, waiting questions left the queue. `forbidden`: they belong to others. */
type StopOutcome = 'stopped' | 'nothing' | 'forbidden'

/** Stops the runs that the person may stop. @throws the error of a store */
export async function stopRuns(wish: StopWish, services: Services): Promise<StopOutcome> {
  const { userTeam, ...here } = wish
  const { team, channel, user, homes, thread: root } = here
  const surface = channel.startsWith('D') ? 'dm' : 'thread'
  const place = {
    ...here,
    ...foreignTeam({ userTeam, homes }, team),
    kind: 'asked',
    id: '',
    text: '',
    surface,
    at: 0,
    ...(wish.isWide ? { ts: root } : {}),
  } as const
  const thread = conversationOf(await services.queue.place(place))
  // Private questions of a thread's messages wait in a conversation of their own.
  const alone = surface === 'thread' ? conversationOf({ ...place, thread: privateThread(place) }) : thread
  const found = await Promise.all([...new Set([thread, alone])].map((one) => questionsIn(one, wish, services)))
  const inThread = found.flat()
  const questions = inThread.map(({ question }) => question)
  const person = await presserIn(wish, questions, services)
  const isOwn = (question: Question) => isSamePerson(person, question)
  const meant = inThread.filter(({ question, hasBegun }) => wish.isMeant?.(question) ?? (hasBegun || isOwn(question)))
  if (meant.length === 0) return 'nothing'
  const isOthers = meant.some(({ question }) => !isOwn(question))
  const isAnyones =
    isOthers && (await services.settingsFor(wish)).whoMayStop === 'anyone' && (await mayAskNow(place, services))
  const allowed = meant.filter(({ question }) => isAnyones || isOwn(question))
  if (allowed.length === 0) return 'forbidden'
  let outcome: StopOutcome = 'nothing'
  for (const { question, thread } of allowed)
    if (await stopOne(question, { thread, by: user }, services)) outcome = 'stopped'
  return outcome
}

/** The questions of a conversation that are older than the wish, and in its thread unless it is wide. */
async function questionsIn(thread: ThreadKey, wish: StopWish, { queue }: Services) {
  const { running, waiting, suspended = [] } = await queue.inThread(thread)
  const begun = [...(running ? [running] : []), ...suspended]
  const isInThread = (question: Question) =>
    wish.isWide || question.thread === wish.thread || (isPrivate(question) && question.conversation === wish.thread)
  const isEarlier = ({ ts = '0' }: Question) => Number(ts) < Number(wish.at)
  return [...begun, ...waiting]
    .filter((question) => isInThread(question) && isEarlier(question))
    .map((question) => ({ question, thread, hasBegun: begun.includes(question) }))
}

/**
 * Returns who wants to stop. A reaction event does not name the person's workspace. If somebody from another workspace
 * with the same id asked a question here, Slack's facts about the id decide who reacted.
 */
async function presserIn(wish: StopWish, questions: Question[], { installations }: Services): Promise<Presser> {
  const { team, user, userTeam, homes } = wish
  const isClear = userTeam !== undefined || homes !== undefined
  if (isClear || !questions.some((one) => one.user === user && one.userTeam !== undefined)) return wish
  const installation = await installations.of(team)
  const facts = await installation?.directory.factsOf(team, user)
  return typeof facts === 'object' ? { user, userTeam: facts.homes[0], homes: facts.homes } : wish
}

/** Returns whether a text is only the word `stop` or `cancel`, in any case, with punctuation around it. */
export function isStopWord(text: string): boolean {
  return /^[\s\p{P}]*(?:stop|cancel)[\s\p{P}]*$/iu.test(text)
}

/** Returns whether a reaction is ❌ or 🛑. @param name as Slack names emoji, without colons */
export function isStopReaction(name: string): boolean {
  return name === 'x' || name === 'octagonal_sign'
}

/** A cheap check of a message with Slack's markup, because few messages need a closer look. */
function maySayStop(text = ''): boolean {
  return text.length < 200 && /stop|cancel/i.test(text)
}

/**
 * Handles a stop word alone in a thread or a direct message, with or without the bot's name. It never becomes a
 * question. A mention arrives as two events, and the first one stops the run. The twin (`isTwin`) never replies.
 * "Nothing to stop" is only said where the bot was addressed: by a mention, in a direct message, or in a thread that it
 * follows.
 * @returns whether the message was a stop word
 */
export async function stopByWord(
  message: SlackMessage,
  { body, context, isTwin = false }: IncomingMention,
  services: Services,
): Promise<boolean> {
  if (!maySayStop(message.text)) return false
  const recipient = await recipientOf({ context, isShared: body.is_ext_shared_channel === true }, services)
  if (!recipient) return false
  const { team, installation } = recipient
  const asked = questionOf(message, { team, botUser: installation.identity.botUser, now: services.now() })
  if (!asked || !isStopWord(asked.question.text)) return false
  const { channel, user, userTeam = team, thread, ts = message.ts, surface } = asked.question
  const place = { team, channel, user, userTeam, thread }
  const outcome = await stopRuns({ ...place, at: ts, isWide: surface === 'dm' && ts === thread }, services)
  const isFirst = () => services.oncePerDay.isFirst(team, `stop:${channel}:${ts}`)
  if (outcome === 'stopped') void isFirst().catch(() => undefined)
  if (outcome === 'stopped' || isTwin) return true
  const isOver = outcome === 'nothing' && (await hasAnswered(asked.question, services))
  const text = isOver ? STOP_WORDS.ended : STOP_WORDS[outcome]
  const tell = () => tellAboutStop({ ...place, isReply: ts !== thread, text }, services)
  const isMeant = surface !== 'thread' || (await isFollowed(asked.question, services))
  if (outcome === 'forbidden') void tell()
  else if (isMeant) void tellUnlessStopped(surface === 'mention' ? TWIN_MS : 0, isFirst, tell)
  return true
}

/** Returns whether a question was answered in the conversation of a message before. */
async function hasAnswered(question: Question, { queue, history }: Services): Promise<boolean> {
  return (await history.load(conversationOf(await queue.place(question)))).length > 0
}

/** Waits for the other event of a mention, which may stop the run. Never rejects. */
async function tellUnlessStopped(ms: number, isFirst: () => Promise<boolean>, tell: () => Promise<void>) {
  await sleep(ms)
  if (await isFirst().catch(() => false)) await tell()
}

/** How much later the second event of a mention may come. Milliseconds. */
const TWIN_MS = 500

/** Returns whether there was something to stop. Askers whose question left the queue get a message. */
async function stopOne(
  question: Question,
  { thread, by }: { thread: string; by: string },
  services: Services,
): Promise<boolean> {
  const { user, ts } = question
  const outcome = await stopQuestion(question, { thread, by }, services)
  if (outcome !== 'withdrawn') return outcome === 'sent'
  const place = { ...question, isReply: ts !== question.thread && (ts !== undefined || !isPrivate(question)) }
  void tellAboutStop({ ...place, text: user === by ? STOP_WORDS.withdrawn : STOP_WORDS.withdrawnByOther }, services)
  if (user !== by) void tellAboutStop({ ...place, user: by, text: STOP_WORDS.withdrawnOthers }, services)
  return true
}

/**
 * Sends an ephemeral message, in the thread if `isReply`, otherwise in the channel: Slack does not show ephemeral
 * messages in a thread without replies. Never rejects; if Slack refuses the message, it is lost.
 */
export async function tellAboutStop(told: StopNotice, { installations, log }: Services): Promise<void> {
  const { team, channel, user, thread, isReply, text } = told
  const word = { channel, user, thread_ts: isReply ? thread : undefined, ...noteContent(text) }
  const telling = installations.of(team).then((there) => there && tellOnce(there.client, word))
  await telling.catch(warnWith(log, { channel }, 'could not notify a person about a stop'))
}

interface StopNotice extends PersonInPlace {
  thread: string
  isReply: boolean
  text: string
}
