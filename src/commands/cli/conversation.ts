import { offeredTools } from '../../agent/agent.ts'
import type { Model, ModelEvent, ModelRequest } from '../../agent/contracts/model.ts'
import type { AgentParts } from '../../question/agent/agent-parts.ts'
import { answer, type AnswerDeps } from '../../question/answer.ts'
import { changeLines } from '../../question/change-lines.ts'
import { figuresText } from '../../question/check-figures/judge-figures.ts'
import { DIALECT_NAMES } from '../../config.ts'
import { messageOf, ModelError } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { createHistory } from '../../stores/history/history-store.ts'
import { embeddedRun } from '../../stores/runs/memory-run.ts'
import { freshRun, type Question } from '../../stores/runs/types.ts'
import type { Output } from './output.ts'
import { memoryKv } from '../../stores/kv/memory-kv.ts'

const HELP = [
  `/dialect NAME  switch the dialect: ${DIALECT_NAMES.join(', ')}`,
  '/tools         list the tools',
  '/trace         show or hide the exact messages sent and received',
  '/reset         forget the conversation',
].join('\n')

const DAY_MS = 86_400_000
/** Counts as a direct message, so the servers that MCP_CONFIG allows there are available. */
const PLACE = { team: 'cli', channel: 'D', waits: true }

/** One conversation in a terminal: questions, follow-ups and commands. */
export class ChatSession {
  readonly #agent: AgentParts
  readonly #output: Output
  readonly #deps: AnswerDeps
  #questions = 0
  #isTracing = false
  #running: AbortController | undefined
  readonly #saysFigures: boolean

  /** `saysFigures`: whether the answer's footer counts figures without a source. `loadFiles`: the files it is about. */
  constructor(
    agent: AgentParts,
    output: Output,
    { saysFigures, loadFiles }: { saysFigures: boolean; loadFiles?: AnswerDeps['loadFiles'] },
  ) {
    this.#agent = agent
    this.#output = output
    this.#saysFigures = saysFigures
    const show = (title: string, text: string) => (this.#isTracing ? output.trace(title, text) : undefined)
    const { defaults, prompts, condenseModel } = agent
    this.#deps = {
      agent: { ...defaults, model: traced(defaults.model, show) },
      condenseModel: traced(condenseModel, show),
      history: createHistory(memoryKv({ now: () => defaults.now().getTime() }), {
        log: createLog('silent'),
        ttlMs: DAY_MS,
      }),
      prompts,
      loadFiles,
    }
  }

  /** Loads the current tools of MCP servers. A call that needs approval is not made: nobody is asked in a terminal. */
  async prepare(): Promise<void> {
    const { mcp, defaults } = this.#agent
    if (mcp) this.#deps.agent.tools = [...defaults.tools, ...(await mcp.toolsFor(PLACE))]
  }

  toolNames(): string {
    return offeredTools(this.#deps.agent)
      .map((tool) => tool.name)
      .join(', ')
  }

  /** Takes a question, or a command that begins with a slash. Never rejects. */
  async take(line: string): Promise<void> {
    const [command = '', argument = ''] = line.split(/\s+/)
    if (!command.startsWith('/')) return this.#ask(line)
    if (command === '/help') return this.#output.note(HELP)
    if (command === '/tools') return this.#listTools()
    if (command === '/dialect') return this.#switchDialect(argument)
    if (command === '/trace') return this.#toggleTrace()
    if (command === '/reset') return this.#forget()
    this.#output.fail(`There is no command ${command}. Type /help for the list.`)
  }

  /** Stops the current question. @returns false if there is none, or it has been stopped already */
  interrupt(): boolean {
    if (!this.#running || this.#running.signal.aborted) return false
    this.#running.abort()
    return true
  }

  async #ask(text: string): Promise<void> {
    const id = `cli-${++this.#questions}`
    const place = { team: 'cli', channel: 'cli', thread: 'cli', user: 'you', surface: 'dm' as const }
    const at = this.#deps.agent.now().getTime()
    const question: Question = { kind: 'asked', id, text, at, ...place }
    const running = new AbortController()
    this.#running = running
    try {
      await this.prepare()
      const run = embeddedRun(freshRun(at), () => true)
      let done: string[] = []
      let figures: string | undefined
      for await (const event of answer(question, run, { ...this.#deps, signal: running.signal })) {
        if (event.type === 'done') done = changeLines(event.calls, () => 'you')
        else if (event.type === 'figures') figures = figuresText(event.figures)
        else this.#output.event(event)
      }
      if (figures !== undefined && this.#saysFigures) this.#output.figures(figures)
      if (done.length > 0) this.#output.done(done)
    } catch (error) {
      if (!running.signal.aborted) this.#output.fail(error instanceof ModelError ? error.hint : messageOf(error))
    } finally {
      this.#running = undefined
    }
  }

  #listTools(): void {
    this.#output.note(
      offeredTools(this.#deps.agent)
        .map((tool) => `${tool.name}: ${tool.description}`)
        .join('\n'),
    )
  }

  #switchDialect(name: string): void {
    const known = DIALECT_NAMES.find((dialect) => dialect === name)
    if (!known)
      return this.#output.note(
        `The dialect is ${this.#deps.agent.dialect.name}. Choose from: ${DIALECT_NAMES.join(', ')}.`,
      )
    try {
      this.#deps.agent.dialect = this.#agent.dialect(known)
      this.#output.note(`Dialect: ${known}.`)
    } catch (error) {
      this.#output.fail(messageOf(error))
    }
  }

  #toggleTrace(): void {
    this.#isTracing = !this.#isTracing
    this.#output.note(this.#isTracing ? 'Messages are shown from now on.' : 'Messages are hidden again.')
  }

  async #forget(): Promise<void> {
    await this.#deps.history.forget('cli:cli:cli')
    this.#output.note('Conversation forgotten.')
  }
}

/** Shows each model call: the exact messages sent, then the exact text received. */
function traced(model: Model, show: (title: string, text: string) => void): Model {
  return { name: model.name, stream: (request) => tracedStream(model, request, show) }
}

async function* tracedStream(
  model: Model,
  request: ModelRequest,
  show: (title: string, text: string) => void,
): AsyncGenerator<ModelEvent> {
  const { messages, stop, tools } = request
  const tags = messages.map(
    ({ role, content, toolCalls }) => `[${role}]\n${content}${toolCalls ? `\n${JSON.stringify(toolCalls)}` : ''}`,
  )
  const more = { ...(stop?.length ? { stop } : {}), ...(tools ? { tools } : {}) }
  show(`sent to ${model.name}`, [...tags, ...(Object.keys(more).length > 0 ? [JSON.stringify(more)] : [])].join('\n'))
  let received = ''
  try {
    for await (const event of model.stream(request)) {
      if (event.type === 'restart') received += '\n(the call failed and is repeated)\n'
      if (event.type === 'text' || event.type === 'reasoning' || event.type === 'refusal') received += event.text
      if (event.type === 'tool_calls') received += `\n${JSON.stringify(event.calls)}`
      yield event
    }
  } finally {
    show('received', received)
  }
}
