import { answer, answeredFields, type AnswerDeps, type AnswerEvent } from '../answer.ts'
import type { AgentDeps } from '../agent/agent.ts'
import type { Tool } from '../agent/types.ts'
import { recordOf } from '../archive/record.ts'
import type { RunArchive } from '../archive/types.ts'
import { messageOf } from '../errors.ts'
import type { History, ThreadKey } from '../history/types.ts'
import type { SaidOnce } from '../limits/said-once.ts'
import type { UsageLimits } from '../limits/usage-limits.ts'
import type { Log } from '../log.ts'
import type { Handler, Queue } from '../queue/types.ts'
import { Withdrawn } from '../run/control.ts'
import { hasThreadBefore, isDirect, isPrivate, type Question, type Run } from '../run/types.ts'
import type { Installation, Installations } from '../workspace/installations.ts'
import type { Settings, SettingsFor } from '../workspace/settings.ts'
import { openAbout } from './about-message.ts'
import { denialOf } from './admission.ts'
import { catchUp } from './catch-up.ts'
import { markHeard, settleMarks } from './client/addition-marks.ts'
import { openCommandThread } from './command-thread.ts'
import { isFailureTold, RunDisplay } from './display/run-display.ts'
import {
  noticeDeadLetter,
  noticeDenial,
  noticeFailure,
  noticeFailureAgain,
  noticeRefusal,
  type QuestionWork,
} from './failure-notice.ts'
import { escapeText } from './format/escape.ts'
import { cannedReply, filesNotRead, HOW_TO_GO_ON } from './format/messages.ts'
import { FILES_MESSAGE } from './listeners/tell-of-files.ts'
import { isCanned, isUnrooted } from './listeners/to-question.ts'
import { Mentions } from './mentions.ts'
import { Outbox } from './outbox.ts'
import { shareAnswer } from './share-answer.ts'
import { readMessage, readThread } from './thread-reader.ts'

export interface HandleQuestionOptions {
  installations: Installations
  settingsFor: SettingsFor
  /** What answering takes besides the settings of the question's place. */
  answer: Omit<AnswerDeps, 'agent'> & { agent: Omit<AgentDeps, 'model' | 'dialect' | 'tools'> }
  /** Keeps what ended. */
  archive: RunArchive
  queue: Queue
  /** Fair use; absent where nothing is limited. */
  limits?: UsageLimits | undefined
  /** So that who may not ask is told so once. */
  saidOnce: SaidOnce
  /** Whether the queue hands a run over when this process stops; otherwise the asker is told. */
  durable: boolean
  /** Absent where nothing is measured. */
  watch?: AnswerWatch | undefined
  log: Log
  fetch?: typeof globalThis.fetch | undefined
  now(): Date
}

/** Observes the work, for the metrics and the traces. */
export interface AnswerWatch {
  events(events: AsyncIterable<AnswerEvent>, tools: Tool[]): AsyncIterable<AnswerEvent>
  refused(question: Question, limit: string): void
}

/** Handles questions in Slack. What a handler throws, the queue tries again; what a person should read is posted here. */
export function createQuestionHandlers(options: HandleQuestionOptions): { answer: Handler; deadLetter: Handler } {
  const handlerOf =
    (handle: (work: Work) => ReturnType<Handler>): Handler =>
    async (question, run, signal) => {
      const installation = await options.installations.of(question.team)
      if (installation) return handle(await workOn(question, run, { ...options, installation, signal }))
      const fields = { question: question.id, team: question.team }
      options.log.error(fields, 'no installation for this team: question dropped')
    }
  return { answer: handlerOf(handleAndSettle), deadLetter: handlerOf(deadLetter) }
}

interface Work extends QuestionWork {
  openDisplay(...options: Parameters<QuestionWork['openDisplay']>): Promise<RunDisplay>
  settings: Settings
  mentions: Mentions
  installation: Installation
  options: HandleQuestionOptions
}

