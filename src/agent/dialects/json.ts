import { markedInput, stringifyExact } from '../../base/parse-json.ts'
import type { Prompts } from '../../base/prompts.ts'
import { messageLine } from '../observation.ts'
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
import { readSteps } from '../parser/react-steps.ts'
import type { Dialect, ParsedTurn, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'
import type { Action, Step } from '../contracts/run-events.ts'
import { fencedObservation, questionMessage, saidBefore, tailOf, toolVariables } from './text.ts'

/**
 * LangChain's chat-zero-shot-react-description ("How ReAct Prompting Works", "Exploring ChatAgents"): one JSON object
 * with `action` and `action_input` per turn. The scratchpad goes into the user message in the wording of the former.
 */
export function jsonDialect(prompts: Prompts): Dialect {
  return {
    name: 'json',
    stop: ['\nObservation:', '\nObservation :'],
    beginsObservation,
    render: (view) => ({ messages: renderJson(view, prompts) }),
    read: (completion, tools) => readJson(completion.text, namesOfTools(tools), acceptsInput(tools)),
    opensAnswer: (line) => labelledAnswer(line) ?? answerInJson(line),
  }
}

const PREVIOUS_WORK =
  "This was your previous work (but I haven't seen any of it! I only see what you return as final answer):"

function renderJson(view: RunView, prompts: Prompts): Message[] {
  const work =
    view.steps.length === 0
      ? ''
      : `${PREVIOUS_WORK}\n${view.steps.map((step) => renderStep(step, view.nonce)).join('')}`
  const cue = view.steps.length === 0 ? '' : 'Thought:'
  const tail = tailOf(view, prompts, { cue, form: 'Write only:\nFinal Answer: the answer' })
  return [
    { role: 'system', content: prompts.json(toolVariables(view)) },
    questionMessage(view, prompts, `${saidBefore(view, prompts)}${view.question}\n\n${work}${tail}`),
  ]
}

function renderStep(step: Step, nonce: string): string {
  if (step.kind === 'message') return messageLine(step)
  const written =
    step.kind === 'tool'
      ? `Thought: ${step.thought}\nAction:\n\`\`\`\n${objectOf(step.action)}\n\`\`\`\n\n`
      : `Thought: ${step.text}\n`
  return `${written}Observation: ${fencedObservation(step, nonce)}\n`
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
  const turn = modelOutputOf(completion, tools, { accepts })
  const found = findCall(turn)
  const input = found?.kind === 'action' ? toolInput(turn, found.tool, found.input) : undefined
  return toParsedTurn(found?.kind === 'action' ? { ...found, input } : found, turn, FORM)
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
