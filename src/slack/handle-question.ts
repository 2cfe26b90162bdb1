import { madeFile } from '../agent/run-progress.ts'
import { recordOf } from '../question/run-record.ts'
import { answer, answeredFields, type AnswerDeps, type AnswerEvent } from '../question/answer.ts'
import type { Tool } from '../agent/types.ts'
import { messageOf } from '../base/errors.ts'
import { ExpiringMap } from '../base/expiring-map.ts'
import type { History, ThreadContext } from '../stores/history/types.ts'
import type { Handled, Handler } from '../queue/types.ts'
import { Withdrawn } from '../stores/runs/control.ts'
import { hasThreadBefore, isDirect, isPrivate, isUnrooted, type Question, type Run } from '../stores/runs/types.ts'
import type { Installation } from './client/installations.ts'
import type { Settings } from '../stores/settings/settings.ts'
import { isAboutOpen } from './about-message.ts'
import { denialOf } from './intake/access.ts'
import { catchUp } from './intake/catch-up.ts'
import { markHeard, settleMarks } from './client/addition-marks.ts'
import { UPLOAD_SCOPE } from './client/upload.ts'
import { openCommandThread } from './command-thread.ts'
import { chooseDisplay } from './display/choose-display.ts'
import { isFailureTold, RunDisplay } from './display/run-display.ts'
import { answerReader, stopRun } from './display/read-along.ts'
import { StreamRefusals } from './display/stream-refusals.ts'
import {
  noticeDeadLetter,
  noticeDenial,
  noticeFailure,
  noticeFailureAgain,
  noticeRefusal,
  type QuestionWork,
} from './failure-notice.ts'
import { cannedReply, HOW_TO_GO_ON } from './format/messages.ts'
import { needsNoModel } from './intake/to-question.ts'
import { Mentions } from './client/mentions.ts'
import { Outbox } from './client/outbox.ts'
import { withoutGap } from '../question/private-history.ts'
import { shareAnswer } from './share-answer.ts'
import { takeBack } from './take-back.ts'
import { readMessage, readThread, withFilesLookedUp, type ThreadReading } from './reading/thread-reader.ts'
import type { HandleQuestionOptions } from './types.ts'

/**
 * Creates the handlers for questions in Slack. The queue retries what they throw; what people should read is posted
 * here.
 */
export function createQuestionHandlers(options: HandleQuestionOptions): { answer: Handler; deadLetter: Handler } {
  const now = () => options.now().getTime()
  const admitted = new ExpiringMap<true>({ ttlMs: ADMITTED_MS, maxSize: MAX_ADMITTED, now })
  const streamsRefused = new StreamRefusals()
  const handlerOf =
    (handle: (work: AdmittedQuestion) => ReturnType<Handler>): Handler =>
    async (question, run, signal) => {
      const installation = await options.installations.of(question.team)
      const parts = { ...options, streamsRefused, admitted, installation, signal }
      if (installation) {
        const isBare = question.mayHaveFiles && question.text === ''
        const asked = isBare ? await withFilesLookedUp(question, { ...parts, installation }) : question
        return handle(await workOn(asked, run, { ...parts, installation }))
      }
      const fields = { question: question.id, team: question.team }
      options.log.error(fields, 'no installation for this team: question dropped')
    }
  return { answer: handlerOf(handleAndSettle), deadLetter: handlerOf(deadLetter) }
}

/** How long an admitted asker is not checked again in a channel, in ms, and how many are remembered. */
const ADMITTED_MS = 10 * 60_000
const MAX_ADMITTED = 10_000

interface AdmittedQuestion extends QuestionWork {
  openDisplay(...options: Parameters<QuestionWork['openDisplay']>): Promise<RunDisplay>
  settings: Settings
  mentions: Mentions
  installation: Installation
  /** Admitted askers, by team, channel and person. */
  admitted: ExpiringMap<true>
  options: HandleQuestionOptions
}

