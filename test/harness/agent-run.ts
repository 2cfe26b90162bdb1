import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { runAgent, type AgentDeps, type Task } from '../../src/agent/agent.ts'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import type { DialectName } from '../../src/config.ts'
import type { AgentEvent } from '../../src/agent/contracts/run-events.ts'
import type { Tool, ToolContext, ToolOutput } from '../../src/agent/contracts/tool.ts'
import { createLog } from '../../src/base/log.ts'
import { openAiModel, type OpenAiOptions } from '../../src/model/openai.ts'
import { loadPrompts } from '../../src/base/prompts.ts'
import type { Ends } from './ends.ts'
import { playModel, type PlayedModel, type Script } from './played-model.ts'
import { zodInput } from '../../src/agent/tool-input.ts'

export type Limits = AgentDeps['limits']

export interface AgentOptions {
  model: Script
  tools?: Tool[]
  dialect?: DialectName
  examples?: string
  limits?: Partial<Limits>
  question?: string
  task?: Partial<Task>
  stream?: boolean
  refuses?: string[]
  readAlong?: AgentDeps['readAlong']
  mayRun?: AgentDeps['mayRun']
  doubtful?: AgentDeps['doubtful']
}

export interface AgentRun {
  events: AgentEvent[]
  model: PlayedModel
  /** The texts of the observations, in order. */
  observations: string[]
  /** The event that ended the run. */
  final: AgentEvent | undefined
}

const PROMPTS = loadPrompts()

const LIMITS: Limits = { maxSteps: 8, timeoutMs: 80_000, toolTimeoutMs: 60_000, toolOutputChars: 4000 }

/** Returns the bot's own model client for a simulated endpoint. */
export function modelAt(url: string, options: Partial<OpenAiOptions> = {}) {
  return openAiModel({
    model: 'played-model',
    apiKey: 'sk-played',
    baseUrl: url,
    stream: true,
    log: createLog('silent'),
    now: Date.now,
    ...options,
  })
}

/** Returns the parts of an agent, with the real dialects and prompts. */
export function agentDeps(url: string, options: Omit<AgentOptions, 'model'> = {}): AgentDeps {
  const {
    dialect = 'text',
    tools = [echo()],
    examples = '',
    limits,
    stream = true,
    readAlong,
    mayRun,
    doubtful,
  } = options
  return {
    model: modelAt(url, { stream }),
    dialect: DIALECTS[dialect].create({ prompts: PROMPTS, examples }),
    tools,
    limits: { ...LIMITS, ...limits },
    fetch: () => Promise.reject(new Error('This test reaches nothing.')),
    now: () => new Date(),
    newNonce: () => String(randomInt(100_000, 1_000_000)),
    ...(readAlong ? { readAlong } : {}),
    ...(mayRun ? { mayRun } : {}),
    ...(doubtful ? { doubtful } : {}),
  }
}

/** Runs the agent on one question over real HTTP. */
export async function runOn(t: Ends, options: AgentOptions): Promise<AgentRun> {
  const model = await playModel(t, options.model)
  for (const name of options.refuses ?? []) model.refuses.add(name)
  const task: Task = {
    question: options.question ?? 'What is it?',
    signal: new AbortController().signal,
    ...options.task,
  }
  const events: AgentEvent[] = []
  for await (const event of runAgent(task, agentDeps(model.url, options))) events.push(event)
  const observations = events.flatMap((event) => (event.type === 'observation' ? [event.step.observation.text] : []))
  return { events, model, observations, final: events.at(-1) }
}

/** Returns a tool with one field that answers with `run`, or echoes its input. `calls` collects its inputs. */
export function echo(
  run?: (text: string, context: ToolContext) => Promise<ToolOutput | string> | ToolOutput | string,
  more: Partial<Tool> = {},
) {
  const calls: string[] = []
  const tool: Tool<{ query: string }> = {
    name: 'echo',
    description: 'Says it back.',
    ...zodInput(z.object({ query: z.string() })),
    effects: 'read',
    async run({ query }, context) {
      calls.push(query)
      return run ? run(query, context) : `echo of ${query}`
    },
  }
  return Object.assign(tool, more, { calls }) as Tool & { calls: string[] }
}
