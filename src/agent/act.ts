/** Actions become observations: each tool is asked for once its input is right, and whatever it does becomes data. */
import { askOnce } from './ask-once.ts'
import { Deadline, MAX_SAME_ACTION, sameActions, thinkingMs } from './budget.ts'
import { ToolError } from '../errors.ts'
import { coerceInput } from './tool-input.ts'
import { cutMiddle } from './observation.ts'
import { reportUsage, tell } from './run-progress.ts'
import type { RunState } from './run-state.ts'
import type {
  AgentEvent,
  Observation,
  Series,
  Tool,
  ToolContext,
  ToolMemory,
  ToolOutput,
  ToolStep,
  Usage,
} from './types.ts'

/** Runs every step that has no observation yet, side by side, and yields the observations in the steps' order. */
export async function* actAndObserve(run: RunState): AsyncGenerator<AgentEvent> {
  const running = run.progress.steps.flatMap((step, i) =>
    step.kind === 'tool' && !step.observation ? [{ step, n: i + 1 }] : [],
  )
  const done = running.map((one) => timed(run, () => observe(run, one)))
  // The first failure ends the run. The others' are caught here, or they would end the process as unhandled rejections.
  for (const one of done) one.catch(() => undefined)
  try {
    for (const [i, { step, n }] of running.entries()) {
      const { observation, ms } = await done[i]!
      if (observation === 'wait') {
        yield tell(run, { type: 'waiting', n, step: { waiting: { since: run.now().getTime() }, ...step } })
        continue
      }
      const observed = {
        ...step,
        observation: step.dropped ? { ...observation, note: droppedNote(run, step) } : observation,
      }
      yield tell(run, { type: 'observation', n, step: observed, ms, ...changedMemory(run) })
    }
  } catch (error) {
    await Promise.allSettled(done)
    throw error
  }
  yield* reportUsage(run)
}

async function timed(
  run: RunState,
  work: () => Promise<Observation | 'wait'>,
): Promise<{ observation: Observation | 'wait'; ms: number }> {
  const from = run.now().getTime()
  const observation = await work()
  return { observation, ms: run.now().getTime() - from }
}

/** Says once a turn that the model asked for more tools than it may use at once. */
function droppedNote({ progress }: RunState, { turn, dropped = 0 }: ToolStep): string {
  const run = progress.steps.filter((step) => step.kind === 'tool' && step.turn === turn).length
  return `Only the first ${run} of ${run + dropped} calls were run. Ask again for the others if they are still needed.`
}

/** A copy of what the tools remember, if that is other than the events have told so far. */
function changedMemory({ memory, progress }: RunState): { memory?: ToolMemory } {
  const text = JSON.stringify(memory)
  if (text === JSON.stringify(progress.memory)) return {}
  const copy: ToolMemory = JSON.parse(text)
  return { memory: copy }
}

/**
 * One action's observation. A mistake of the model, a person's refusal and a tool's failure are observations too, never a
 * throw. `wait`: a person has to decide first.
 */
async function observe(run: RunState, { n, step }: { n: number; step: ToolStep }): Promise<Observation | 'wait'> {
  const { action } = step
  const tool = run.tools.find((t) => t.name === action.tool)
  if (!tool)
    return mistake(
      `There is no tool "${clip(action.tool)}". The tools are: ${run.tools.map((t) => t.name).join(', ')}.`,
    )
  const before = run.limits.breakLoops === false ? undefined : repeated(run, step)
  if (before) return before
  const input = coerceInput(tool, action.input)
  if (!input.ok) return mistake(input.problem)
  const permission = (await run.mayRun?.({ n, step, tool, input: input.value, isRepeat: false })) ?? 'yes'
  if (permission === 'wait') return 'wait'
  if (permission !== 'yes') return mistake(permission.no)
  return callTool(run, tool, input.value)
}

function repeated(run: RunState, step: ToolStep): Observation | undefined {
  const earlier = sameActions(run, step.action).filter((s) => s !== step && s.observation)
  if (earlier.length === 0) return undefined
  const again = earlier.length + 1 >= MAX_SAME_ACTION ? '' : ' Do something else, or give the final answer.'
  const text = `You have already done exactly this. It returned: ${earlier[0]!.observation!.text}${again}`
  return { ok: true, text, hint: true }
}

async function callTool(run: RunState, tool: Tool, input: unknown): Promise<Observation> {
  const onUsage = (usage: Usage) => void run.unreported.push({ usage, ms: 0 })
  const ms = Math.max(1, Math.min(run.limits.toolTimeoutMs, thinkingMs(run)))
  const time = new Deadline(run.signal, Math.ceil(ms))
  const asked: Promise<string>[] = []
  const askModel = (prompt: string) => {
    const answer = askOnce(run.model, prompt, { signal: time.signal, onUsage })
    // A tool may ask and not wait for the answer; then nobody else handles its failure.
    answer.catch(() => undefined)
    asked.push(answer)
    return answer
  }
  try {
    const output = await time.wait(tool.run(input, contextOf(run, time, askModel)))
    if (typeof output !== 'string' && 'asks' in output) return mistake(`${tool.name} asks: ${output.asks.message}`)
    return observationOf(typeof output === 'string' ? { text: output } : output, run.limits.toolOutputChars)
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason
    if (time.hasPassed)
      return { ...mistake(`${tool.name} did not finish within ${(ms / 1000).toFixed(1)} s.`), down: true }
    if (error instanceof ToolError && error.isDown) return { ...mistake(error.message), down: true }
    return mistake(error instanceof ToolError ? error.message : `${tool.name} failed: ${clip(String(error))}`)
  } finally {
    // A call reports its usage when it ends. The tool's deadline aborts those that are still under way.
    await Promise.allSettled(asked)
    time.release()
  }
}

const SERIES = { points: 100, chars: 200 }

function observationOf({ text, sources, series, exhausted }: ToolOutput, most: number): Observation {
  const drawn = series && boundedSeries(series)
  const said = text.trim() === '' ? 'The tool returned nothing.' : cutMiddle(text, most)
  return {
    ok: true,
    text: said,
    ...(sources?.length ? { sources } : {}),
    ...(drawn?.points.length ? { series: drawn } : {}),
    ...(exhausted ? { exhausted: true as const } : {}),
  }
}

/** What can be drawn of it: it is saved with the step. */
function boundedSeries({ title, points }: Series): Series {
  const drawable = points.slice(0, SERIES.points).filter(({ value }) => Number.isFinite(value))
  const cut = (text: string) => String(text).slice(0, SERIES.chars)
  return { title: cut(title), points: drawable.map(({ label, value }) => ({ label: cut(label), value })) }
}

function contextOf(run: RunState, time: Deadline, ask: ToolContext['ask']): ToolContext {
  return {
    get signal() {
      return time.signal
    },
    fetch: (url, options) => run.fetch(url, { signal: time.signal, ...options }),
    now: run.now,
    memory: run.memory,
    ask,
  }
}

function mistake(text: string): Observation {
  return { ok: false, text }
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
