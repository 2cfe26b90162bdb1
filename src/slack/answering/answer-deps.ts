/**
 * Collects what an answer in Slack is made with: the channel's settings, and people, files and the workspace as Slack
 * shows them.
 */
import { AnswerDeltas } from '../../agent/parser/answer-deltas.ts'
import type { Tool, WorkspaceReader } from '../../agent/contracts/tool.ts'
import { once } from '../../base/async.ts'
import type { AnswerDeps } from '../../question/answer.ts'
import { withoutGap } from '../../question/earlier-turns.ts'
import { currentPlace } from '../../stores/threads/moved-channel.ts'
import { personKey } from '../../stores/values/people-store.ts'
import type { History } from '../../stores/history/types.ts'
import { hasThreadBefore, isDirect, isPrivate } from '../../stores/runs/types.ts'
import { grantedBy } from '../approvals/approvers.ts'
import { UPLOAD_SCOPE } from '../client/upload.ts'
import type { RunDisplay } from '../display/run-display.ts'
import { filesForRun, saidWithFiles } from '../files/file-intake.ts'
import { HOW_TO_GO_ON } from '../format/messages.ts'
import type { QuestionWork } from '../question-work.ts'
import { partOf, readChannel, type ChannelReading } from '../reading/read-channel.ts'
import { readPermalink } from '../reading/read-permalink.ts'
import { recallIn } from '../reading/recall-in-place.ts'
import { hasLogins, searchWorkspace } from '../reading/search-workspace.ts'
import { readThread } from '../reading/thread-reader.ts'
import { aboutYou } from './about-you.ts'

/** The channel's model and tools, and people, files and the workspace as Slack shows them. */
export async function answerDeps(work: QuestionWork, display: RunDisplay): Promise<AnswerDeps> {
  const { question, settings, mentions, installation, outbox, services } = work
  const { search, agent } = services
  const canSearch =
    (await search.info?.isOn(installation)) && !installation.client.refusals.has('assistant.search.context')
  return {
    prompts: agent.prompts,
    condenseModel: agent.condenseModel,
    agent: {
      ...agent.defaults,
      model: settings.model,
      dialect: settings.dialect,
      tools: settings.tools.filter((tool) => canSearch || !tool.needsSearch),
      workspace: once(async () => workspaceReader(work)),
      asker: (await hasLogins(work)) ? personKey(question) : undefined,
      sendsFiles: !isPrivate(question) && !outbox.refusals.has(UPLOAD_SCOPE),
      ...(display.showsDeltas ? { readAlong: (dialect, tools) => new AnswerDeltas(dialect, tools) } : {}),
    },
    about: () => aboutYou(work),
    history: historyOf(work, display),
    control: mentions.control(services.control),
    grants: { grantedBy: granterIn(work) },
    readThread: readerOf(work, display),
    recall: recallIn(work),
    loadFiles: (...parts) => filesForRun(work, ...parts),
  }
}

/** Returns the reader of the question's workspace for tools. A channel is read once for all of its parts. */
function workspaceReader(work: QuestionWork): WorkspaceReader {
  const readings = new Map<string, Promise<ChannelReading>>()
  return {
    async readChannel({ part, ...wanted }, signal) {
      const key = JSON.stringify(wanted)
      const reading = readings.get(key) ?? readChannel({ ...wanted, part }, { ...work, signal })
      readings.set(key, reading)
      reading.catch(() => readings.delete(key))
      return partOf(await reading, part)
    },
    search: (query, how) => searchWorkspace(query, how, work),
    readThread: (url, signal) => readPermalink(url, { ...work, signal }),
  }
}

/** Returns a function that names who has allowed a tool for the question's thread. */
export function granterIn({ question, settings, installation, services }: QuestionWork) {
  return (tool: Tool) => grantedBy(tool, question, settings.approvers, installation, services)
}

/** The history with names instead of ids. The first answer in a thread gets a line on how to continue there. */
function historyOf({ question, settings, mentions, services }: QuestionWork, display: RunDisplay): History {
  const { followUps, dmMemoryMinutes } = settings
  const isOpen = followUps === 'thread' && !isDirect(question) && !isPrivate(question)
  const append: History['append'] = async (thread, turn) =>
    services.history.append(await currentPlace(thread, services), turn)
  const history = mentions.history({ ...services.history, append }, (turns) => {
    if (isOpen && turns.every(({ id }) => id === question.id)) display.addToFooter(HOW_TO_GO_ON)
  })
  return isPrivate(question) ? withoutGap(history, question.at, dmMemoryMinutes * 60_000) : history
}

/** Reads the messages and files before the question. A message says at once which files are left out. */
function readerOf(work: QuestionWork, display: RunDisplay): AnswerDeps['readThread'] {
  const { question } = work
  if (!question.files && !question.attached && !question.mayHaveFiles && !hasThreadBefore(question)) return undefined
  return async (turns, stopped) => {
    const reading = { ...work, signal: AbortSignal.any([work.signal, stopped]) }
    return saidWithFiles(await readThread(reading, turns), reading, display)
  }
}
