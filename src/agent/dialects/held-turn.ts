/**
 * The held form: one JSON object, which the endpoint enforces with a schema. It is each turn of the structured dialect,
 * and that of others after a turn that was repeated or announced.
 */
import { isRecord, parseExact } from '../../base/parse-json.ts'
import { strictSchema, withoutNulls, type StrictSchema } from '../strict-schema.ts'
import { actionKey } from '../repeated-actions.ts'
import { namesOfTools } from '../tool-input.ts'
import { tidy } from '../parser/text-lines.ts'
import type { ParsedTurn, RunView } from '../contracts/dialect.ts'
import type { Step, ToolStep } from '../contracts/run-events.ts'
import type { Tool } from '../contracts/tool.ts'

/** The action that ends a turn, beside those of the tools. */
export const ANSWER = 'answer'

/** Asks for a turn in this form. */
export const HELD_FORM =
  'Write one JSON object: {"thought": "…", "step": {"action": "<tool>", "input": <input>}}, or with the action "answer" and the answer as its input.'

/** The schema of a turn: one branch for each tool, and one for the answer. The final turn has only that. */
export function turnSchema(view: Pick<RunView, 'steps' | 'tools' | 'finalTurn'>): StrictSchema {
  const repeated = repeatedTools(view.steps)
  const tools = view.finalTurn ? [] : view.tools.filter(({ name }) => !repeated.has(name))
  const named = tools.filter(({ brief }) => brief === undefined)
  const brief = tools.filter((tool) => tool.brief !== undefined).map(({ name }) => name)
  const sizes = { chars: 0, values: 0 }
  const steps = [
    ...named.map((tool) => branch({ enum: [tool.name] }, fitting(inputSchema(tool), sizes))),
    ...(brief.length > 0 ? [branch(brief.length > MAX_NAMES ? TEXT : { enum: brief }, JSON_TEXT)] : []),
    branch({ enum: [ANSWER] }, TEXT),
  ]
  return object({ thought: TEXT, step: { anyOf: steps } })
}

const TEXT: StrictSchema = { type: 'string' }
const JSON_TEXT: StrictSchema = { type: 'string', description: 'the input as JSON text' }
/** Endpoints limit how many names a schema may list. */
const MAX_NAMES = 200

function branch(action: StrictSchema, input: StrictSchema): StrictSchema {
  return object({ action: { type: 'string', ...action }, input })
}

function object(properties: StrictSchema): StrictSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** Built once for each tool, because every model call needs it. */
const schemas = new WeakMap<Tool, StrictSchema>()

/** Endpoints limit how much a schema says, and how many values its lists have. */
const MAX_SIZES = { chars: 60_000, values: 500 }

/** The schema of an input, or JSON text once the inputs of all tools together would be too much. */
function fitting(schema: StrictSchema, sizes: { chars: number; values: number }): StrictSchema {
  const { chars, values } = sizeOf(schema)
  if (sizes.chars + chars > MAX_SIZES.chars || sizes.values + values > MAX_SIZES.values) return JSON_TEXT
  sizes.chars += chars
  sizes.values += values
  return schema
}

const sizesOf = new WeakMap<StrictSchema, { chars: number; values: number }>()

function sizeOf(schema: StrictSchema): { chars: number; values: number } {
  const seen = sizesOf.get(schema)
  if (seen) return seen
  let values = 0
  const text = JSON.stringify(schema, (name, value: unknown) => {
    if (name === 'enum' && Array.isArray(value)) values += value.length
    return value
  })
  const size = { chars: text.length, values }
  sizesOf.set(schema, size)
  return size
}

/** The tool's own schema in its strict form. A schema that has none makes the input JSON text. */
function inputSchema(tool: Tool): StrictSchema {
  const schema = schemas.get(tool) ?? strictSchema(tool.parameters) ?? JSON_TEXT
  schemas.set(tool, schema)
  return schema
}

/**
 * The tools that the next turn cannot call, so that a loop cannot form: those whose last call was a repetition, those
 * that were repeated twice, and the one whose last three calls found nothing, in the same words.
 */
function repeatedTools(steps: readonly Step[]): Set<string> {
  const turn = steps.findLast(({ kind }) => kind !== 'message')?.turn
  const repeats = repeatsIn(steps)
  const again = repeats.filter(({ action: { tool } }, i) => repeats.slice(0, i).some((one) => one.action.tool === tool))
  const out = [...repeats.filter((call) => call.turn === turn), ...again, ...inVain(callsOf(steps))]
  return new Set(out.map(({ action }) => action.tool))
}

