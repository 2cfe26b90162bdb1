import { randomBytes } from 'node:crypto'
import { answer, type AnswerDeps, type AnswerEvent } from '../answer.ts'
import { LeaseLost, messageOf, ModelError } from '../errors.ts'
import type { Handler } from '../queue/types.ts'
import type { Limits, Refusal } from '../limits/limits.ts'
import type { Question, Run } from '../run/types.ts'
import { answeredFields } from '../telemetry/answered-log.ts'
import { noteContent } from './format/blocks.ts'
import { catchUp, type CatchUpOptions } from './catch-up.ts'
import type { Directory } from './client/directory.ts'
import { Mentions } from './mentions.ts'
import { isFailureTold, RunDisplay, type RunDisplayOptions } from './display/run-display.ts'
import { openThread } from './command-thread.ts'
import { SlackRefusal } from './client/slack-web.ts'
import {
  cannotPost,
  EMPTY_QUESTION,
  FAILED,
  GIVEN_UP,
  helpText,
  isHelp,
  refusalText,
  RESTARTED,
  withReference,
} from './messages.ts'

export interface HandleQuestionOptions extends Omit<RunDisplayOptions, 'signal' | 'now' | 'mentions'>, CatchUpOptions {
  answer: AnswerDeps
  directory: Directory
  /** Fair use; absent where nothing is limited. */
  limits?: Limits | undefined
  dmMemoryMinutes: number
  /** A durable queue hands a run over when this process stops; otherwise the asker is told. */
  durable: boolean
  /** Absent where nothing is measured. */
  watch?: AnswerWatch | undefined
}

/** Observes the work, for the metrics and the traces. */
export interface AnswerWatch {
  events(events: AsyncIterable<AnswerEvent>): AsyncIterable<AnswerEvent>
  refused(question: Question, limit: string): void
}

/** Answers one question in its thread. What it throws, the queue tries again; what a person should read is posted here. */
export function createQuestionHandler(options: HandleQuestionOptions): Handler {
  return async (question, run, signal) => {
    if (isFailureTold(run)) return tellAgain(await replyOf(question, run, { ...options, signal }))
    const refusal = isFree(question) ? undefined : await options.limits?.admit(question)
    if (refusal) return refuse(question, refusal, options)
    if (isUnrooted(question)) return openCommandThread(question, run, { ...options, signal })
    const caughtUp = catchUp(question, run, { ...options, signal })
    caughtUp.catch(() => undefined)
    const result = await answerIn(question, run, { ...options, signal })
    // With a durable queue the run is tried again if the catching up failed.
    await (options.durable ? caughtUp : caughtUp.catch(() => undefined))
    return result
  }
}

/** A mention without a question gets a hint, one that asks for help gets that, and neither counts against a limit. */
function isFree({ text }: Question): boolean {
  return text === '' || isHelp(text)
}

/**
 * Opens the thread of an `/ask`. The question goes into the queue again, and holds its place among the runs at once until it
 * is answered there. If there can be no thread, or the process ends and nothing outlives it, the asker is told so.
 */
async function openCommandThread(
  question: Question,
  run: Run,
  options: HandleQuestionOptions & { signal: AbortSignal },
): Promise<void> {
  try {
    const text = await new Mentions(options.directory, question).readable(question.text)
    const refusal = await openThread({ ...question, text }, run, options)
    if (!refusal) return
    if (options.durable && LOCKED_OUT.has(refusal.code)) throw refusal
    await releaseLimits(question, run, { ...options, refund: true })
    await options.outbox.respondToCommand(question, noteContent(cannotPost(refusal.code)))
  } catch (error) {
    if (options.durable) throw error
    options.log.error({ question: question.id, error: messageOf(error) }, 'question failed')
    await releaseLimits(question, run, { ...options, refund: true })
    await tellAsker(question, RESTARTED, options)
  }
}

/**
 * Called before the thread shows how it ended, so that for the next question the cost is booked and the place is free.
 * `refund`: nothing was answered, so the question is not counted; its cost is booked all the same.
 */
async function releaseLimits(
  question: Question,
  run: Run,
  { limits, refund }: HandleQuestionOptions & { refund?: boolean },
): Promise<void> {
  if (!isFree(question)) await limits?.release(question, run.saved.usage, { refund })
}

/** Tells the asker privately why the question is refused. If Slack does not take that, it is lost: nobody else should read it. */
async function refuse(question: Question, refusal: Refusal, options: HandleQuestionOptions): Promise<void> {
  const { log, watch } = options
  watch?.refused(question, refusal.limit)
  log.info({ question: question.id, limit: refusal.limit }, 'question refused by a limit')
  await tellAsker(question, refusalText(refusal), options)
}

async function tellAsker(
  question: Question,
  text: string,
  { outbox: outbox, log }: HandleQuestionOptions,
): Promise<void> {
  const content = noteContent(text)
  const told = question.responseUrl
    ? outbox.respondToCommand(question, content)
    : outbox.postEphemeral(question, content)
  await told.catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'the asker could not be told')
  })
}

