/** One JSON object per turn, whose form the endpoint enforces with a schema. */
import type { Prompts } from '../../base/prompts.ts'
import { markedInput, parseJson, stringifyExact } from '../../base/parse-json.ts'
import { acceptsInput, namesOfTools } from '../tool-input.ts'
import { modelOutputOf, type AcceptsInput } from '../parser/model-output.ts'
import { beginsObservation } from '../parser/observation-cut.ts'
import { isJsonOrLabelled } from '../parser/taught-form.ts'
import { tidy } from '../parser/text-lines.ts'
import type { AnswerOpening, Dialect, ParsedTurn, RenderedPrompt, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'
import type { Step, ToolStep, UnreadableStep } from '../contracts/run-events.ts'
import { HELD_FORM, readHeld, turnSchema, withoutLeftOut } from './held-turn.ts'
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

/** The object as the worked turns write it, on one line with spaces: a model goes on in the form that it sees. */
function objectOf({ thought, action }: ToolStep): string {
  const indented = stringifyExact({ thought, step: { action: action.tool, input: markedInput(action.input) } }, 1)
  return indented.replace(/(?<=[{[])\n\s*|\n\s*(?=[}\]])/g, '').replace(/\n\s*/g, ' ')
}

/** Reads the object that the schema demands, or whatever was written instead of it. */
export function readStructured(completion: string, tools: string[], accepts?: AcceptsInput): ParsedTurn {
  const turn = readHeld(completion, tools) ?? cutAnswer(completion)
  return turn ?? readJsonTurn(modelOutputOf(completion, tools, { accepts }), HELD_FORM)
}

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
