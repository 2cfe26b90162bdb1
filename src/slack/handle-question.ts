import { madeFile } from '../agent/run-progress.ts'
import { messageOf } from '../base/errors.ts'
import { needsNoModel, release } from '../question/admission.ts'
import { answeredFields } from '../question/answered-fields.ts'
import { archiveRun, isArchived } from '../question/archive-run.ts'
import { auditSaved, runQuestion } from '../question/run-question.ts'
import { takeBack } from '../question/take-back.ts'
import type { Handled, Handler } from '../queue/types.ts'
import { Withdrawn } from '../stores/runs/control.ts'
import { conversationOf, isRepeat, isUnrooted, type Question, type Run } from '../stores/runs/types.ts'
import { answerDeps, granterIn } from './answer-deps.ts'
import { noticeBudgets } from './budget-notice.ts'
import { markHeard, settleMarks } from './client/addition-marks.ts'
import type { Installation } from './client/installations.ts'
import { Mentions } from './client/mentions.ts'
import { Outbox } from './client/outbox.ts'
import { chooseDisplay } from './display/choose-display.ts'
import { isFailureTold } from './display/post-keys.ts'
import { RunDisplay } from './display/run-display.ts'
import { StreamRefusals } from './display/stream-refusals.ts'
import { noticeDeadLetter, noticeFailure, noticeFailureAgain } from './failure-notice.ts'
import { saidWithFiles, whyNothingIsRead } from './files/file-intake.ts'
import { sendMadeFiles } from './files/made-files.ts'
import { rootContent } from './format/blocks.ts'
import { cannedReply } from './format/messages.ts'
import { nothingText } from './format/schedule-words.ts'
import { catchUp } from './intake/catch-up.ts'
import { renewHome } from './intake/publish-home.ts'
import { isAboutOpen } from './opening/about-message.ts'
import { openCommandThread } from './opening/command-thread.ts'
import { shareAnswer } from './opening/share-answer.ts'
import type { QuestionWork } from './question-work.ts'
import { readMessage, withFilesLookedUp } from './reading/thread-reader.ts'
import { admittedPeople, isDenied, refuse, type Admitted } from './refuse.ts'
import { isScheduleRequest, showSchedule } from './schedules/schedule-request.ts'
import {
  endScheduled,
  endTurn,
  handleOccurrence,
  isConditional,
  isNothing,
  restorePrior,
  scheduledSettings,
} from './schedules/scheduled-run.ts'
import type { Services } from './services.ts'

/** Returns the handlers for the queue's questions. If a handler throws, the queue retries; people are told here. */
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
      return handle(await workOn(asked, run, { services, installation, signal, streamsRefused }))
    }
  return { answer: handlerOf((work) => handleAndSettle(work, admitted)), deadLetter: handlerOf(deadLetter) }
}

interface WorkParts {
  services: Services
  installation: Installation
  signal: AbortSignal
  streamsRefused: StreamRefusals
}

async function workOn(question: Question, run: Run, parts: WorkParts): Promise<QuestionWork> {
  const { services, installation, signal, streamsRefused } = parts
  const { log, now, fetch, threads } = services
  const quietWords = () => services.agent.answer.prompts['quiet-schedule']({})
  const settings = scheduledSettings(question, await services.settingsFor({ ...question, waits: true }), quietWords)
  const mentions = new Mentions(installation.directory, question)
  const outboxUnder = (signal: AbortSignal) => new Outbox({ installation, question, run, signal, log, fetch })
  const outbox = outboxUnder(signal)
  return {
    ...{ services, question, run, signal, settings, installation, mentions, outbox },
    async openDisplay({ steps = settings.steps, signal: other } = {}) {
      await mentions.lookUpSaved(run.saved, isRepeat(question.id) ? `<@${question.user}>` : '')
      const { streamInChannels, approvers } = settings
      const shared = { log, now, outbox: other ? outboxUnder(other) : outbox, signal: other ?? signal }
      const named = (text: string) => mentions.forPeople(text)
      const stop = () => stopRun(question, services)
      const display = chooseDisplay({ ...shared, steps, streamInChannels, streamsRefused, named, stopRun: stop })
      const linkHosts = [...settings.linkHosts, installation.identity.url]
      const { connections } = services
      return new RunDisplay({ ...shared, display, threads, linkHosts, approvers, mentions, connections })
    },
    release: (options) => release({ question, run, settings, services }, options),
  }
}