/** Gathers what one question takes, at its moment. */
async function workOn(
  question: Question,
  run: Run,
  options: HandleQuestionOptions & { installation: Installation; signal: AbortSignal },
): Promise<Work> {
  const { installation, signal, log, limits, now, fetch } = options
  const settings = await options.settingsFor(question)
  const mentions = new Mentions(installation.directory, question)
  const outboxUnder = (signal: AbortSignal) => new Outbox({ installation, question, run, signal, log, fetch })
  const outbox = outboxUnder(signal)
  const work = { question, run, signal, settings, mentions, installation, options, outbox, log }
  return {
    ...work,
    isDurable: options.durable,
    async openDisplay({ steps = settings.steps, signal: other } = {}) {
      await mentions.lookUpSaved(run.saved)
      const parts = { log, outbox: other ? outboxUnder(other) : outbox }
      const { linkHosts } = settings
      return new RunDisplay({ ...parts, steps, mentions, linkHosts, now, signal: other ?? signal })
    },
    async release({ refund = false, usage = run.saved.usage } = {}) {
      if (!isCanned(question.text) && question.shares === undefined) await limits?.release(question, usage, { refund })
    },
  }
}

async function handleAndSettle(work: Work): Promise<void | 'waiting'> {
  const result = await handleQuestion(work)
  const { question, run, signal, installation } = work
  const heard = run.saved.steps.flatMap((step) => (step.kind === 'message' ? [step.id] : []))
  const over = question.wasAddition ? [...heard, question.id] : heard
  if (over.length > 0 && !signal.aborted)
    await settleMarks(installation.client, { heard: run.saved.attempts > 1 ? heard : [], over })
  return result
}

/** Answers one question in its thread; an `/ask` first gets one. */
async function handleQuestion(work: Work): Promise<void | 'waiting'> {
  const { question, run, outbox, mentions, options } = work
  if (isFailureTold(run)) return noticeFailureAgain(work).then(() => archive(work, { hasFailed: true }))
  const denial = await denialOf(work)
  if (denial) return noticeDenial(denial, { ...work, ...options })
  if (question.shares !== undefined)
    return shareAnswer({ ...work, ...options }).catch((error: unknown) => noticeFailure(error, work))
  const refusal = isCanned(question.text) ? undefined : await options.limits?.admit(question)
  if (refusal) return noticeRefusal(refusal, { ...work, ...options })
  if (question.about !== undefined) return answerAbout(work)
  if (!isUnrooted(question)) return answerInThread(work)
  // The question holds its place among the runs at once until it is answered in its thread.
  const opened = mentions.readable(question.text).then((text) => openCommandThread(text, { ...options, outbox }))
  await opened.catch((error: unknown) => noticeFailure(error, work))
}

/** Answers a question about a message in the thread of that. */
async function answerAbout(work: Work): Promise<void | 'waiting'> {
  const { question, mentions } = work
  try {
    const asked = await mentions.readable(question.text)
    await openAbout({ ...work, asked, readMessage: () => readMessage(work, question.about ?? '') })
  } catch (error) {
    return noticeFailure(error, work)
  }
  return answerInThread(work)
}

async function deadLetter(work: Work): Promise<void> {
  await noticeDeadLetter(work)
  await archive(work, { hasFailed: true })
}

/** Slack may have delivered the question late: what was said after it meanwhile is looked up beside the answering. */
async function answerInThread(work: Work): Promise<void | 'waiting'> {
  const caughtUp = work.question.isLate ? catchUp({ ...work.options, ...work }) : Promise.resolve()
  caughtUp.catch(() => undefined)
  const display = await work.openDisplay()
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
  if (withdrawn) await takeBack(withdrawn, work)
  else if (!isWaiting) await archive(work, { hasFailed })
  // With a durable queue the run is tried again if the catching up failed.
  await (work.isDurable ? caughtUp : caughtUp.catch(() => undefined))
  return isWaiting ? 'waiting' : undefined
}

/**
 * The question's message was deleted or edited: nothing of the run stays, and an edited question is asked again. If this process
 * dies meanwhile, the one that takes the run up hears of it again.
 */
async function takeBack({ again }: Withdrawn, { question, outbox, release, options, log }: Work): Promise<void> {
  await outbox.removePosts()
  await release({ refund: again !== undefined })
  if (again) await options.queue.accept(again)
  log.info({ question: question.id, again: again?.id }, 'question taken back by its asker')
}