/** Gathers the settings and dependencies of one question, as they are now. */
async function workOn(
  question: Question,
  run: Run,
  options: HandleQuestionOptions &
    Pick<AdmittedQuestion, 'installation' | 'signal' | 'admitted'> & { streamsRefused: StreamRefusals },
): Promise<AdmittedQuestion> {
  const { installation, signal, admitted, log, limits, now, fetch } = options
  const settings = await options.settingsFor(question)
  const mentions = new Mentions(installation.directory, question)
  const outboxUnder = (signal: AbortSignal) => new Outbox({ installation, question, run, signal, log, fetch })
  const outbox = outboxUnder(signal)
  const work = { question, run, signal, settings, mentions, installation, admitted, options, outbox, log }
  return {
    ...work,
    isDurable: options.durable,
    async openDisplay({ steps = settings.steps, signal: other } = {}) {
      await mentions.lookUpSaved(run.saved)
      const linkHosts = [...settings.linkHosts, installation.identity.url]
      const { streamsRefused, threads, approvers, streamInChannels } = { ...options, ...settings }
      const parts = { log, now, outbox: other ? outboxUnder(other) : outbox, signal: other ?? signal }
      const named = (text: string) => mentions.shown(text)
      const stop = () => stopRun(question, { ...options.answer, log })
      const display = chooseDisplay({ ...parts, steps, streamInChannels, streamsRefused, named, stopRun: stop })
      return new RunDisplay({ ...parts, display, threads, linkHosts, approvers, mentions })
    },
    async release({ refund = false, usage = run.saved.usage } = {}) {
      if (!needsNoModel(question) && question.shares === undefined) await limits?.release(question, usage, { refund })
    },
  }
}

async function handleAndSettle(work: AdmittedQuestion): Promise<Handled> {
  const result = await handleQuestion(work)
  const { question, run, signal, installation } = work
  const heard = run.saved.steps.flatMap((step) => (step.kind === 'message' ? [step.id] : []))
  const over = question.wasAddition ? [...heard, question.id] : heard
  if (over.length > 0 && !signal.aborted)
    await settleMarks(installation.client, { heard: run.saved.attempts > 1 ? heard : [], over })
  return result
}

/** Answers one question in its thread. An `/ask` without a thread gets one first. */
async function handleQuestion(work: AdmittedQuestion): Promise<Handled> {
  const { question, run, outbox, mentions, options, signal } = work
  if (isFailureTold(run)) return noticeFailureAgain(work).then(() => archive(work, { hasFailed: true }))
  const how = needsNoModel(question) ? ({ steps: 'hidden' } as const) : {}
  const display = isUnrooted(question) ? undefined : await work.openDisplay(how)
  const begin = () => void (signal.aborted || display?.begin())
  const refused = await refuse(work, begin).catch((error: unknown) => ({ error }))
  if (refused) await display?.end()
  if (refused && 'error' in refused) throw refused.error
  if (refused) return refused.end
  if (question.shares !== undefined)
    return shareAnswer({ ...work, ...options }).catch((error: unknown) => noticeFailure(error, work))
  const notice = (error: unknown) => noticeFailure(error, work, display)
  const read = async (ts: string) => withFiles(await readMessage(work, ts), work, display)
  if (display && question.about !== undefined && !(await isAboutOpen(work, { read, notice }))) return display.end()
  if (display) return answerInThread(work, display)
  // The question keeps its slot among the concurrent runs until it is answered in its thread.
  const opened = mentions.readable(question.text).then((text) => openCommandThread(text, { ...options, outbox }))
  await opened.catch((error: unknown) => noticeFailure(error, work))
}

