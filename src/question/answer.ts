/**
 * The life of one question: load the history, condense, run the agent, save the turn. Yields events, and saves each
 * part before it continues.
 */
import { withInstructions } from '../agent/dialects/instructions.ts'
import { runAgent, type AgentDeps } from '../agent/agent.ts'
import { applyEvent, isForAsker, type RunProgress } from '../agent/run-progress.ts'
import type { Model, Picture } from '../agent/contracts/model.ts'
import type { AgentEvent } from '../agent/contracts/run-events.ts'
import type { RunFiles, Tool } from '../agent/contracts/tool.ts'
import type { MessageTable } from '../agent/contracts/evidence.ts'
import type { RunControl } from '../stores/runs/run-control.ts'
import { HeardSignals, type Grants } from './heard-signals.ts'
import { isAboutConversation } from './about-conversation.ts'
import { doneBeforeOf } from './changes-before.ts'
import { condenseFollowUp } from './condense.ts'
import { earlierTurns, loadTurns, turnOf } from './earlier-turns.ts'
import {
  doubtfulFigures,
  judgeAnswer,
  judgedEvents,
  type FinalEvent as Final,
  type JudgedEvent,
} from './judge-answer.ts'
import { recallFor, type Recall } from './recall-remembered.ts'
import { answerPart, partsOf, saveQuietly, unsavedUsage } from './save-run-parts.ts'
import { joinMessages, trimToBudget } from '../stores/history/thread-context.ts'
import type { Conversation, History, ThreadContext, Turn } from '../stores/history/types.ts'
import type { Prompts } from '../base/prompts.ts'
import { hasLeftThread } from '../stores/runs/audience.ts'
import { conversationOf, progressOf, type Question, type Run, type SavedRun } from '../stores/runs/types.ts'

/**
 * The agent's events; before them the standalone form of a follow-up, and before the answer the run's writes and the
 * sources of the answer's figures.
 */
export type AnswerEvent = AgentEvent | { type: 'understood'; question: string } | ForAskerEvent | JudgedEvent

/** Comes before the first call of a model: an earlier answer in the conversation is for the asker alone. */
interface ForAskerEvent {
  type: 'for_asker'
}

/** Observes the work, for the metrics and the traces. */
export interface AnswerWatch {
  events(events: AsyncIterable<AnswerEvent>, tools: Tool[]): AsyncIterable<AnswerEvent>
  refused(question: Question, limit: string): void
}

/** What a run is told about its asker, and the tools that only this asker has. */
export interface AboutAsker {
  /** The same for all questions of a workspace. */
  words: string
  /** Where the question is asked, by whom and when. */
  askedIn: string
  today: string
  tools: Tool[]
}

/** The files of a conversation, as a run gets them. */
export interface ConversationFiles {
  /** The part of the files that the first prompt contains. Empty if there is none. */
  text: string
  images: Picture[]
  /** How tools read them. */
  files?: RunFiles
  tools: Tool[]
}

export interface AnswerDeps {
  agent: AgentDeps
  prompts: Prompts
  /** Condenses follow-ups; a small model is enough. */
  condenseModel: Model
  history: History
  /**
   * Reads people's messages in the thread since the last question; `turns` are the thread's. Absent if nothing can come
   * before the question. Rejects only once `stopped`, or the run, is aborted.
   */
  readThread?: ((turns: readonly Turn[], stopped: AbortSignal) => Promise<ThreadContext>) | undefined
  /**
   * Loads the conversation's files. Called before the first thought in each process that works on the question, because
   * the run saves no files. `tables` are those in its messages; `hasFiles` is whether it may have files. Absent if
   * nobody can give files.
   */
  loadFiles?: ((tables: MessageTable[], hasFiles: boolean) => Promise<ConversationFiles>) | undefined
  /** Finds the remembered texts of the question's place. Absent if nothing can be remembered. */
  recall?: Recall | undefined
  /**
   * Says who asks and where, as the end of the system message, which date it is there (YYYY-MM-DD), and which tools
   * this asker has besides. Absent if nobody knows.
   */
  about?: (() => Promise<AboutAsker>) | undefined
  /** How people reach the run while it is under way. Absent if nobody can. */
  control?: RunControl | undefined
  /** The tools that no longer need an approval in the question's thread. Absent if nobody can be asked for one. */
  grants?: Grants | undefined
}

