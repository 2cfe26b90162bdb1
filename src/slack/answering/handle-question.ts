import { needsNoModel } from '../../question/admission.ts'
import { restorePrior } from '../../question/prior-work.ts'
import type { HandleOutcome, Handler } from '../../queue/types.ts'
import { isUnrooted } from '../../stores/runs/types.ts'
import { settleMarks } from '../client/addition-marks.ts'
import { isFailureTold } from '../display/post-keys.ts'
import { StreamRefusals } from '../display/stream-refusals.ts'
import { saidWithFiles } from '../files/file-intake.ts'
import { rootContent } from '../format/blocks.ts'
import type { QuestionWork } from '../question-work.ts'
import { readMessage, withFilesLookedUp } from '../reading/thread-reader.ts'
import { isScheduleRequest, showSchedule } from '../schedules/schedule-request.ts'
import type { Services } from '../services.ts'
import { isAboutOpen } from './about-message.ts'
import { answerInThread, answerUnseen, archive } from './answer-in-thread.ts'
import { openCommandThread } from './command-thread.ts'
import { noticeDeadLetter, noticeFailure, noticeFailureAgain } from './failure-notice.ts'
import { openWork } from './open-work.ts'
import { admittedPeople, isDenied, refuse, type AdmittedPeople } from './refuse.ts'
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
      const { installations, log } = services
      const installation = await installations.of(question.team)
      if (!installation) {
        const fields = { question: question.id, team: question.team }
        return log.error(fields, 'no installation for this team: question dropped')
      }
      const isBare = question.mayHaveFiles && question.text === ''
      const asked = isBare ? await withFilesLookedUp(question, { installation, log, signal }) : question
      return handle(await openWork(asked, run, { services, installation, signal, streamsRefused }))
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
  const { question, run, outbox, mentions, services, signal } = work
  if (question.schedule && isUnrooted(question)) return handleOccurrence(work, () => answerUnseen(work))
  if (question.prior) await restorePrior(work)
  if (await isScheduleRequest(work)) return handleScheduleRequest(work, admitted)
  if (isFailureTold(run)) return noticeFailureAgain(work).then(() => archive(work, { hasFailed: true }))
  const how = needsNoModel(question) ? ({ steps: 'hidden' } as const) : {}
  const display = isUnrooted(question) ? undefined : await work.openDisplay(how)
  const begin = () => void (signal.aborted || display?.begin())
  const refused = await refuse(work, admitted, begin).catch((error: unknown) => ({ error }))
  if (refused) await display?.end()
  if (refused && 'error' in refused) throw refused.error
  if (refused) await endScheduled(work, 'limited')
  if (refused) return refused.end
  if (question.shares !== undefined) return shareAnswer(work).catch((error: unknown) => noticeFailure(error, work))
  const notice = (error: unknown) => noticeFailure(error, work, display)
  const read = async (ts: string) => saidWithFiles(await readMessage(work, ts), work, display)
  if (display && question.about !== undefined && !(await isAboutOpen(work, { read, notice }))) return display.end()
  if (display) return answerInThread(work, display)
  // The question keeps its slot among the team's runs until it is answered in its thread.
  const { queue } = services
  const opened = mentions
    .withNames(question.text)
    .then((text) => openCommandThread({ ...question, text }, rootContent(question.user, text), { queue, outbox }))
  await opened.catch((error: unknown) => noticeFailure(error, work))
}

/** Shows the schedule that would be made. This is not a question of the thread, and counts against no limit. */
async function handleScheduleRequest(work: QuestionWork, admitted: AdmittedPeople): Promise<HandleOutcome> {
  if (!(await isDenied(work, admitted))) await showSchedule(work).catch((error: unknown) => noticeFailure(error, work))
  return 'refused'
}

async function deadLetter(work: QuestionWork): Promise<void> {
  await noticeDeadLetter(work)
  await archive(work, { hasFailed: true })
}
