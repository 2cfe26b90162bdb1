/**
 * Makes a test from the trace of a run, also from production: its question, the model's output and the tools' outputs.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Usage } from '../../src/agent/contracts/model.ts'
import { ConfigError, messageOf } from '../../src/base/errors.ts'
import type { RunTrace, TracedModelCall, TracedToolCall } from '../../src/stores/runs/run-trace.ts'
import { createCopier } from '../journal/journal-copy.ts'
import {
  checkName,
  type RecordedConversation,
  type RecordedCall,
  type RecordedTool,
  type WorkspaceState,
} from '../recording/conversation-file.ts'
import { askedIn, promptOf, seenIn } from '../recording/model-calls.ts'
import { eachText } from '../recording/place-names.ts'
import { writeConversation } from '../recording/write-conversation.ts'
import { GENERAL } from '../slack/slack.ts'
import type { Json } from '../slack/types.ts'
import { CONVERSATIONS, replayWithBot } from './replay-bot.ts'

/** The folder for the test; the checkout's unless given. */
interface TraceTestOptions {
  name?: string | undefined
  folder?: string
}

/**
 * Writes `test/conversations/NAME.json`. A trace does not contain the workspace, so the test expects what the first
 * replay produced: review it.
 * @returns sentences about the test
 * @throws ConfigError if a replay differs from the trace
 */
export async function saveTraceTest(trace: RunTrace, options: TraceTestOptions = {}): Promise<string[]> {
  const { folder = CONVERSATIONS } = options
  const { hidden } = createCopier()
  const name = checkName(options.name ?? nameOf(hidden(trace.question)))
  const file = join(folder, `${name}.json`)
  // Before the replay, which takes its time.
  if (existsSync(file))
    throw new ConfigError(`${file} is there already. Give another name: npm run trace -- test FILE NAME.`)
  const conversation = eachText(conversationOf(trace, name), hidden)
  const came = await replayed(conversation)
  await writeConversation(folder, { ...conversation, name, after: came }).catch((error: unknown) => {
    throw new ConfigError(messageOf(error))
  })
  const shown = came.messages.map(({ by, shown: lines }) => `  ${by}: ${lines.join(' ')}`)
  return [
    `Saved as ${file}.`,
    'A trace does not contain the thread. The test expects the result of this replay, so please review it:',
    ...shown,
  ]
}

/**
 * Replays the conversation and returns the workspace's state. @throws ConfigError if the replay differs from its trace
 */
async function replayed(conversation: RecordedConversation): Promise<WorkspaceState> {
  const { came, problems, unused, stop } = await replayWithBot(conversation)
  await stop()
  const missed = unused > 0 ? [`${unused} of its ${conversation.models.length} calls of the model were not made.`] : []
  const why = [...problems, ...missed]
  if (why.length === 0) return came
  throw new ConfigError(`The replay differs from the trace, so no test was saved:\n${why.join('\n')}`)
}

/** The standalone question, which needs no earlier conversation. */
function conversationOf(trace: RunTrace, name: string): RecordedConversation {
  const asked = trace.calls.filter((call): call is TracedModelCall => call.kind === 'model' && call.for === 'step')
  const used = trace.calls.filter((call): call is TracedToolCall => call.kind === 'tool' && !('notCalled' in call))
  const tools = used.map(toolOf)
  const models = asked.map(callOf)
  const after = { messages: [], views: {}, sessions: {}, statuses: {} }
  const text = `@thinkaloud ${trace.standalone ?? trace.question}`
  return {
    ...{ version: 1 as const, name, after, tools },
    settings: { AGENT_DIALECT: trace.dialect, OPENAI_MODEL: trace.model },
    acts: [{ act: 'say', as: 'alice', with: { channel: GENERAL, text }, after: { models: 0, tools: 0, messages: 0 } }],
    models: models.map((call, i) => ({
      ...call,
      sees: seenIn(promptOf(bodyOf(asked[i])), { tools, models }),
    })),
  }
}

/** Returns a request as it is sent. */
function bodyOf(call: TracedModelCall | undefined): Json {
  const { messages = [], tools } = call?.request ?? {}
  const onWire = messages.map(({ role, content, toolCalls }) => ({
    ...{ role, content },
    ...(toolCalls && { tool_calls: toolCalls }),
  }))
  return { messages: onWire, ...(tools && { tools }) }
}

function callOf(call: TracedModelCall): RecordedCall {
  const { output, usage, isCut, error } = call
  const { text, reasoning, toolCalls } = output
  const isFailed = error !== undefined && text === '' && !toolCalls
  return {
    ...askedIn(bodyOf(call)),
    ...{ sees: [], text },
    ...(reasoning && { reasoning }),
    ...(toolCalls && toolCalls.length > 0 && { toolCalls }),
    ...(usage[0] && { usage: wireUsage(usage[0]) }),
    ...(isCut ? { isCut } : { finish: toolCalls ? 'tool_calls' : 'stop' }),
    // A trace has one call for all retries.
    ...(isFailed && { refused: { status: 400, message: error } }),
  }
}

function wireUsage({ inputTokens: prompt, outputTokens: completion }: Usage): Json {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

function toolOf({ tool, input, output, error, ok }: TracedToolCall): RecordedTool {
  return { tool, input, ...(ok ? { output } : { error: { message: error ?? `${tool} failed.` } }) }
}

/** Returns a name made from the question: `who-was-ada-lovelace`. */
function nameOf(question: string): string {
  const words = question.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return (words.join('-').slice(0, 50).replace(/-+$/, '') || 'traced').replace(/^-+/, '')
}
