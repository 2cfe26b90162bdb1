/** One call of a tool: its deadline, its context, and its output as an observation. */
import { askOnce } from './ask-once.ts'
import { isNamed } from './named-addresses.ts'
import { Deadline, thinkingMs } from './budget.ts'
import { ToolError } from '../base/errors.ts'
import { clip, cutMiddle } from './observation.ts'
import { keepTables } from './output-tables.ts'
import { MADE_FILE_CHARS, SKILL_CHARS } from './prompt-size.ts'
import type { RunState } from './run-state.ts'
import { isSafeToRepeat, unknownEffect } from './unknown-effect.ts'
import type { Usage } from './contracts/model.ts'
import type { Observation } from './contracts/run-events.ts'
import type { PersonsAnswer, Tool, ToolAsks, ToolContext, ToolOutput } from './contracts/tool.ts'
import type { Series } from './contracts/evidence.ts'

/** A call of a tool for step `n`. `answers` are the asker's answers to the tool's questions. */
export interface StepCall {
  n: number
  tool: Tool
  input: unknown
  answers: readonly PersonsAnswer[]
}

/** Makes one call within its deadline. The result or failure becomes an observation, or a question to the asker. */
export async function callTool(run: RunState, { n, tool, input, answers }: StepCall): Promise<Observation | ToolAsks> {
  const onUsage = (usage: Usage) => void run.unreported.push({ usage, ms: 0 })
  const ms = Math.max(1, Math.min(tool.timeoutMs ?? run.limits.toolTimeoutMs, thinkingMs(run)))
  const time = new Deadline(run.signal, Math.ceil(ms))
  const modelCalls: Promise<string>[] = []
  const askModel = (prompt: string) => {
    const answer = askOnce(run.model, prompt, { signal: time.signal, onUsage })
    // A tool may ask and not wait for the answer. Nobody else would handle the failure then.
    answer.catch(() => undefined)
    modelCalls.push(answer)
    return answer
  }
  try {
    const watched = run.watchCall?.(tool, n) ?? tool
    const output = await time.wait(watched.run(input, contextOf(run, time, askModel, answers)))
    if (typeof output !== 'string' && 'asks' in output) return output
    const max = Math.max(run.limits.toolOutputChars, tool.outputChars ?? 0)
    const whole = typeof output === 'string' ? { text: output } : output
    const observation = observationOf(whole, max)
    return { ...observation, text: observation.text + tablesNote(run, { n, tool }, whole) }
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason
    if (time.hasPassed) return { ...tooLate(tool, ms), down: true }
    if (!(error instanceof ToolError)) return failure(`${tool.name} failed: ${clip(String(error))}`)
    if (error.isDown) return { ...failure(error.message), down: true }
    return { ...failure(error.message), ...(error.isForAsker ? { forAsker: true } : {}) }
  } finally {
    // A call reports its usage when it ends. The tool's deadline aborts calls that are still running.
    await Promise.allSettled(modelCalls)
    time.release()
  }
}

/** Keeps the tables of an output if they can be queried. What a tool quotes may be a part of a table. */
function tablesNote(run: RunState, { n, tool }: Pick<StepCall, 'n' | 'tool'>, output: ToolOutput): string {
  if (!run.files || tool.returnDirect) return ''
  return keepTables(run.memory, n, tool.quotes ? { ...output, tables: output.tables ?? [] } : output)
}

/** The observation of a call that timed out. A call with effects may still have taken effect. */
function tooLate(tool: Tool, ms: number): Observation {
  const late = `did not finish within ${(ms / 1000).toFixed(1)} s`
  return isSafeToRepeat(tool) ? failure(`${tool.name} ${late}.`) : unknownEffect(tool.name, `it ${late}`)
}

const SERIES = { points: 100, chars: 200, more: 20 }

/** Returns a tool's output as the model reads it: `max` characters of text at most. */
export function observationOf(
  { text, sources, series, exhausted, passing, forAsker, instructions, file }: ToolOutput,
  max: number,
): Observation {
  const bounded = series && boundedSeries(series)
  const shown = text.trim() === '' ? 'The tool returned nothing.' : cutMiddle(text, instructions ? SKILL_CHARS : max)
  return {
    ok: true,
    text: shown,
    ...(sources?.length ? { sources } : {}),
    ...(bounded?.points.length ? { series: bounded } : {}),
    ...(exhausted ? { exhausted: true as const } : {}),
    ...(passing ? { passing: true as const } : {}),
    ...(forAsker ? { forAsker: true as const } : {}),
    ...(instructions ? { instructions: true as const } : {}),
    ...(file && file.text.length <= MADE_FILE_CHARS
      ? { file: { name: file.name.slice(0, 200), text: file.text } }
      : {}),
  }
}

/** Limits a series to what can be drawn, because it is saved with the step. */
function boundedSeries({ title, points, kind, name, more, axes }: Series): Series {
  const all = points.slice(0, SERIES.points)
  const isDrawable = (at: number) => Number.isFinite(all[at]?.value)
  const cut = (text: string) => String(text).slice(0, SERIES.chars)
  const others = more?.slice(0, SERIES.more).map((one) => ({
    name: cut(one.name),
    values: one.values.filter((value, at) => isDrawable(at) && Number.isFinite(value)),
  }))
  return {
    title: cut(title),
    points: all.filter((_, at) => isDrawable(at)).map(({ label, value }) => ({ label: cut(label), value })),
    kind,
    ...(name !== undefined && { name: cut(name) }),
    more: others,
    ...(axes && { axes: { ...(axes.x && { x: cut(axes.x) }), ...(axes.y && { y: cut(axes.y) }) } }),
  }
}

function contextOf(run: RunState, time: Deadline, ask: ToolContext['ask'], answers: StepCall['answers']): ToolContext {
  return {
    get signal() {
      return time.signal
    },
    fetch: (url, options) => run.fetch(url, { signal: time.signal, ...options }),
    now: run.now,
    memory: run.memory,
    ask,
    workspace: run.workspace,
    isNamed: (url) => isNamed(run, url),
    asker: run.asker,
    files: run.files,
    ...(run.sendsFiles ? { sendsFiles: true as const } : {}),
    ...(answers.length > 0 ? { answers } : {}),
  }
}

/** The observation of a failed call. */
export function failure(text: string): Observation {
  return { ok: false, text }
}
