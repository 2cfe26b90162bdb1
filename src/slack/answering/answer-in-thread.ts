import { hasFile, stepCount, totalOf } from '../../agent/run-progress.ts'
import { needsNoModel, nearlyUsedBudgets } from '../../question/usage-admission.ts'
import { archiveRun, isArchived } from '../../question/archive-run.ts'
import { endTurn, isNothing } from '../../question/occurrence.ts'
import { isConditional } from '../../question/scheduled-settings.ts'
import { auditSaved, runQuestion } from '../../question/run-question.ts'
import { takeBack } from '../../question/take-back.ts'
import type { HandleOutcome } from '../../queue/types.ts'
import { Withdrawn } from '../../stores/runs/run-control.ts'
import { conversationOf, type Question, type SavedRun } from '../../stores/runs/types.ts'
import { markHeard } from '../client/addition-reactions.ts'
import type { RunDisplay } from '../display/run-display.ts'
import { whyNothingIsRead, wordsOfClip } from '../files/file-intake.ts'
import { noteContent } from '../format/blocks.ts'
import { cannedReply, budgetNotice } from '../format/messages.ts'
import { nothingText } from '../format/schedule-words.ts'
import { catchUp } from '../intake/replies-before-mention.ts'
import { renewHome } from '../home/publish-home.ts'
import type { QuestionWork } from '../question-work.ts'
import { answerDeps, granterIn } from './answer-deps.ts'
import { changedLines, changesIn } from './changes-made.ts'
import { notifyFailure } from './failure-notice.ts'
import { endScheduled } from './end-scheduled.ts'
import { inTime } from '../../base/async.ts'
import { warnWith } from '../../base/log.ts'
import type { Allowance } from '../../stores/limits/usage-limits.ts'
import { UNPARSED } from '../client/send-content.ts'
import { isAdmin } from '../intake/may-set.ts'
import { escapeText } from '../format/escape.ts'

/**
 * Answers an admitted question in its thread, and ends its run. If Slack delivered the question late, later messages
 * are caught up at the same time.
 */
export async function answerInThread(work: QuestionWork, display: RunDisplay): Promise<HandleOutcome> {
  const { question, run, signal, services } = work
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
    else await notifyFailure(error, work, display)
    hasFailed = true
  } finally {
    await display.end()
  }
  if (withdrawn) {
    await auditSaved(work, true, granterIn(work))
    await withdraw(withdrawn, work)
  } else if (!isWaiting) await archive(work, { hasFailed })
  else await endTurn(work)
  if (!needsNoModel(question) && !signal.aborted) await warnOfBudgets(work)
  // A durable queue retries the run if catching up failed.
  await (services.durable ? caughtUp : caughtUp.catch(() => undefined))
  return isWaiting ? 'waiting' : undefined
}

const WITHDRAWN_AFTER_CHANGES =
  'You took your question back, so I stopped. By then I had already done what is listed below.'

/** Takes the question back. If nobody asks it again, its asker learns what the run had changed before. */
async function withdraw(withdrawn: Withdrawn, work: QuestionWork): Promise<void> {
  const { outbox } = work
  const changes = await changesIn(work)
  const isAskedAgain = await takeBack(withdrawn, work, changes, () => outbox.removePosts())
  const lines = isAskedAgain ? undefined : await changedLines(changes, work)
  if (lines) await outbox.tellAsker(noteContent(WITHDRAWN_AFTER_CHANGES, undefined, lines))
}

/**
 * Returns the fields of the log line of an answered question: ids and sizes, never a text. `ms` since the question came
 * in.
 */
export function answeredFields(question: Question, saved: SavedRun, now: number): Record<string, string | number> {
  const { id, team, channel, thread, surface, at, traceparent } = question
  const stopped = saved.answer?.stopped
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, costUsd } = totalOf(saved.usage)
  // If any model has no price, the cost is unknown, rather than zero.
  const hasCost = saved.usage.some((call) => call.costUsd !== undefined)
  return {
    question: id,
    team,
    channel,
    thread,
    surface,
    ...(stopped ? { outcome: 'stopped', stopped } : { outcome: 'answered' }),
    steps: stepCount(saved.steps),
    ms: Math.max(0, now - at),
    modelCalls: saved.usage.length,
    inputTokens,
    outputTokens,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
    ...(hasCost ? { costUsd: Number(costUsd.toFixed(6)) } : {}),
    ...(saved.attempts > 1 ? { attempts: saved.attempts } : {}),
    ...(traceparent ? { trace: traceparent.split('-')[1]! } : {}),
  }
}

/** Ends a run: notes it with its schedule, the audit list and the archive, and renews the asker's Home. */
export async function archive(work: QuestionWork, ending: { hasFailed: boolean }): Promise<void> {
  if (!work.signal.aborted) await endScheduled(work, ending.hasFailed ? 'failed' : 'over')
  if (!isArchived(work)) return
  await auditSaved(work, true, granterIn(work))
  await archiveRun(work, ending)
  renewHome(work)
}

