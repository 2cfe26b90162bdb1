import type { Prompts } from '../../prompts.ts'
import { messageLine } from '../observation.ts'
import { acceptsInput, inputText, toolNames } from '../tool-input.ts'
import { defuseLabels } from '../observation.ts'
import { modelOutputOf, toParsedTurn, type AcceptsInput } from '../parser/model-output.ts'
import { beginsObservation } from '../parser/observation-cut.ts'
import { findStep } from '../parser/react-steps.ts'
import type { Dialect, Message, ParsedTurn, RunView, Step } from '../types.ts'
import { fencedObservation, saidBefore, tailOf, toolVariables } from './prompt-parts.ts'

/**
 * Thought / Action / Action Input / Observation in plain text, zero-shot: seeds 003 and 004, after Yao et al. 2022
 * (ReAct, arXiv:2210.03629). System message first and unchanging, so that prompt caches hit; what changes comes last.
 */
export function textDialect(prompts: Prompts): Dialect {
  return {
    name: 'text',
    stop: ['\nObservation:', '\nObservation :'],
    beginsObservation,
    render: (view) => ({ messages: renderText(view, prompts) }),
    read: (completion, tools) => readText(completion.text, toolNames(tools), acceptsInput(tools)),
  }
}

function renderText(view: RunView, prompts: Prompts): Message[] {
  const steps = view.steps.map((step) => renderStep(step, view.nonce))
  const tail = tailOf(view, prompts, { cue: 'Thought:', form: 'Write only:\nFinal Answer: the answer' })
  return [
    { role: 'system', content: prompts.text(toolVariables(view)) },
    { role: 'user', content: `${saidBefore(view, prompts)}Question: ${view.question}\n${steps.join('')}${tail}` },
  ]
}

/** A step in the labels of the text form; the conversational dialect shares it. */
export function renderStep(step: Step, nonce: string): string {
  if (step.kind === 'message') return messageLine(step)
  const said =
    step.kind === 'tool'
      ? `Thought: ${defuseLabels(step.thought)}\nAction: ${step.action.tool}\nAction Input: ${inputText(step.action.input)}\n`
      : `Thought: ${defuseLabels(step.text)}\n`
  return `${said}Observation: ${fencedObservation(step, nonce)}\n`
}

const FORM =
  'Write "Thought: …", then either "Action: <tool>" and "Action Input: <input>", each on a line of its own, or "Final Answer: <answer>".'

/**
 * Reads a completion of the text dialect (LangChain's zero-shot ReAct): Thought, Action, Action Input, Final Answer.
 * A model that writes a JSON call or everything on one line is understood too. The input stays text as written, but is
 * an object where the model fenced a JSON object or wrote a Python dict.
 */
export function readText(completion: string, tools: string[], accepts?: AcceptsInput): ParsedTurn {
  const turn = modelOutputOf(completion, tools, { accepts })
  return toParsedTurn(findStep(turn), turn, FORM)
}