/** @returns undefined if the question is to be answered; otherwise the asker has been told */
async function refuse(work: AdmittedQuestion, beforeLookUp: () => void): Promise<{ end: Handled } | undefined> {
  const { question, admitted, options } = work
  const who = `${question.team}:${question.channel}:${question.user}`
  const denial = admitted.has(who) ? undefined : await denialOf({ ...work, beforeLookUp })
  if (!denial && question.bot === undefined && !admitted.has(who)) admitted.set(who, true)
  if (denial) {
    await noticeDenial(denial, { ...work, ...options })
    return { end: 'refused' }
  }
  const refusal =
    needsNoModel(question) || question.shares !== undefined ? undefined : await options.limits?.admit(question)
  if (!refusal) return undefined
  await noticeRefusal(refusal, { ...work, ...options })
  return { end: undefined }
}

async function deadLetter(work: AdmittedQuestion): Promise<void> {
  await noticeDeadLetter(work)
  await archive(work, { hasFailed: true })
}

/** Answers in the thread. If Slack delivered the question late, replies after it are looked up meanwhile. */
async function answerInThread(work: AdmittedQuestion, display: RunDisplay): Promise<Handled> {
  const caughtUp = work.question.isLate ? catchUp({ ...work.options, ...work }) : Promise.resolve()
  caughtUp.catch(() => undefined)
  let [isWaiting, hasFailed] = [false, false]
  let withdrawn: Withdrawn | undefined
  if (!work.signal.aborted) display.begin()
  try {
    work.signal.throwIfAborted()
    isWaiting = await showAnswer(work, display)
    if (isWaiting) work.log.info({ question: work.question.id }, 'question waits for a person')
    else work.log.info(answeredFields(work.question, work.run.saved, Date.now()), 'question answered')
  } catch (error) {
    if (error instanceof Withdrawn) withdrawn = error
    else await noticeFailure(error, work, display)
    hasFailed = true
  } finally {
    await display.end()
  }
  if (withdrawn) await noteWrites(work, { isOver: true })
  if (withdrawn) await takeBack(withdrawn, { ...work.options, ...work })
  else if (!isWaiting) await archive(work, { hasFailed })
  // With a durable queue the run is retried if the catching up failed.
  await (work.isDurable ? caughtUp : caughtUp.catch(() => undefined))
  return isWaiting ? 'waiting' : undefined
}

/** Stores the run's record. A failure to store it is only logged: for people the run is over. */
async function archive(work: AdmittedQuestion, { hasFailed }: { hasFailed: boolean }): Promise<void> {
  const { question, run, settings, signal, options, log } = work
  if (needsNoModel(question) || isUnrooted(question) || question.shares !== undefined || signal.aborted) return
  await noteWrites(work, { isOver: true })
  const hasFinds = run.saved.steps.some((step) => step.kind === 'tool' && step.observation?.passing)
  if (hasFinds) await (await import('../question/forget-finds.ts')).forgetFinds(run)
  const { model, dialect } = settings
  const ending = { model: model.name, dialect: dialect.name, endedAt: options.now().getTime(), hasFailed }
  await options.archive.keep(recordOf(question, run.saved, ending)).catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'the record of a run could not be kept')
  })
}

/**
 * Records writes in the audit log: of the event if given, else of all steps. Its module is loaded only if there are
 * any.
 */
async function noteWrites(
  work: AdmittedQuestion,
  { event, isOver }: { event?: AnswerEvent; isOver: boolean },
): Promise<void> {
  const { question, run, settings, options } = work
  const all = event ? ('step' in event ? [event] : []) : run.saved.steps.map((step, i) => ({ n: i + 1, step }))
  const steps = all.filter(({ step }) => step.kind === 'tool' && (step.begun ?? step.waiting) !== undefined)
  if (steps.length === 0) return
  const { noteWrites } = await import('../stores/audit/note-writes.ts')
  const granter = (tool: Tool) => grantedBy(work, tool)
  await noteWrites(steps, { ...options, question, saved: run.saved, tools: settings.tools, isOver, grantedBy: granter })
}

const grantedBy = async (work: AdmittedQuestion, tool: Tool): Promise<string | undefined> =>
  (await import('./approvals/grants.ts')).grantedBy(tool, { ...work.options, ...work })