/** @returns whether the run waits for a person */
async function showAnswer(work: QuestionWork, display: RunDisplay): Promise<boolean> {
  const { question, run, settings, mentions, installation } = work
  if (needsNoModel(question)) return display.note(cannedReply(question, settings)).then(() => false)
  const isAlone = question.text === '' && !question.attached && run.saved.spoken === undefined
  const unread = isAlone ? await untilStopped(work, whyNothingIsRead) : undefined
  if (unread !== undefined) return display.note(unread).then(() => false)
  const deps = await answerDeps(work, display)
  const asked = question.text === '' ? await asSpoken(work, display) : question
  const named = { ...work, question: await mentions.questionForModel(asked, run) }
  let isWaiting = false
  for await (const event of runQuestion(named, deps)) {
    const isEnd = event.type === 'answer' || event.type === 'gave_up'
    if (isEnd && run.saved.steps.some(hasFile)) await sendMadeFiles(work, display)
    isWaiting ||= event.type === 'waiting'
    if (event.type === 'figures' && !settings.figures) continue
    if (event.type === 'message') void markHeard(installation.client, event.step.id)
    const isUnsaid = event.type === 'answer' && isConditional(question) && isNothing(event)
    await display.write(isUnsaid ? { ...event, text: nothingText(question) } : await mentions.event(event))
  }
  return isWaiting
}

/** Does what comes before a run. Returns undefined if somebody stops it, because the run then ends by itself. */
async function untilStopped<T>(work: QuestionWork, act: (work: QuestionWork) => Promise<T>): Promise<T | undefined> {
  const { question, services } = work
  const stop = new AbortController()
  const run = { thread: conversationOf(question), id: question.id }
  const end = await services.control.listen(run, ({ type }) => void (type === 'stop' && stop.abort()))
  const signal = AbortSignal.any([work.signal, stop.signal])
  try {
    return await act({ ...work, signal })
  } catch (error) {
    if (work.signal.aborted || !stop.signal.aborted) throw error
    return undefined
  } finally {
    end()
  }
}

/** Returns the question with the words of a clip that came alone, and shows how they were understood. */
async function asSpoken(work: QuestionWork, display: RunDisplay): Promise<Question> {
  const { question, run } = work
  const words = run.saved.spoken ?? (await wordsOfClip(work))
  if (!words) return question
  if (run.saved.spoken === undefined) await run.save({ part: 'spoken', value: words })
  await display.tellSpoken(words)
  return { ...question, text: words }
}

/** Runs a question without a display, up to its answer or to a call that a person must allow. */
export async function answerUnseen(work: QuestionWork): Promise<void> {
  const deps = await answerDeps(work, await work.openDisplay({ steps: 'hidden' }))
  const named = { ...work, question: await work.mentions.questionForModel(work.question, work.run) }
  for await (const event of runQuestion(named, deps)) if (event.type === 'waiting') return
}

const MAX_ADMINS = 20
/** The time limit for looking up an admin, in ms. */
const FACTS_MS = 5_000

/**
 * Notifies people once a day that most of a budget is used: the asker of their own budget, and each admin who has
 * opened the Home of the workspace's budgets. Never rejects.
 */
async function warnOfBudgets(work: QuestionWork): Promise<void> {
  await warnAll(work).catch(warnWith(work.outbox.log, {}, 'could not warn people about a budget'))
}

async function warnAll(work: QuestionWork): Promise<void> {
  const { question, services } = work
  if (!services.usage.limits) return
  for (const { of, allowance } of await nearlyUsedBudgets(question, services.usage.limits)) {
    if (of === 'asker' && question.kind !== 'bot') await tellAsker(allowance, work)
    if (of === 'admins') await tellAdmins(allowance, work)
  }
}

async function tellAsker(allowance: Allowance, { question, services, outbox }: QuestionWork): Promise<void> {
  const { team, user } = question
  const isFirst = await services.oncePerDay.isFirst(team, `${allowance.limit}:${user}`)
  if (isFirst) await outbox.tellAsker(noteContent(budgetNotice(allowance)))
}

async function tellAdmins(allowance: Allowance, { question, services, installation }: QuestionWork): Promise<void> {
  const { team } = question
  for (const admin of await services.home.admins.newest(team, MAX_ADMINS)) {
    if (!(await services.oncePerDay.isFirst(team, `${allowance.limit}:${admin}`))) continue
    const asking = installation.directory.factsOf(team, admin, { isFresh: true })
    if (!isAdmin(await inTime(FACTS_MS, asking, 'unreachable' as const))) continue
    const words = { channel: admin, ...noteContent(budgetNotice(allowance)), ...UNPARSED }
    const warn = warnWith(services.log, { team, admin }, 'could not warn an admin about a budget')
    await installation.client.call('chat.postMessage', words, { effort: 'patient' }).catch(warn)
  }
}

/**
 * Uploads the files that the run's tools made into the thread, below its steps, each once. Names the files that Slack
 * refuses. A run that is for the asker alone sends none: a thread's files are for all.
 * @throws LeaseLost
 */
async function sendMadeFiles({ run, outbox }: QuestionWork, display: RunDisplay): Promise<void> {
  const files = run.saved.steps.flatMap((step) => (step.kind === 'tool' && step.observation?.file) || [])
  const names = files.map(({ name }) => escapeText(name)).join(', ')
  if (outbox.isForAsker) return display.tell('files-unsent', `📎 I did not send ${names}: everyone here would see it.`)
  await display.settled()
  const unsent: string[] = []
  for (const [i, { name, text }] of files.entries())
    if (!(await outbox.sendFile(`file-${i + 1}`, { name, title: name, text }))) unsent.push(escapeText(name))
  const why = 'Slack does not accept files from me here. The app may lack the scope files:write.'
  if (unsent.length > 0) await display.tell('files-unsent', `📎 I could not send ${unsent.join(', ')}: ${why}`)
}