/** Returns whether the run has repeated itself, so that its next turns are better held. */
export function repeatsItself(steps: readonly Step[]): boolean {
  return repeatsIn(steps).length > 0 || inVain(callsOf(steps)).length > 0
}

/** The calls that brought nothing new. A call that changes something is no repetition. */
function repeatsIn(steps: readonly Step[]): ToolStep[] {
  const seen = new Map<string, ToolStep[]>()
  return callsOf(steps).filter((call) => {
    const earlier = seen.get(actionKey(call.action)) ?? []
    seen.set(actionKey(call.action), [...earlier, call])
    const { observation, begun } = call
    const isSame = (one: ToolStep) => observation?.hint || one.observation?.text === observation?.text
    return begun === undefined && earlier.some(isSame)
  })
}

const callsOf = (steps: readonly Step[]) => steps.filter((step) => step.kind === 'tool')

const MAX_IN_VAIN = 3

/**
 * The last calls, if they are of one tool, which found nothing in the same words around each input: "No page for …".
 */
function inVain(calls: ToolStep[]): ToolStep[] {
  const last = calls.slice(-MAX_IN_VAIN)
  const words = last.map(
    ({ action, observation }) => `${action.tool}\n${wordsAround(action.input, observation?.text ?? '')}`,
  )
  const isSame = last.length === MAX_IN_VAIN && new Set(words).size === 1
  // Writes do what they say, and what does not name its input may be right of each.
  const isNothing = words[0]?.includes('…') === true && NOTHING.test(words[0])
  return isSame && isNothing && last.every(({ begun }) => begun === undefined) ? last : []
}

/** Words for nothing, in the languages of most tools. */
const NOTHING =
  /(?<!\p{L})(?:no|not|none|nothing|0|zero|without|unknown|missing|kein\p{L}*|nicht\p{L}*|aucun\p{L}*|rien|ning[uú]n\p{L}*|nada|nessun\p{L}*|niente|nenhum\p{L}*|geen|niets|ничего|нет|не)(?!\p{L})|n['’]t(?!\p{L})|[没沒无無未不]|ない|ません|없|않/iu

function wordsAround(input: unknown, text: string): string {
  const values = isRecord(input) ? Object.values(input) : [input]
  const written = values.filter((value) => typeof value === 'string' && value !== '') as string[]
  return written.reduce((rest, value) => rest.replaceAll(value, '…'), text)
}

/** Matches the beginning of the held form. */
const HELD = /^\s{0,20}\{\s{0,9}"thought"/

/** Reads a turn in the held form. Undefined for any other text. */
export function readHeldTurn(completion: string, tools: Tool[]): ParsedTurn | undefined {
  const turn = HELD.test(completion) ? readHeld(completion, namesOfTools(tools)) : undefined
  return turn && withoutLeftOut(turn, tools)
}

/** Returns whether a text begins as the held form does. */
export function isHeld(completion: string): boolean {
  return HELD.test(completion)
}

/** Reads exactly the object that the schema demands. */
export function readHeld(completion: string, tools: string[]): ParsedTurn | undefined {
  const written = parseExact(completion)
  const step = isRecord(written) ? written['step'] : undefined
  const { action, input } = isRecord(step) ? step : {}
  const thought = isRecord(written) && typeof written['thought'] === 'string' ? tidy(written['thought']) : ''
  const answer = action === ANSWER && typeof input === 'string' ? input : ''
  if (BROKEN_OFF.test(answer)) return { kind: 'unreadable', thought, hint: QUOTATION_MARKS }
  if (tidy(answer) !== '') return { kind: 'finish', thought, answer: tidy(answer) }
  return typeof action === 'string' && tools.includes(action)
    ? { kind: 'actions', thought, actions: [{ tool: action, input }] }
    : undefined
}

/** A model that quotes something without a backslash ends its text before the quotation. */
const BROKEN_OFF =
  /(?:[(:,]|(?<!\p{L})(?:for|of|about|as|is|are|the|no|or|and|word|words|called|named|says?|für|von|namens|nach|pour|para)) $/iu
const QUOTATION_MARKS = 'Your answer breaks off. Write it whole, with quotation marks inside it as \\".'

/** Without the optional fields that a model left out as null, as the strict form requires. */
export function withoutLeftOut(turn: ParsedTurn, tools: Tool[]): ParsedTurn {
  if (turn.kind !== 'actions') return turn
  const parametersOf = (name: string) => tools.find((tool) => tool.name === name)?.parameters
  return {
    ...turn,
    actions: turn.actions.map((action) => ({
      ...action,
      input: withoutNulls(action.input, parametersOf(action.tool)),
    })),
  }
}