async function handleAndSettle(work: QuestionWork, admitted: Admitted): Promise<Handled> {
  const result = await handleQuestion(work, admitted)
  const { question, run, signal, installation } = work
  const heard = run.saved.steps.flatMap((step) => (step.kind === 'message' ? [step.id] : []))
  const over = question.wasAddition ? [...heard, question.id] : heard
  if (over.length > 0 && !signal.aborted)
    await settleMarks(installation.client, { heard: run.saved.attempts > 1 ? heard : [], over })
  return result
}

/** Answers one question in its thread. An `/ask` gets a thread first. */
async function handleQuestion(work: QuestionWork, admitted: Admitted): Promise<Handled> {
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
async function handleScheduleRequest(work: QuestionWork, admitted: Admitted): Promise<Handled> {
  if (!(await isDenied(work, admitted))) await showSchedule(work).catch((error: unknown) => noticeFailure(error, work))
  return 'refused'
}

/** Runs a question without a display, up to its answer or to a call that a person must allow. */
async function answerUnseen(work: QuestionWork): Promise<void> {
  const deps = await answerDeps(work, await work.openDisplay({ steps: 'hidden' }))
  const named = { ...work, question: await work.mentions.questionForModel(work.question, work.run) }
  for await (const event of runQuestion(named, deps)) if (event.type === 'waiting') return
}

async function deadLetter(work: QuestionWork): Promise<void> {
  await noticeDeadLetter(work)
  await archive(work, { hasFailed: true })
}

/** If Slack delivered the question late, later messages are caught up at the same time. */
async function answerInThread(work: QuestionWork, display: RunDisplay): Promise<Handled> {
  const { question, run, signal, services, outbox } = work
  const caughtUp = question.isLate ? catchUp(work) : Promise.resolve()
  caughtUp.catch(() => undefined)
  let [isWaiting, hasFailed] = [false, false]
  let withdrawn: Withdrawn | undefined
  if (!signal.aborted) display.begin()
  try {
    signal.throwIfAborted()
    isWaiting = await showAnswer(work, display)
    if (isWaiting) services.log.info({ question: question.id }, 'question waits for a person')
    else services.log.info(answeredFields(question, run.saved, services.now().getTime()), 'question answered')
  } catch (error) {
    if (error instanceof Withdrawn) withdrawn = error
    else await noticeFailure(error, work, display)
    hasFailed = true
  } finally {
    await display.end()
  }
  if (withdrawn) {
    await auditSaved(work, { isOver: true, grantedBy: granterIn(work) })
    await takeBack(withdrawn, work, () => outbox.removePosts())
  } else if (!isWaiting) await archive(work, { hasFailed })
  else await endTurn(work)
  if (!needsNoModel(question) && !signal.aborted) await noticeBudgets(work)
  // A durable queue retries the run if catching up failed.
  await (services.durable ? caughtUp : caughtUp.catch(() => undefined))
  return isWaiting ? 'waiting' : undefined
}

async function archive(work: QuestionWork, ending: { hasFailed: boolean }): Promise<void> {
  if (!work.signal.aborted) await endScheduled(work, ending.hasFailed ? 'failed' : 'over')
  if (!isArchived(work)) return
  await auditSaved(work, { isOver: true, grantedBy: granterIn(work) })
  await archiveRun(work, ending)
  renewHome(work)
}

/** @returns whether the run waits for a person */
async function showAnswer(work: QuestionWork, display: RunDisplay): Promise<boolean> {
  const { question, run, settings, mentions, installation } = work
  if (needsNoModel(question)) return display.note(cannedReply(question, settings)).then(() => false)
  const unread = question.text === '' ? await whyNothingIsRead(work) : undefined
  if (unread !== undefined) return display.note(unread).then(() => false)
  const deps = await answerDeps(work, display)
  const named = { ...work, question: await mentions.questionForModel(question, run) }
  let isWaiting = false
  for await (const event of runQuestion(named, deps)) {
    const isEnd = event.type === 'answer' || event.type === 'gave_up'
    if (isEnd && run.saved.steps.some(madeFile)) await sendMadeFiles(work, display)
    isWaiting ||= event.type === 'waiting'
    if (event.type === 'figures' && !settings.figures) continue
    if (event.type === 'message') void markHeard(installation.client, event.step.id)
    const isUnsaid = event.type === 'answer' && isConditional(question) && isNothing(event)
    await display.write(isUnsaid ? { ...event, text: nothingText(question) } : await mentions.event(event))
  }
  return isWaiting
}

/** Stops a run after a person has stopped its stream in Slack. */
function stopRun(question: Question, { control, log }: Services): void {
  const run = { thread: conversationOf(question), id: question.id }
  control.send(run, { type: 'stop', by: question.user }).catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'a run whose stream was stopped could not be stopped')
  })
}
