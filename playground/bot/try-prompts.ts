/** Answers a question again with other prompts. Nothing is posted or stored. */
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stepCount, totalOf } from '../../src/agent/run-progress.ts'
import type { Usage } from '../../src/agent/contracts/model.ts'
import type { Step } from '../../src/agent/contracts/run-events.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { answer } from '../../src/question/answer.ts'
import type { RunRecord } from '../../src/stores/archive/types.ts'
import { DIALECT_NAMES, type Config } from '../../src/config.ts'
import { createAgent } from '../../src/question/agent/create-agent.ts'
import { messageOf, ModelError, ToolError } from '../../src/base/errors.ts'
import { createHistory } from '../../src/stores/history/history-store.ts'
import type { History } from '../../src/stores/history/types.ts'
import { createLog } from '../../src/base/log.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { loadPrompts, type Prompts } from '../../src/base/prompts.ts'
import { createNetwork } from '../../src/base/http/proxy.ts'
import { TRIED_HEADER } from '../journal/again-header.ts'
import { embeddedRun } from '../../src/stores/runs/memory-run.ts'
import { conversationOf, freshRun, type Question, type SavedRun } from '../../src/stores/runs/types.ts'
import type { Stores } from '../../src/question/stores/open-stores.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'

/** The folder of prompts that the operator edits. */
export const PROMPTS = join(ROOT, 'prompts')

/** A prompt's name without `.md`, its text to try, and the id of the question. */
export interface TryRequest {
  name: string
  text: string
  question: string
}

/** An answer with its cost and time. */
interface TriedAnswer {
  text: string
  steps: string[]
  stepCount: number
  tokens: number
  ms: number
  /** Why there is no answer, in a sentence. */
  error?: string
}

export interface TryResult {
  question: string
  before: TriedAnswer
  now: TriedAnswer
}

/** Answers a question again. */
export interface Trier {
  /**
   * Answers a question again with a changed prompt. @throws ConfigError if a prompt's variables are wrong; Error if the
   * question is unknown
   */
  run(request: TryRequest): Promise<TryResult>
}

export function createTrier(
  config: Config,
  stores: Pick<Stores, 'archive' | 'history' | 'mcp'>,
  folder = PROMPTS,
): Trier {
  const net = createNetwork(config)
  const tried = { ...config, OPENAI_HEADERS: { ...config.OPENAI_HEADERS, [TRIED_HEADER]: 'yes' } }
  return {
    async run(request) {
      const prompts = await checkPrompt(request, folder)
      const record = await stores.archive.load(request.question)
      if (!record) throw new Error('This question is not answered yet, or its run is no longer kept.')
      const { question, steps, usage, answer: said, startedAt, endedAt } = record
      const before = triedAnswer({ steps, usage }, said?.text ?? '', endedAt - startedAt)
      return { question: question.text, before, now: await answered(record, prompts) }
    },
  }

  async function answered({ question, dialect }: RunRecord, prompts: Prompts): Promise<TriedAnswer> {
    const from = Date.now()
    const run = embeddedRun(freshRun(from), () => true)
    const agent = await createAgent(speaking(tried, dialect), {
      log: createLog('silent'),
      net: await net,
      now: () => new Date(),
      mcpStore: stores.mcp,
      hasWorkspace: true,
      prompts,
      toolSeam: { wrap: harmless },
    })
    try {
      const { team, channel } = question
      const chosen = await agent.agentFor({}, { team, channel, waits: true })
      const { defaults, condenseModel } = agent
      const deps = { agent: { ...defaults, ...chosen }, prompts, condenseModel, history: await before(question) }
      const signal = AbortSignal.timeout(config.AGENT_TIMEOUT_MS)
      let text = ''
      for await (const event of answer(question, run, { ...deps, signal }))
        if (event.type === 'answer' || event.type === 'gave_up') text = event.text
      return triedAnswer(run.saved, text, Date.now() - from)
    } catch (error) {
      const why = error instanceof ModelError ? error.hint : messageOf(error)
      return { ...triedAnswer(run.saved, '', Date.now() - from), error: why }
    } finally {
      await agent.close()
    }
  }

  /** The conversation before the question, in a separate history, so that nothing is stored. */
  async function before(question: Question): Promise<History> {
    const history = createHistory(memoryKv({ now: Date.now }), { log: createLog('silent'), ttlMs: HOUR_MS })
    const thread = conversationOf(question)
    for (const turn of await stores.history.load(thread)) if (turn.at < question.at) await history.append(thread, turn)
    return history
  }
}

const HOUR_MS = 3_600_000

/** Replaces the dialect `auto` by that of the earlier answer, so that the model is not probed again. */
function speaking(config: Config, dialect: string): Config {
  const known = DIALECT_NAMES.find((name) => name === dialect)
  return config.AGENT_DIALECT === 'auto' && known ? { ...config, AGENT_DIALECT: known } : config
}

/** Refuses the calls of a tool that writes. */
function harmless(tool: Tool): Tool {
  if (tool.effects === 'read') return tool
  const run = () =>
    Promise.reject(new ToolError(`${tool.name} is not used while a prompt is tried: it changes something.`))
  return { ...tool, run }
}

/**
 * Returns the prompts of the folder with one of them changed, checked by the same strict reader. @throws ConfigError
 */
export async function checkPrompt({ name, text }: Pick<TryRequest, 'name' | 'text'>, folder: string): Promise<Prompts> {
  const copy = await mkdtemp(join(tmpdir(), 'thinkaloud-prompts-'))
  try {
    for (const known of await promptNames(folder))
      await copyFile(join(folder, `${known}.md`), join(copy, `${known}.md`))
    await writeFile(join(copy, `${name}.md`), text)
    return loadPrompts(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Returns the names of the prompts, without `.md`. */
export async function promptNames(folder: string): Promise<string[]> {
  const all = await readdir(folder)
  return all.flatMap((file) => (file.endsWith('.md') && file !== 'README.md' ? [file.slice(0, -3)] : [])).toSorted()
}

function triedAnswer({ steps, usage }: Pick<SavedRun, 'steps' | 'usage'>, text: string, ms: number): TriedAnswer {
  return { text, steps: steps.map(stepLine), stepCount: stepCount(steps), tokens: totalOf(usage as Usage[]).tokens, ms }
}

function stepLine(step: Step): string {
  if (step.kind !== 'tool') return step.kind
  return `${step.action.tool} ${JSON.stringify(step.action.input)}`
}
