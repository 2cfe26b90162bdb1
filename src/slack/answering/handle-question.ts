import { needsNoModel } from '../../question/usage-admission.ts'
import { restorePrior } from '../../question/work-before-thread.ts'
import type { HandleOutcome, Handler } from '../../queue/types.ts'
import type { ThreadContext } from '../../stores/history/types.ts'
import { isUnrooted, type AboutMessage, type Question, type ShareRequest } from '../../stores/runs/types.ts'
import { settleMarks } from '../client/addition-reactions.ts'
import { Outbox } from '../client/outbox.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import { isFailurePosted, type RunDisplay } from '../display/run-display.ts'
import { StreamRefusals } from '../display/places-without-streams.ts'
import { saidWithFiles } from '../files/file-intake.ts'
import { noteContent, rootContent } from '../format/blocks.ts'
import type { QuestionWork } from '../question-work.ts'
import { readMessage, withOwnFiles } from '../reading/thread-reader.ts'
import { isScheduleRequest, showSchedule } from '../schedules/schedule-request.ts'
import type { Services } from '../services.ts'
import { answerInThread, archive } from './answer-in-thread.ts'
import { changedLines, changesIn } from './changes-made.ts'
import { openCommandThread } from './command-thread.ts'
import { notifyDeadLetter, notifyFailure, notifyFailureAgain } from './failure-notice.ts'
import { openWork } from './create-question-work.ts'
import { admittedPeople, isDenied, isOverLimit, refuse } from './admit-or-refuse.ts'
import { endScheduled } from './end-scheduled.ts'
import { handleOccurrence } from './scheduled-run.ts'
import { shareAnswer } from './share-answer.ts'

/**
 * Returns the handlers for the queue's questions. If a handler throws, the queue retries; people get the message here.
 */
export function createQuestionHandlers(services: Services): { answer: Handler; deadLetter: Handler } {
  const admitted = admittedPeople(() => services.now().getTime())
  const streamsRefused = new StreamRefusals()
  const handlerOf =
    (handle: (work: QuestionWork) => ReturnType<Handler>): Handler =>
    async (question, run, signal) => {
      const log = services.log.child({ question: question.id })
      const installations = services.installations.ofApp?.(question.app) ?? services.installations
      const installation = await installations.of(question.team)
      if (!installation)
        return log.error({ team: question.team }, 'no installation of its app for this team: question dropped')
      const own = { ...services, installations }
      const asked =
        question.text === '' ? await withOwnFiles(question, { installation, services: own, signal }) : question
      const outbox = new Outbox(installation, asked, run, signal, log)
      return handle(await openWork(outbox, own, streamsRefused, admitted))
    }
  return { answer: handlerOf(handleAndSettle), deadLetter: handlerOf(deadLetter) }
}

async function handleAndSettle(work: QuestionWork): Promise<HandleOutcome> {
  const { question, run, signal, installation } = work
  const result = await handleQuestion(question, work)
  const isUnanswered = result === 'refused' || result === 'limited' || needsNoModel(question)
  if (isUnanswered && question.doneBefore) await tellDoneBefore(work)
  const heard = run.saved.steps.flatMap((step) => (step.kind === 'message' ? [step.id] : []))
  const over = question.kind === 'addition' ? [...heard, question.id] : heard
  if (over.length > 0 && !signal.aborted)
    await settleMarks(installation.client, { heard: run.saved.attempts > 1 ? heard : [], over })
  return result
}

const DONE_BEFORE = 'Before you edited your question, I had already done what is listed below.'

/** Names what was done for an earlier version of a question that no model answers any more. */
async function tellDoneBefore(work: QuestionWork): Promise<void> {
  const lines = await changedLines(await changesIn(work), work)
  if (lines) await work.outbox.tellAsker(noteContent(DONE_BEFORE, undefined, lines))
}

type Kind = Question['kind']
type QuestionOf<K extends Kind> = Extract<Question, { kind: K }>
type HandleKind<K extends Kind> = (question: QuestionOf<K>, work: QuestionWork) => Promise<HandleOutcome>

/** What is done with each kind of question. */
const HANDLERS: { [K in Kind]: HandleKind<K> } = {
  asked: handleAsked,
  addition: handleAsked,
  bot: (_, work) => handleAdmitted(work, answerAsked),
  about: (question, work) => handleAdmitted(work, (own, display) => answerAbout(question, own, display)),
  share: (question, work) => handleAdmitted(work, (own) => share(question, own)),
  occurrence: async (question, work) => {
    if (isUnrooted(question)) return handleOccurrence(question, work)
    await restorePrior(work)
    return handleAdmitted(work, answerAsked)
  },
}

