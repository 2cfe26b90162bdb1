/** Decides which steps of a run are writes, and what the audit list says about each. */
import { coerceInput } from '../../agent/tool-input.ts'
import type { Step, ToolStep } from '../../agent/contracts/run-events.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import { messageOf } from '../../base/errors.ts'
import { numbersAsText } from '../../base/parse-json.ts'
import type { StoreLog } from '../../base/store-log.ts'
import { callKey } from '../runs/call-key.ts'
import type { Decision, DoneCall, Question, SavedRun } from '../runs/types.ts'
import { waitKey } from '../runs/wait-keys.ts'
import type { AuditEntry, AuditLog, DecisionBasis, WriteOutcome } from './types.ts'

/** A step of a run and its number, from 1. */
interface NumberedStep {
  n: number
  step: Step
}

/** The facts that decide whether a step is a write, and who allowed it. */
interface RunFacts {
  saved: Pick<SavedRun, 'decisions'>
  /** The run's tools that still exist. */
  tools: readonly Tool[]
  /** The run has ended, so a call without an observation will never get one. */
  isOver: boolean
  /** Returns who has allowed a tool in the run's thread from then on. */
  grantedBy?: ((tool: Tool) => Promise<string | undefined>) | undefined
}

export interface WritesOf extends RunFacts {
  question: Question
  audit: AuditLog
  log: StoreLog
}

/**
 * Adds the writes among the steps to the audit list. Noting a step again is harmless, so each process also notes what
 * an earlier one may have missed.
 * @throws if the list cannot store a write, so that the write is not made. Once the run is over only an outcome can be
 * missing, and nothing is thrown
 */
export async function noteWrites(steps: readonly NumberedStep[], of: WritesOf): Promise<void> {
  try {
    for (const { n, step } of steps) {
      const entry = step.kind === 'tool' ? await entryOf(n, step, of) : undefined
      if (entry) await of.audit.note(entry)
    }
  } catch (error) {
    if (!of.isOver) throw error
    of.log.warn({ question: of.question.id, error: messageOf(error) }, 'the outcome of a write could not be recorded')
  }
}

/** Returns the writes of a run that is over, for people. Empty if there were tools that write and none was called. */
export async function doneCalls(steps: readonly Step[], of: RunFacts): Promise<DoneCall[] | undefined> {
  const calls: DoneCall[] = []
  for (const [i, step] of steps.entries()) {
    if (step.kind !== 'tool') continue
    const write = await writeOf(i + 1, step, of)
    if (!write) continue
    const { outcome, how, decidedBy, tool, input } = write
    const declared = of.tools.find(({ name }) => name === tool)?.parameters
    const { title } = step.action
    calls.push({
      outcome,
      how,
      tool,
      what: subjectOf(input, declared),
      title,
      by: decidedBy,
    })
  }
  const couldWrite = of.tools.some(({ effects }) => effects === 'write')
  return calls.length > 0 || couldWrite ? calls : undefined
}

async function entryOf(n: number, step: ToolStep, of: WritesOf): Promise<AuditEntry | undefined> {
  const write = await writeOf(n, step, of)
  if (!write) return undefined
  const { id, team, channel, thread, user, at } = of.question
  const { input, server, ...rest } = write
  return {
    run: id,
    step: n,
    team,
    channel,
    thread,
    askedBy: user,
    ...rest,
    server,
    argumentsHash: callKey(step.action.tool, input),
    at: step.begun ?? step.waiting?.since ?? at,
  }
}

interface Write {
  tool: string
  server: string | undefined
  outcome: WriteOutcome
  how: DecisionBasis
  decidedBy?: string
  /** The input that the tool got, or would have got. */
  input: unknown
}

/** @returns undefined for a step that is not a write, or about which nothing is decided */
async function writeOf(n: number, step: ToolStep, of: RunFacts): Promise<Write | undefined> {
  const tool = of.tools.find(({ name }) => name === step.action.tool)
  const decision = decisionAbout(n, step, of.saved)
  const outcome = isWrite(step, { tool, decision }) ? outcomeOf(step, of.isOver) : undefined
  if (!outcome) return undefined
  return {
    tool: step.action.tool,
    server: tool?.server ?? approvalOf(step)?.server,
    outcome,
    ...(await decidedOf(decision, tool, of)),
    input: sentInput(step, tool),
  }
}

/**
 * A call that was begun is a write. So is a call that a person was asked about and that was not made, unless its tool
 * only reads. For a tool that no longer exists, that is unknown.
 */
function isWrite(
  { begun, waiting }: ToolStep,
  { tool, decision }: { tool: Tool | undefined; decision: Decision | undefined },
): boolean {
  if (begun !== undefined || tool?.effects === 'read') return begun !== undefined
  return decision !== undefined || (waiting !== undefined && (waiting.for?.kind !== 'question' || tool !== undefined))
}

/**
 * Returns the outcome of a call.
 * @returns undefined if the call was neither made nor refused: it waits for a person, its run was stopped during the
 * wait, or its tool asked the asker something and has had no effect
 */
function outcomeOf({ begun, waiting, observation }: ToolStep, isOver: boolean): WriteOutcome | undefined {
  const isUnanswered = isOver && waiting?.for?.kind === 'question'
  if (begun === undefined) return observation || isUnanswered ? 'not_run' : undefined
  if (!observation) return isOver ? 'unknown' : 'begun'
  // A call that was too slow may still have taken effect.
  if (observation.unknown || observation.down) return 'unknown'
  return observation.ok ? 'done' : 'failed'
}

