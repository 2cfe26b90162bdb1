/** One JSON object per turn, whose form the endpoint enforces with a schema. */
import type { Prompts } from '../../base/prompts.ts'
import { isRecord, markedInput, parseExact, parseJson, stringifyExact } from '../../base/parse-json.ts'
import { strictSchema, withoutNulls, type StrictSchema } from '../strict-schema.ts'
import { acceptsInput, inputText, namesOfTools } from '../tool-input.ts'
import { modelOutputOf, type AcceptsInput } from '../parser/model-output.ts'
import { beginsObservation } from '../parser/observation-cut.ts'
import { isJsonOrLabelled } from '../parser/own-form.ts'
import { tidy } from '../parser/text-lines.ts'
import type { AnswerOpening, Dialect, ParsedTurn, RenderedPrompt, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'
import type { Step, ToolStep, UnreadableStep } from '../contracts/run-events.ts'
import type { Tool } from '../contracts/tool.ts'
import { readJsonTurn } from './json.ts'
import { questionMessage, saidBefore, tailOf, toolVariables, turnMessages } from './text.ts'
import { alternating, examplesIn, fittingExamples, workedTurns } from './worked-turns.ts'

/**
 * A thought, then a step: a tool with its input, or `answer` with the answer. Turns are turns, and worked turns come
 * before the question. What an endpoint without schemas writes is read as in the json dialect.
 */
export function structuredDialect(prompts: Prompts): Dialect {
  const worked = workedTurns(prompts['structured-turns']({}))
  const read: Dialect['read'] = ({ text }, tools) =>
    withoutLeftOut(readStructured(text, namesOfTools(tools), acceptsInput(tools)), tools)
  return {
    name: 'structured',
    examples: examplesIn(worked, read),
    stop: [],
    takesProse: 'any',
    omitsRepeated: true,
    beginsObservation,
    render: (view) => renderStructured(view, prompts, worked),
    read,
    isOwnForm: isJsonOrLabelled,
    opensAnswer: answerOpening,
  }
}

/** The action that ends a turn, beside those of the tools. */
export const ANSWER = 'answer'

function renderStructured(view: RunView, prompts: Prompts, worked: Message[]): RenderedPrompt {
  const tail = tailOf(view, prompts, {
    cue: '',
    form: 'Your step has to be the action answer.',
  })
  const messages: Message[] = [
    { role: 'system', content: prompts.structured(toolVariables(view)) },
    ...fittingExamples(worked, view),
    questionMessage(view, prompts, `${saidBefore(view, prompts)}Question: ${view.question}`),
    ...view.steps.flatMap((step) => renderStep(step, view.nonce)),
    ...(tail ? [{ role: 'user' as const, content: tail.trim() }] : []),
  ]
  return { messages: alternating(messages), schema: turnSchema(view) }
}

/** A hint comes from the loop, so it is not fenced as data. */
function renderStep(step: Step, nonce: string): Message[] {
  const written = (made: ToolStep | UnreadableStep) =>
    made.kind === 'tool' ? objectOf(made) : made.text || '(nothing)'
  const messages = turnMessages(step, nonce, written)
  return step.kind === 'unreadable' ? [messages[0]!, { role: 'user', content: step.observation.text }] : messages
}

function objectOf({ thought, action }: ToolStep): string {
  return stringifyExact({ thought, step: { action: action.tool, input: markedInput(action.input) } })
}

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
 * that were repeated twice, and the one whose last three calls returned the same words.
 */
function repeatedTools(steps: readonly Step[]): Set<string> {
  const turn = steps.findLast(({ kind }) => kind !== 'message')?.turn
  const calls = steps.filter((step) => step.kind === 'tool')
  const repeats = calls.filter((call, i) => calls.slice(0, i).some((earlier) => isRepeat(call, earlier)))
  const again = repeats.filter(({ action: { tool } }, i) => repeats.slice(0, i).some((one) => one.action.tool === tool))
  const out = [...repeats.filter((call) => call.turn === turn), ...again, ...inVain(calls)]
  return new Set(out.map(({ action }) => action.tool))
}

const MAX_IN_VAIN = 3

/** The last calls, if they are of one tool, which returned the same words around each input: "Nothing found for …". */
function inVain(calls: ToolStep[]): ToolStep[] {
  const last = calls.slice(-MAX_IN_VAIN)
  const words = last.map(
    ({ action, observation }) => `${action.tool}\n${wordsAround(action.input, observation?.text ?? '')}`,
  )
  const isSame = last.length === MAX_IN_VAIN && new Set(words).size === 1
  // Writes do what they say, and what does not name its input may be right of each.
  return isSame && words[0]!.includes('…') && last.every(({ begun }) => begun === undefined) ? last : []
}

function wordsAround(input: unknown, text: string): string {
  const values = isRecord(input) ? Object.values(input) : [input]
  const written = values.filter((value) => typeof value === 'string' && value !== '') as string[]
  return written.reduce((rest, value) => rest.replaceAll(value, '…'), text)
}

/** Returns whether a call brought nothing new. */
function isRepeat({ action, observation }: ToolStep, earlier: ToolStep): boolean {
  if (action.tool !== earlier.action.tool || inputText(action.input) !== inputText(earlier.action.input)) return false
  return observation?.hint === true || observation?.text === earlier.observation?.text
}

/** Asks for a turn in this form. */
export const HELD_FORM =
  'Write one JSON object: {"thought": "…", "step": {"action": "<tool>", "input": <input>}}, or with the action "answer" and the answer as its input.'

/** Reads the object that the schema demands, or whatever was written instead of it. */
export function readStructured(completion: string, tools: string[], accepts?: AcceptsInput): ParsedTurn {
  const turn = readHeld(completion, tools) ?? cutAnswer(completion)
  return turn ?? readJsonTurn(modelOutputOf(completion, tools, { accepts }), HELD_FORM)
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

/** The answer of an object that breaks off in it. */
function cutAnswer(completion: string): ParsedTurn | undefined {
  const opening = answerOpening(completion)
  if (!opening || parseJson(completion) !== undefined) return undefined
  const [whole = '', written = '', end] = /^((?:[^"\\]|\\.)*)("?)/s.exec(completion.slice(opening.at)) ?? []
  if (end && !/^[\s}]*$/.test(completion.slice(opening.at + whole.length))) return undefined
  const text = parseJson(`"${written.replaceAll('\n', '\\n')}"`)
  const answer = typeof text === 'string' ? tidy(text) : ''
  return answer === '' ? undefined : { kind: 'finish', thought: '', answer }
}

const OPENING = /"step"\s{0,9}:\s{0,9}\{\s{0,9}"action"\s{0,9}:\s{0,9}"answer"\s{0,9},\s{0,9}"input"\s{0,9}:\s{0,9}"/

function answerOpening(line: string): AnswerOpening | undefined {
  const match = OPENING.exec(line)
  return match ? { at: match.index + match[0].length, form: 'json' } : undefined
}

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