interface AnswerOptions extends AnswerDeps {
  /** Aborted when this process hands the run over. */
  signal: AbortSignal
}

/** A question under work. */
interface Answering {
  question: Question
  run: Run
  deps: AnswerOptions
  heard: HeardSignals
}

/**
 * Answers one question, or resumes a run that another process began; saved work is not repeated. Readers ask for the
 * next event only after delivering the previous one, so the turn is saved once the answer is out.
 */
export async function* answer(question: Question, run: Run, deps: AnswerOptions): AsyncGenerator<AnswerEvent> {
  const thread = conversationOf(question)
  const heard = new HeardSignals(run.saved, {
    canBeDecided: deps.control !== undefined,
    canBeAsked: question.kind !== 'bot',
    grants: deps.grants,
  })
  const listening = deps.control?.listen({ thread, id: question.id }, heard.hear)
  listening?.catch(() => undefined)
  try {
    yield* answerOnceHeard({ question, run, deps, heard }, listening)
  } finally {
    void listening?.then(
      (end) => end(),
      () => undefined,
    )
  }
}

/** `listening` is settled when the run receives its signals. Absent if nobody can send any. */
async function* answerOnceHeard(
  answering: Answering,
  listening: Promise<unknown> | undefined,
): AsyncGenerator<AnswerEvent> {
  const { question, run, deps, heard } = answering
  const { agent, prompts, condenseModel, signal } = deps
  const thread = conversationOf(question)
  const loaded = await loadTurns(deps.history, question)
  const turns = earlierTurns(loaded.all, question, run)
  await listening
  heard.throwIfWithdrawn()
  const restsOnPrivate = turns.some(({ forAsker }) => forAsker)
  if (restsOnPrivate) yield { type: 'for_asker' }
  const context = await loadThreadContext(answering, earlierTurns(loaded.inThread, question, run))
  const all = { turns, said: context.text }
  const past = hasMessages(all) ? trimToBudget(turns, context.text) : all
  const standalone = yield* condenseFollowUp(question, run, { agent, prompts, condenseModel, ...past, heard, signal })
  if (standalone !== question.text) yield { type: 'understood', question: standalone }
  const final = run.saved.answer ? yield* savedAnswer(run.saved.answer) : yield* work(standalone, answering, past)
  // A withdrawal that arrived while the answer was being posted counts too.
  heard.throwIfWithdrawn()
  const hasLeft = hasLeftThread(question, run.saved)
  const answer = hasLeft ? { text: FOR_ASKER_ALONE } : final
  const isPrivate = !hasLeft && (restsOnPrivate || run.saved.steps.some(isForAsker))
  const turn = answer && turnOf(question, run.saved, standalone, answer, context)
  if (turn) await deps.history.append(thread, isPrivate ? { ...turn, forAsker: true } : turn)
}

/** Replaces an answer that its readers have not seen in a thread's history. */
const FOR_ASKER_ALONE = '(This answer went to the asker alone.)'

const hasMessages = (past: Conversation) => past.said !== '' || past.turns.some(({ said }) => said)

/**
 * Reads the earlier conversation, and saves it unless there is none, so that a run that continues in another process
 * uses the same text.
 */
async function loadThreadContext({ run, deps, heard }: Answering, turns: Turn[]): Promise<ThreadContext> {
  const { readThread } = deps
  if (run.saved.said !== undefined || !readThread) return run.saved.said ?? { text: '', by: [] }
  const stopped = heard.stopAsked()
  const value = await readThread(turns, stopped).catch((error) => (stopped.aborted ? undefined : Promise.reject(error)))
  heard.throwIfWithdrawn()
  if (value?.text || value?.hasFiles || value?.sources || value?.tables) await run.save({ part: 'said', value })
  return value ?? { text: '', by: [] }
}