/**
 * Returns a person's decision about the call, or that nobody decided in time. Answers to the tool's own questions do
 * not count.
 */
function decisionAbout(n: number, { waiting }: ToolStep, { decisions }: WritesOf['saved']): Decision | undefined {
  const rounds = Array.from({ length: waiting?.round ?? 1 }, (_, i) => decisions[waitKey(n, { round: i + 1 })])
  const decided = rounds.findLast((one) => one?.outcome === 'allowed' || one?.outcome === 'denied')
  return decided ?? rounds.findLast((one) => one?.outcome === 'expired')
}

async function decidedOf(
  decision: Decision | undefined,
  tool: Tool | undefined,
  { grantedBy }: RunFacts,
): Promise<{ how: DecisionBasis; decidedBy?: string }> {
  if (decision?.outcome === 'allowed') return { how: decision.always ? 'always' : 'once', decidedBy: decision.by }
  if (decision?.outcome === 'denied') return { how: 'denied', decidedBy: decision.by }
  if (decision) return { how: 'expired' }
  const by = tool?.needsApproval ? await grantedBy?.(tool) : undefined
  return by === undefined ? { how: 'config' } : { how: 'always', decidedBy: by }
}

/** Returns the input of a call that was made, or else the input that the person was shown. */
function sentInput(step: ToolStep, tool: Tool | undefined): unknown {
  const approval = approvalOf(step)
  if (approval && step.begun === undefined) return numbersAsText(approval.input)
  const input = tool && coerceInput(tool, step.action.input)
  return numbersAsText(input?.ok ? input.value : (approval?.input ?? step.action.input))
}

function approvalOf({ waiting }: ToolStep) {
  return waiting?.for?.kind === 'approval' ? waiting.for : undefined
}

/** Names of arguments that identify the subject, the clearest first. */
const NAMING = ['path', 'file', 'title', 'name', 'id', 'url', 'uri', 'key', 'target', 'address']
/** Names of arguments that hold a text. A long one is not shown, since it names nothing. */
const TEXTS = ['text', 'body', 'content', 'message', 'description', 'comment', 'markdown', 'html', 'note', 'reason']
const MAX_CHARS = 80
/** The number of them that are from the end of a longer value. */
const END_CHARS = 30
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** The most arguments that a line shows. */
const MAX_SHOWN = 3

/**
 * Returns the arguments that name the subject, on one line: only those that the tool declares, the required ones before
 * all others, and of these `path`, `file_path`, `fileName`, … before others. What the model adds beside them is not
 * shown, unless the tool declares nothing. A long value is cut and not left out, so that none is hidden by padding.
 * @returns an empty string if there is none
 */
function subjectOf(input: unknown, declared: Record<string, unknown> | undefined): string {
  if (typeof input !== 'object' || input === null) return isShort(input) ? auditText(input) : ''
  const { properties, required }: { properties?: unknown; required?: unknown } = declared ?? {}
  const known = Object.keys(Object(properties))
  const isKnown = (key: string) => known.length === 0 || known.includes(key)
  const fields = Object.entries(input).filter(([key, value]) => isPlain(value) && isKnown(key))
  const needed = fields.filter(([key]) => Array.isArray(required) && required.includes(key))
  const candidates = needed.length > 0 ? needed : fields
  const named = candidates.filter(([key]) => isNaming(key)).sort(([a], [b]) => rankOf(a) - rankOf(b))
  const others = candidates.filter(([key, value]) => !isNaming(key) && (isShort(value) || !isText(key)))
  const sure = needed.length > 0 ? named : named.slice(0, 1)
  const shown = (sure.length > 0 ? sure : others).slice(0, MAX_SHOWN)
  return shown.map(([, value]) => auditText(value)).join(', ')
}

const rankOf = (key: string) => NAMING.indexOf(lastWord(key))
const isNaming = (key: string) => rankOf(key) >= 0
const isText = (key: string) => TEXTS.includes(lastWord(key))

/** The last word of a field's name in lower case: `file_path` and `filePath` end in `path`. */
function lastWord(key: string): string {
  return (
    key
      .replace(/([a-z\d])([A-Z])/g, '$1_$2')
      .replace(/^file(?=name$|path$)/i, 'file_')
      .split(/[^a-zA-Z\d]+/)
      .at(-1)
      ?.toLowerCase() ?? ''
  )
}

function isPlain(value: unknown): boolean {
  return (typeof value === 'string' && value.replace(INVISIBLE, '').trim() !== '') || typeof value === 'number'
}

function isShort(value: unknown): boolean {
  return isPlain(value) && String(value).length <= MAX_CHARS
}

function auditText(value: unknown): string {
  // Marks of direction would show the rest of the line in another order, and invisible characters nothing.
  const plain = String(value).replace(INVISIBLE, '')
  const text = [...plain.replace(/\s+/g, ' ').trim()]
  // Both ends are shown: the name of a file is at the end of its path.
  const [begin, end] = [text.slice(0, MAX_CHARS - END_CHARS), text.slice(-END_CHARS)]
  const cut = text.length > MAX_CHARS ? `${begin.join('')}…${end.join('')}` : text.join('')
  // A value that could be read as the rest of its line is quoted.
  return /[(),:;"“”]/.test(cut) ? `“${cut.replace(/[“”"]/g, "'")}”` : cut
}