async function answerIn(
  question: Question,
  run: Run,
  options: HandleQuestionOptions & { signal: AbortSignal },
): Promise<void | 'waiting'> {
  const { signal, log } = options
  let isWaiting = false
  const mentions = await mentionsOf(question, run, options)
  const reply = new RunDisplay(question, run, { ...options, mentions })
  if (!signal.aborted) reply.begin()
  try {
    signal.throwIfAborted()
    const named = await withNames(question, run, mentions)
    const history = mentions.history(options.answer.history)
    const events = answer(named, run, { ...options.answer, history, signal })
    if (question.text === '') await reply.note(EMPTY_QUESTION)
    else if (isHelp(question.text)) await reply.note(helpText(options))
    else
      for await (const event of options.watch?.events(events) ?? events) {
        if (ENDS.has(event.type)) await releaseLimits(question, run, options)
        isWaiting ||= event.type === 'waiting'
        await reply.write(await mentions.event(event))
      }
    if (isWaiting) log.info({ question: question.id }, 'question waits for a person')
    else log.info(answeredFields(question, run.saved, Date.now()), 'question answered')
  } catch (error) {
    // Another process goes on: from here on the thread is its to write in.
    if (isHandedOver(error, signal, options)) return reply.abandon(error)
    await explain(error, { question, run, reply, signal, options }).finally(() => reply.end())
    return
  }
  await reply.end()
  return isWaiting ? 'waiting' : undefined
}

/** Nothing runs after these: the place among the team's runs is free. */
const ENDS = new Set(['answer', 'gave_up', 'waiting'])

/** The question with names for the model. Saved at once: a run that goes on elsewhere goes on with the same words. */
async function withNames(question: Question, run: Run, mentions: Mentions): Promise<Question> {
  const named = run.saved.named ?? (await mentions.readable(question.text))
  if (named !== question.text && run.saved.named === undefined) await run.save({ part: 'named', value: named })
  return { ...question, text: named }
}

async function mentionsOf(question: Question, run: Run, { directory }: HandleQuestionOptions): Promise<Mentions> {
  const mentions = new Mentions(directory, question)
  await mentions.meetSaved(run.saved)
  return mentions
}

/** For the thread's last word. */
async function replyOf(
  question: Question,
  run: Run,
  options: HandleQuestionOptions & { signal: AbortSignal },
): Promise<RunDisplay> {
  return new RunDisplay(question, run, { ...options, mentions: await mentionsOf(question, run, options) })
}

/** Says in the thread that a question was given up after its run had failed again and again. */
export function createDeadLetterHandler(options: HandleQuestionOptions): Handler {
  return async (question, run, signal) => {
    const reference = newReference()
    options.log.error({ question: question.id, reference, attempts: run.saved.attempts }, 'question given up')
    await releaseLimits(question, run, { ...options, refund: isUnrooted(question) })
    const text = withReference(GIVEN_UP, reference)
    if (isUnrooted(question)) return tellAsker(question, text, options)
    const reply = await replyOf(question, run, { ...options, steps: 'hidden', signal })
    reply.begin()
    const said = reply.giveUp(GIVEN_UP, reference)
    await orAlone(said, text, { question, run, options }).catch((error: unknown) => reply.abandon(error))
    await reply.end()
  }
}

/** An earlier process died while it told the thread of a failure: makes sure that this was told, and ends the run. */
async function tellAgain(reply: RunDisplay): Promise<void> {
  reply.begin()
  await reply.fail(FAILED, newReference()).catch((error: unknown) => reply.abandon(error))
  await reply.end()
}

function isUnrooted(question: Question): boolean {
  return question.thread.startsWith('ask-')
}

function isHandedOver(error: unknown, signal: AbortSignal, options: HandleQuestionOptions): boolean {
  return options.durable && (signal.aborted || error instanceof LeaseLost)
}

/** Slack takes no call of ours at all: the question is kept until the operator has fixed that (`runs -- retry`). */
const LOCKED_OUT = new Set(['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive'])

interface Failure {
  question: Question
  run: Run
  reply: RunDisplay
  signal: AbortSignal
  options: HandleQuestionOptions
}

/** A sentence with a reference for the person, the rest under that reference for the log. */
async function explain(error: unknown, { question, run, reply, signal, options }: Failure): Promise<void> {
  const { log } = options
  const reference = newReference()
  const fields = {
    question: question.id,
    reference,
    error: messageOf(error),
    stack: error instanceof Error ? error.stack : undefined,
  }
  if (error instanceof SlackRefusal && !(options.durable && LOCKED_OUT.has(error.code))) {
    log.warn(fields, 'Slack takes no answer here')
    await releaseLimits(question, run, { ...options, refund: !run.saved.posts['answer-1'] })
    return tellAsker(question, withReference(cannotPost(error.code), reference), options)
  }
  // Unforeseen, so it may pass (a store, the network): the queue tries again, and has its own words for giving up.
  if (options.durable && !(error instanceof ModelError)) return reply.abandon(error)
  log.error(fields, 'question failed')
  await releaseLimits(question, run, { ...options, refund: true })
  if (signal.aborted) return sayRestarted(question, run, { options, reference })
  const sentence = error instanceof ModelError ? error.hint : FAILED
  await orAlone(reply.fail(sentence, reference), withReference(sentence, reference), { question, run, options })
}

/** Waits for the last word in the thread; if Slack does not take it there, tells the asker alone. */
async function orAlone(
  said: Promise<void>,
  text: string,
  { question, run, options }: Pick<Failure, 'question' | 'run' | 'options'>,
): Promise<void> {
  try {
    await said
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
    await releaseLimits(question, run, { ...options, refund: true })
    await tellAsker(question, text, options)
  }
}

/** The process is ending and nothing outlives it: says so in the thread, under a signal that is not aborted yet. */
async function sayRestarted(
  question: Question,
  run: Run,
  { options, reference }: { options: HandleQuestionOptions; reference: string },
): Promise<void> {
  const signal = AbortSignal.timeout(LAST_WORD_MS)
  const reply = await replyOf(question, run, { ...options, steps: 'hidden', signal })
  await reply.fail(RESTARTED, reference)
}

const LAST_WORD_MS = 2_000

function newReference(): string {
  return randomBytes(4).toString('hex')
}