/** After these events the run is over or suspended, so its slot is released. */
const ENDS = new Set(['answer', 'gave_up', 'waiting'])

/** @returns whether the run waits for a person */
async function showAnswer(work: AdmittedQuestion, display: RunDisplay): Promise<boolean> {
  const { question, run, signal, settings, mentions, options } = work
  if (needsNoModel(question)) return display.note(cannedReply(question, settings)).then(() => false)
  const unread =
    question.text === '' ? await (await import('./files/file-intake.ts')).whyNothingIsRead(work) : undefined
  if (unread !== undefined) return display.note(unread).then(() => false)
  const { model, dialect } = settings
  await options.search?.told
  const canSearch = options.search?.isOn && !work.installation.client.refusals.has('assistant.search.context')
  const tools = settings.tools.filter((tool) => canSearch || !tool.needsSearch)
  const workspace = () => options.openWorkspace({ ...options, ...work })
  const sendsFiles = !isPrivate(question) && !work.outbox.refusals.has(UPLOAD_SCOPE)
  const along = display.showsDeltas ? { readAlong: await answerReader() } : {}
  const agent = { ...options.answer.agent, model, dialect, tools, workspace, sendsFiles, ...along }
  await noteWrites(work, { isOver: false })
  const history = historyOf(work, display)
  const control = options.answer.control && mentions.control(options.answer.control)
  const readThread = readerOf(work, display)
  const grants = { isGranted: async (tool: Tool) => (await grantedBy(work, tool)) !== undefined }
  const loadFiles = async () => (await import('./files/file-intake.ts')).filesForRun(work)
  const deps = { ...options.answer, agent, history, control, grants, readThread, loadFiles, signal }
  const events = answer(await mentions.named(question, run), run, deps)
  // The last call's usage arrives before the answer, but is saved together with it.
  const usage = [...run.saved.usage]
  let isWaiting = false
  for await (const event of options.watch?.events(events, tools) ?? events) {
    if (event.type === 'usage') usage.push(event.usage)
    if (ENDS.has(event.type)) await work.release({ usage })
    const isEnd = event.type === 'answer' || event.type === 'gave_up'
    if (isEnd && run.saved.steps.some(madeFile))
      await (await import('./files/made-files.ts')).sendMadeFiles(work, display)
    isWaiting ||= event.type === 'waiting'
    // The agent loop waits here, so a call is recorded before it is made.
    await noteWrites(work, { event, isOver: false })
    if (event.type === 'message') void markHeard(work.installation.client, event.step.id)
    await display.write(await mentions.event(event))
  }
  return isWaiting
}

/**
 * Returns the history with names. Adds to the first answer in a thread how to continue there. Private questions form a
 * conversation only while the gaps between them are short.
 */
function historyOf({ question, settings, mentions, options }: AdmittedQuestion, display: RunDisplay): History {
  const { followUps, dmMemoryMinutes } = settings
  const isOpen = followUps === 'thread' && !isDirect(question) && !isPrivate(question)
  const history = mentions.history(options.answer.history, (turns) => {
    if (isOpen && turns.every(({ id }) => id === question.id)) display.addToFooter(HOW_TO_GO_ON)
  })
  return isPrivate(question) ? withoutGap(history, question.at, dmMemoryMinutes * 60_000) : history
}

/**
 * Returns the reader of the thread before the question and its files. People are told at once which files are left out.
 */
function readerOf(work: AdmittedQuestion, display: RunDisplay): AnswerDeps['readThread'] {
  const { question } = work
  if (!question.files && !question.mayHaveFiles && !hasThreadBefore(question)) return undefined
  return async (turns) => withFiles(await readThread(work, turns), work, display)
}

async function withFiles(
  { said, files }: ThreadReading,
  work: AdmittedQuestion,
  display: RunDisplay | undefined,
): Promise<ThreadContext> {
  if (files.length === 0 || !display) return said
  return (await import('./files/file-intake.ts')).saidWithFiles(said, files, { ...work, display })
}
