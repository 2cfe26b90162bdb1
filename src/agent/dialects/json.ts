import { markedInput, stringifyExact } from '../../base/parse-json.ts'
import type { Prompts } from '../../base/prompts.ts'
import { acceptsInput, namesOfTools } from '../tool-input.ts'
import { answerInJson, labelledAnswer } from '../parser/answer-opening.ts'
import { readInline } from '../parser/inline-steps.ts'
import { readJsonBlock, toolInput } from '../parser/json-action.ts'
import { readLeaked } from '../parser/leaked-calls.ts'
import {
  BESIDE_ANSWER,
  faultAt,
  firstBegun,
  modelOutputOf,
  toParsedTurn,
  type AcceptsInput,
  type Match,
  type ModelOutput,
} from '../parser/model-output.ts'
import { beginsObservation } from '../parser/observation-cut.ts'
import { isJsonOrLabelled } from '../parser/taught-form.ts'
import { readSteps } from '../parser/react-steps.ts'
import type { Dialect, ParsedTurn, RenderedPrompt, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'
import type { Action, ToolStep, UnreadableStep } from '../contracts/run-events.ts'
import { HELD_FORM, isHeld, readHeldTurn } from './held-turn.ts'
import { renderTurns, toolVariables } from './text.ts'
import { examplesIn, workedTurns } from './worked-turns.ts'

/**
 * LangChain's chat-zero-shot-react-description ("How ReAct Prompting Works", "Exploring ChatAgents"): one JSON object
 * with `action` and `action_input` per turn. Its turns follow the question in the wording of the former.
 */
export function jsonDialect(prompts: Prompts): Dialect {
  const worked = workedTurns(prompts['json-turns']({}))
  const read: Dialect['read'] = ({ text }, tools) =>
    readHeldTurn(text, tools) ?? readJson(text, namesOfTools(tools), acceptsInput(tools))
  return {
    name: 'json',
    omitsRepeated: true,
    examples: examplesIn(worked, read),
    stop: ['\nObservation:', '\nObservation :'],
    beginsObservation,
    render: (view) => renderJson(view, prompts, worked),
    read,
    isOwnForm: isJsonOrLabelled,
    opensAnswer: (line) => labelledAnswer(line) ?? answerInJson(line),
  }
}

const PREVIOUS_WORK =
  "This was your previous work (but I haven't seen any of it! I only see what you return as final answer):"

function renderJson(view: RunView, prompts: Prompts, worked: Message[]): RenderedPrompt {
  return renderTurns(view, prompts, {
    system: prompts.json(toolVariables(view)),
    worked,
    question: `Question: ${view.question}\n\n${view.steps.length === 0 ? '' : PREVIOUS_WORK}`,
    written: writtenStep,
  })
}

function writtenStep(step: ToolStep | UnreadableStep): string {
  return step.kind === 'tool'
    ? `Thought: ${step.thought}\nAction:\n\`\`\`\n${objectOf(step.action)}\n\`\`\``
    : `Thought: ${step.text}`
}

function objectOf({ tool, input }: Action): string {
  return stringifyExact({ action: tool, action_input: markedInput(input) }, 2)
}

const FORM =
  'Write one JSON object in a code fence, {"action": "<tool>", "action_input": <input>}, and nothing after it; or, when you know the answer, "Final Answer: <answer>".'

/**
 * Reads a completion of the json dialect (LangChain's chat agent): one JSON object `{"action", "action_input"}`, fenced
 * or not, or `Final Answer:`. The input is the JSON value, or `{}` if there is none. Plain labels are read if there is
 * no JSON.
 */
export function readJson(completion: string, tools: string[], accepts?: AcceptsInput): ParsedTurn {
  return readJsonTurn(modelOutputOf(completion, tools, { accepts }), isHeld(completion) ? HELD_FORM : FORM)
}

/** `form` is the expected form, for the hint. */
export function readJsonTurn(turn: ModelOutput, form: string): ParsedTurn {
  const found = findCall(turn)
  const input = found?.kind === 'action' ? toolInput(turn, found.tool, found.input) : undefined
  return toParsedTurn(found?.kind === 'action' ? { ...found, input } : found, turn, form)
}

/** A JSON block wins, unless a labelled answer precedes it or it is part of the input of a labelled action. */
function findCall(turn: ModelOutput): Match | undefined {
  const block = firstBegun(readJsonBlock(turn), readLeaked(turn))
  const labelled = readSteps(turn)
  if (!block || !labelled) return block ?? labelled ?? readInline(turn)
  if (block.kind === 'action' && labelled.kind === 'finish' && block.at < labelled.at)
    return faultAt(turn, block.at, BESIDE_ANSWER)
  if (labelled.kind === 'fault' && labelled.what === BESIDE_ANSWER) return labelled
  if (labelled.kind === 'fault' || labelled.at >= block.at) return block
  return labelled.kind === 'action' && block.kind === 'action' && turn.tools.includes(block.tool) ? block : labelled
}