function handleQuestion<K extends Kind>(question: QuestionOf<K>, work: QuestionWork): Promise<HandleOutcome> {
  return HANDLERS[question.kind as K](question, work)
}

async function handleAsked(_: Question, work: QuestionWork): Promise<HandleOutcome> {
  return (await isScheduleRequest(work)) ? handleScheduleRequest(work) : handleAdmitted(work, answerAsked)
}

type AnswerAdmitted = (work: QuestionWork, display: RunDisplay | undefined) => Promise<HandleOutcome>

/** Does `answer` if the question is admitted. There is no display before it has a thread. */
async function handleAdmitted(work: QuestionWork, answer: AnswerAdmitted): Promise<HandleOutcome> {
  const { question, run, signal } = work
  if (isFailurePosted(run)) return notifyFailureAgain(work).then(() => archive(work, { hasFailed: true }))
  const how = needsNoModel(question) ? ({ steps: 'hidden' } as const) : {}
  const display = isUnrooted(question) ? undefined : await work.openDisplay(how)
  const begin = () => {
    if (!signal.aborted) display?.begin()
  }
  const refused = await refuse(work, begin).catch((error: unknown) => ({ error }))
  if (!refused) return answer(work, display)
  await display?.end()
  if ('error' in refused) throw refused.error
  await endScheduled(work, 'limited')
  return refused.end
}

/** Answers a question in its thread. An `/ask` gets a thread first. */
async function answerAsked(work: QuestionWork, display: RunDisplay | undefined): Promise<HandleOutcome> {
  if (display) return answerInThread(work, display)
  return openAskThread(work).catch((error: unknown) => notifyFailure(error, work))
}

async function answerAbout(
  question: AboutMessage,
  work: QuestionWork,
  display: RunDisplay | undefined,
): Promise<HandleOutcome> {
  if (!display) return answerAsked(work, display)
  try {
    await openAbout(question, work, display)
  } catch (error) {
    await notifyFailure(error, work, display)
    return display.end()
  }
  return answerInThread(work, display)
}

async function share(question: ShareRequest, work: QuestionWork): Promise<HandleOutcome> {
  return shareAnswer(question, work).catch((error: unknown) => notifyFailure(error, work))
}

/** Opens the thread of an `/ask`. The question keeps its slot among the team's runs until it is answered there. */
async function openAskThread({ question, mentions, outbox, services }: QuestionWork): Promise<void> {
  const text = await mentions.withNames(question.text)
  await openCommandThread({ ...question, text }, rootContent(question.user, text), outbox, services.queue)
}

/** Shows the schedule that would be made. This is not a question of the thread. */
async function handleScheduleRequest(work: QuestionWork): Promise<HandleOutcome> {
  const isRefused =
    (await isDenied(work)) || (await isOverLimit(work, (question, { usage }) => usage.freeRequests.admit(question)))
  if (!isRefused) await showSchedule(work).catch((error: unknown) => notifyFailure(error, work))
  return 'refused'
}

async function deadLetter(work: QuestionWork): Promise<void> {
  await notifyDeadLetter(work)
  await archive(work, { hasFailed: true })
}

/**
 * Opens a question about a message: reads the message for the model, and posts in its thread who asks what. If the bot
 * is not a member of the channel, it joins.
 * @throws SlackRefusal if it cannot join, or the message is gone; LeaseLost
 */
async function openAbout(question: AboutMessage, work: QuestionWork, display: RunDisplay): Promise<void> {
  const { run, outbox, mentions } = work
  const { channel, about, user, text } = question
  const read = async () => saidWithFiles(await readMessage(work, about), work, display)
  if (run.saved.said === undefined) {
    const said = await read().catch(async (error: unknown) => {
      if (!(error instanceof SlackRefusal) || !NOT_IN.has(error.code)) throw error
      await outbox.call('conversations.join', { channel })
      return read()
    })
    await run.save({ part: 'said', value: asContext(said) })
  }
  await outbox.deliver('asked', rootContent(user, await mentions.withNames(text)))
}

function asContext({ text, by, ...rest }: ThreadContext): ThreadContext {
  const words = text === '' ? 'It has no text that I can read.' : text
  return {
    text: `The question is about this message:\n${words}`,
    by: ['', ...(text === '' ? [''] : by)],
    ...rest,
  }
}

const NOT_IN = new Set(['not_in_channel', 'channel_not_found'])
