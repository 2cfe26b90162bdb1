import { needsNoModel } from '../../question/admission.ts'
import { restorePrior } from '../../question/work-before-thread.ts'
import type { HandleOutcome, Handler } from '../../queue/types.ts'
import { isUnrooted } from '../../stores/runs/types.ts'
import { settleMarks } from '../client/addition-reactions.ts'
import { isFailurePosted } from '../display/run-display.ts'
import { StreamRefusals } from '../display/places-without-streams.ts'
import { rootContent } from '../format/blocks.ts'
import type { QuestionWork } from '../question-work.ts'
import { withOwnFiles } from '../reading/thread-reader.ts'
import { isScheduleRequest, showSchedule } from '../schedules/schedule-request.ts'
import type { Services } from '../services.ts'
import { openAbout } from './open-about-message.ts'
import { answerInThread, answerUnseen, archive } from './answer-in-thread.ts'
import { openCommandThread } from './command-thread.ts'
import { notifyDeadLetter, notifyFailure, notifyFailureAgain } from './failure-notice.ts'
import { openWork } from './create-question-work.ts'
import { admittedPeople, isDenied, isOverLimit, refuse, type AdmittedPeople } from './refuse.ts'
import { endScheduled, handleOccurrence } from './scheduled-run.ts'
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
      const { log } = services
      const installations = services.installations.ofApp?.(question.app) ?? services.installations
      const installation = await installations.of(question.team)
      if (!installation) {
        const fields = { question: question.id, team: question.team }
        return log.error(fields, 'no installation of its app for this team: question dropped')
      }
      const own = { ...services, installations }
      const asked =
        question.text === '' ? await withOwnFiles(question, { installation, services: own, signal }) : question
      return handle(await openWork(asked, run, { services: own, installation, signal, streamsRefused }))
    }
  return { answer: handlerOf((work) => handleAndSettle(work, admitted)), deadLetter: handlerOf(deadLetter) }
}

async function handleAndSettle(work: QuestionWork, admitted: AdmittedPeople): Promise<HandleOutcome> {
  const result = await handleQuestion(work, admitted)
  const { question, run, signal, installation } = work
  const heard = run.saved.steps.flatMap((step) => (step.kind === 'message' ? [step.id] : []))
  const over = question.wasAddition ? [...heard, question.id] : heard
  if (over.length > 0 && !signal.aborted)
    await settleMarks(installation.client, { heard: run.saved.attempts > 1 ? heard : [], over })
  return result
}

/** Answers one question in its thread. An `/ask` gets a thread first. */
async function handleQuestion(work: QuestionWork, admitted: AdmittedPeople): Promise<HandleOutcome> {
  const { question, run, signal } = work
  if (question.schedule && isUnrooted(question)) return handleOccurrence(work, () => answerUnseen(work))
  if (question.prior) await restorePrior(work)
  if (await isScheduleRequest(work)) return handleScheduleRequest(work, admitted)
  if (isFailurePosted(run)) return notifyFailureAgain(work).then(() => archive(work, { hasFailed: true }))
  const how = needsNoModel(question) ? ({ steps: 'hidden' } as const) : {}
  const display = isUnrooted(question) ? undefined : await work.openDisplay(how)
  const begin = () => {
    if (!signal.aborted) display?.begin()
  }
  const refused = await refuse(work, admitted, begin).catch((error: unknown) => ({ error }))
  if (refused) {
    await display?.end()
    if ('error' in refused) throw refused.error
    await endScheduled(work, 'limited')
    return refused.end
  }
  const notice = (error: unknown) => notifyFailure(error, work)
  if (question.shares !== undefined) return shareAnswer(work).catch(notice)
  if (!display) return openAskThread(work).catch(notice)
  try {
    if (question.about !== undefined) await openAbout(work, display)
  } catch (error) {
    await notifyFailure(error, work, display)
    return display.end()
  }
  return answerInThread(work, display)
}

/** Opens the thread of an `/ask`. The question keeps its slot among the team's runs until it is answered there. */
async function openAskThread({ question, mentions, outbox, services }: QuestionWork): Promise<void> {
  const text = await mentions.withNames(question.text)
  await openCommandThread({ ...question, text }, rootContent(question.user, text), { queue: services.queue, outbox })
}

/** Shows the schedule that would be made. This is not a question of the thread. */
async function handleScheduleRequest(work: QuestionWork, admitted: AdmittedPeople): Promise<HandleOutcome> {
  const isRefused =
    (await isDenied(work, admitted)) ||
    (await isOverLimit(work, (question, { freeRequests }) => freeRequests.admit(question)))
  if (!isRefused) await showSchedule(work).catch((error: unknown) => notifyFailure(error, work))
  return 'refused'
}

async function deadLetter(work: QuestionWork): Promise<void> {
  await notifyDeadLetter(work)
  await archive(work, { hasFailed: true })
}