/** Keeps what the run has come to. It is over for people whether that succeeds or not. */
async function archive(
  { question, run, settings, signal, options, log }: Work,
  { hasFailed }: { hasFailed: boolean },
): Promise<void> {
  if (isCanned(question.text) || isUnrooted(question) || question.shares !== undefined || signal.aborted) return
  const { model, dialect } = settings
  const ending = { model: model.name, dialect: dialect.name, endedAt: options.now().getTime(), hasFailed }
  await options.archive.keep(recordOf(question, run.saved, ending)).catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'the record of a run could not be kept')
  })
}

/** Nothing runs after these: the place among the team's runs is free. */
const ENDS = new Set(['answer', 'gave_up', 'waiting'])

/** @returns whether the run waits for a person. */
async function showAnswer(work: Work, display: RunDisplay): Promise<boolean> {
  const { question, run, signal, settings, mentions, options } = work
  if (isCanned(question.text)) return display.note(cannedReply(question, settings)).then(() => false)
  const { model, dialect, tools } = settings
  const agent = { ...options.answer.agent, model, dialect, tools }
  const history = historyOf(work, display)
  const control = options.answer.control && mentions.control(options.answer.control)
  const readThread = readerOf(work, display)
  const events = answer(await withNames(work), run, { ...options.answer, agent, history, control, readThread, signal })
  // The last call's is told before the answer, and saved beside it.
  const usage = [...run.saved.usage]
  let isWaiting = false
  for await (const event of options.watch?.events(events, tools) ?? events) {
    if (event.type === 'usage') usage.push(event.usage)
    if (ENDS.has(event.type)) await work.release({ usage })
    isWaiting ||= event.type === 'waiting'
    if (event.type === 'message') void markHeard(work.installation.client, event.step.id)
    if (event.type === 'message' && event.step.id.endsWith(FILES_MESSAGE))
      await display.tell('files', `📎 ${escapeText(event.step.text)}`)
    await display.write(await mentions.event(event))
  }
  return isWaiting
}

/**
 * The history with names. The first answer in a thread says how to go on there. What somebody asks in private is one conversation
 * as a direct message is: for as long as it is not interrupted for longer than that.
 */
function historyOf({ question, settings, mentions, options }: Work, display: RunDisplay): History {
  const history = mentions.history(options.answer.history)
  const { followUps, dmMemoryMinutes } = settings
  if (isPrivate(question)) return withoutGap(history, question.at, dmMemoryMinutes * 60_000)
  if (isDirect(question) || followUps === 'mention') return history
  const load = async (thread: ThreadKey) => {
    const turns = await history.load(thread)
    if (turns.every(({ id }) => id === question.id)) display.addToFooter(HOW_TO_GO_ON)
    return turns
  }
  return { ...history, load }
}

/** Only what was said since a gap of more than `gapMs`, at the time `at`. */
function withoutGap(history: History, at: number, gapMs: number): History {
  const load = async (thread: ThreadKey) => {
    const turns = await history.load(thread)
    const times = [...turns.map((turn) => turn.at), at]
    return turns.slice(turns.findLastIndex((turn, i) => (times[i + 1] ?? at) - turn.at > gapMs) + 1)
  }
  return { ...history, load }
}

/** Nothing is read for a question that begins a thread and has no files. People are told at once which files are not read. */
function readerOf(work: Work, display: RunDisplay): AnswerDeps['readThread'] {
  const { question } = work
  if (!question.files && !hasThreadBefore(question)) return undefined
  return async (turns) => {
    const { said, files } = await readThread(work, turns)
    if (files.length > 0) await display.tell('files', filesNotRead(files))
    return said
  }
}

/** The question with names for the model. Saved at once: a run that goes on elsewhere goes on with the same words. */
async function withNames({ question, run, mentions }: Work): Promise<Question> {
  const named = run.saved.named ?? (await mentions.readable(withPlace(question)))
  if (named !== question.text && run.saved.named === undefined) await run.save({ part: 'named', value: named })
  return { ...question, text: named }
}

function withPlace({ text, lookingAt }: Question): string {
  return lookingAt === undefined ? text : `${text}\n\n(The asker is looking at <#${lookingAt}>.)`
}