/** Yields the answer that an earlier process saved. It may or may not have been delivered. */
async function* savedAnswer(saved: NonNullable<SavedRun['answer']>): AsyncGenerator<AnswerEvent, Final> {
  const { text, sources, stopped, gaveUp, unseen, done, figures, used } = saved
  yield* judgedEvents({ done, figures, used })
  const event: Final =
    gaveUp && stopped
      ? { type: 'gave_up', reason: stopped, text, unseen }
      : { type: 'answer', text, sources, stopped, unseen }
  yield event
  return event
}

/**
 * Runs the agent and saves as it goes: an action, and the start of a call that changes something, before the tool runs;
 * an observation before it is shown. Events that get their own post, such as the answer, are yielded while they are
 * saved, so that the claim of the post goes to Redis in the same command or after it. The loop waits for both.
 */
async function* work(
  standalone: string,
  answering: Answering,
  past: Conversation,
): AsyncGenerator<AnswerEvent, Final | undefined> {
  const { run, heard } = answering
  const { events, judgeParts } = await startAgent(standalone, answering, past)
  let progress: RunProgress = progressOf(run.saved)
  let final: Final | undefined
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const [event, last] = [next.value, progress]
      progress = applyEvent(progress, event)
      heard.throwIfWithdrawn()
      const isFinal = event.type === 'answer' || event.type === 'gave_up'
      const judged = isFinal ? await judgeAnswer(event, { ...judgeParts, steps: progress.steps }) : {}
      const parts = isFinal ? [answerPart(event, judged)] : partsOf(event, last, progress)
      const saved = parts.length > 0 ? run.save(...unsavedUsage(run, progress.usage), ...parts) : undefined
      saved?.catch(() => undefined)
      if (isFinal) final = event
      yield* judgedEvents(judged)
      if (event.type === 'observation') await saved
      yield event
      await saved
    }
  } finally {
    // A reader that stops early ends the loop here. The last events report the usage of its calls.
    for (let next = await events.return(); !next.done; next = await events.next())
      progress = applyEvent(progress, next.value)
    await saveQuietly(run, unsavedUsage(run, progress.usage))
  }
  return final
}

/** Starts the agent's loop with all that the question has, and names what its answer will be judged by. */
async function startAgent(standalone: string, { question, run, deps, heard }: Answering, past: Conversation) {
  const { agent, grants, signal } = deps
  const { stopAsked, added, mayRun, answered } = heard
  const history = past.turns.map((turn) => ({ question: turn.standalone || turn.question, answer: turn.answer }))
  const aboutHistory = !agent.dialect.carriesHistory && isAboutConversation(question.text)
  const said = joinMessages(past)
  const sources = run.saved.said?.sources ?? []
  const [remembered, about] = await Promise.all([recallFor(standalone, run, deps.recall), deps.about?.()])
  const dialect = about ? withInstructions(agent.dialect, about.words) : agent.dialect
  const { images, text: filesText, files, tools } = await filesOf(run, past.turns, deps.loadFiles)
  const doneBefore = doneBeforeOf(question)
  const judged = { question, ...past, filesText, remembered, agent, saved: run.saved }
  const doubtful: AgentDeps['doubtful'] = (text, steps) => doubtfulFigures(text, { ...judged, steps })
  const events = runAgent(
    {
      question: standalone,
      images,
      filesText,
      history,
      asked: [question.text, ...past.turns.map((turn) => turn.question)],
      aboutHistory,
      said,
      sources,
      remembered,
      doneBefore,
      today: about?.today,
      askedIn: about?.askedIn,
      ...progressOf(run.saved),
      signal,
    },
    {
      ...agent,
      dialect,
      files,
      tools: [...agent.tools, ...(about?.tools ?? []), ...tools],
      doubtful,
      ...{ stopAsked, added, mayRun, answered },
    },
  )
  return { events, judgeParts: { ...judged, grants } }
}

/** Loads the conversation's files and tables, and the tools for them. */
async function filesOf({ saved }: Run, turns: Turn[], loadFiles: AnswerDeps['loadFiles']): Promise<ConversationFiles> {
  const hasFiles = saved.said?.hasFiles === true || turns.some((turn) => turn.hasFiles)
  const tables = [...turns.flatMap((turn) => turn.tables ?? []), ...(saved.said?.tables ?? [])]
  return (await loadFiles?.(tables, hasFiles)) ?? { text: '', images: [], tools: [] }
}
