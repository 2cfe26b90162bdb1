import { ask } from './ask.ts'
import { MAX_SAME_ACTION, sameActions, thinkingMs } from './budget.ts'
import { Deadline } from './deadline.ts'
import { ToolError } from '../errors.ts'
import { coerceInput } from './tool-input.ts'
import { cutMiddle } from './observation.ts'
import type { RunState } from './run-state.ts'
import type { Action, AgentEvent, Observation, Step, Tool, ToolContext } from './types.ts'

/** A model may ask for several tools at once; more than this many in one turn are refused. */
const MAX_AT_ONCE = 5

/** Runs every step that has no observation yet, side by side, and yields the observations in their order. */
export async function* actAndObserve(run: RunState): AsyncGenerator<AgentEvent> {
  const running = run.steps.flatMap((step, i) => (step.observation || !step.action ? [] : [{ step, n: i + 1 }]))
  const usedBefore = run.usage.length
  const done = running.map(({ step }, i) => timed(run, () => (i < MAX_AT_ONCE ? observe(run, step) : tooMany())))
  // The first that fails ends the run; the others' failures, which come with it, have been seen too.
  for (const one of done) one.catch(() => undefined)
  for (const [i, { step, n }] of running.entries()) {
    const { observation, ms } = await done[i]!
    step.observation = observation
    yield { type: 'observation', step: n, observation, ms }
  }
  for (const usage of run.usage.slice(usedBefore)) yield { type: 'usage', usage, ms: 0 }
}

async function timed(
  run: RunState,
  work: () => Promise<Observation>,
): Promise<{ observation: Observation; ms: number }> {
  const from = run.now().getTime()
  const observation = await work()
  return { observation, ms: run.now().getTime() - from }
}

async function tooMany(): Promise<Observation> {
  return {
    ok: false,
    text: `Not run: at most ${MAX_AT_ONCE} tools can be used at once. Ask again if you still need it.`,
  }
}

/** One action's observation. A mistake of the model or a tool's failure is an observation too, never a throw. */
async function observe(run: RunState, step: Step): Promise<Observation> {
  const action = step.action!
  const tool = run.tools.find((t) => t.name === action.tool)
  if (!tool)
    return mistake(
      `There is no tool "${clip(action.tool)}". The tools are: ${run.tools.map((t) => t.name).join(', ')}.`,
    )
  const before = run.limits.breakLoops === false ? undefined : repeated(run, action, step)
  if (before) return before
  const input = coerceInput(tool, action.input)
  if (!input.ok) return mistake(input.problem)
  return callTool(run, tool, input.value)
}

function repeated(run: RunState, action: Action, step: Step): Observation | undefined {
  const earlier = sameActions(run, action).filter((s) => s !== step && s.observation)
  if (earlier.length === 0) return undefined
  const again = earlier.length + 1 >= MAX_SAME_ACTION ? '' : ' Do something else, or give the final answer.'
  return { ok: true, text: `You have already done exactly this. It returned: ${earlier[0]!.observation!.text}${again}` }
}

async function callTool(run: RunState, tool: Tool, input: unknown): Promise<Observation> {
  const ms = Math.max(1, Math.min(run.limits.toolTimeoutMs, thinkingMs(run)))
  const time = new Deadline(run.task.signal, Math.ceil(ms))
  const asked: Promise<string>[] = []
  try {
    const output = await time.wait(tool.run(input, contextOf(run, time, asked)))
    const { text, sources } = typeof output === 'string' ? { text: output, sources: [] } : output
    const said = text.trim() === '' ? 'The tool returned nothing.' : cutMiddle(text, run.limits.toolOutputChars)
    return { ok: true, text: said, ...(sources?.length ? { sources } : {}) }
  } catch (error) {
    if (run.task.signal.aborted) throw run.task.signal.reason
    if (time.hasPassed) return mistake(`${tool.name} did not finish within ${(ms / 1000).toFixed(1)} s.`)
    return mistake(error instanceof ToolError ? error.message : `${tool.name} failed: ${clip(String(error))}`)
  } finally {
    // What a call that was cut off has cost is known only at its end, which the end of the tool's time brings about.
    await Promise.allSettled(asked)
    time.release()
  }
}

/** `asked`: where the tool's calls of the model go, for whoever waits for their end. */
function contextOf(run: RunState, time: Deadline, asked: Promise<string>[]): ToolContext {
  return {
    get signal() {
      return time.signal
    },
    fetch: (url, options) => run.fetch(url, { signal: time.signal, ...options }),
    now: run.now,
    memory: run.memory,
    ask(prompt) {
      const answer = ask(run.model, prompt, { signal: time.signal, onUsage: (usage) => run.usage.push(usage) })
      // A tool may ask and not wait for the answer; nobody else hears then that it failed.
      answer.catch(() => undefined)
      asked.push(answer)
      return answer
    },
  }
}

function mistake(text: string): Observation {
  return { ok: false, text }
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
