import type { Prompts } from '../../base/prompts.ts'
import { pastAnswer } from '../prompt-size.ts'
import { acceptsInput, namesOfTools } from '../tool-input.ts'
import { holdsJsonCall } from '../parser/json-action.ts'
import { labelledAnswer } from '../parser/answer-opening.ts'
import { REACT } from '../parser/label-words.ts'
import { labelReader } from '../parser/labels.ts'
import { modelOutputOf, toParsedTurn, type AcceptsInput, type ModelOutput } from '../parser/model-output.ts'
import { beginsObservation } from '../parser/observation-cut.ts'
import { isLabelled } from '../parser/taught-form.ts'
import { findStep } from '../parser/react-steps.ts'
import { tidy } from '../parser/text-lines.ts'
import { holdsCall, holdsMarkup, isAnnounced, withoutFences, withoutInlineCode } from '../parser/written-calls.ts'
import type { Dialect, ParsedTurn, RunView } from '../contracts/dialect.ts'
import type { Message } from '../contracts/model.ts'
import { questionMessage, renderStep, saidBefore, tailOf, toolVariables } from './text.ts'

/**
 * LangChain's conversational-react-description (named in "ReAct with LangChain"). The prompt contains the conversation,
 * so nothing is condensed, and the model may answer without a tool.
 */
export function conversationalDialect(prompts: Prompts): Dialect {
  return {
    name: 'conversational',
    carriesHistory: true,
    stop: ['\nObservation:', '\nObservation :'],
    beginsObservation,
    render: (view) => ({ messages: renderConversation(view, prompts) }),
    read: (completion, tools) => readConversational(completion.text, namesOfTools(tools), acceptsInput(tools)),
    isOwnForm: isLabelled,
    opensAnswer: (line) => labelledAnswer(line, labelAt),
  }
}

function renderConversation(view: RunView, prompts: Prompts): Message[] {
  const past = view.history.map((turn) => `Human: ${turn.question}\nAI: ${pastAnswer(turn.answer)}`)
  const history = past.length > 0 ? `The conversation so far:\n${past.join('\n')}\n\n` : ''
  const steps = view.steps.map((step) => renderStep(step, view.nonce)).join('')
  const tail = tailOf(view, prompts, { cue: 'Thought: Do I need to use a tool?', form: 'Write only:\nAI: your answer' })
  return [
    { role: 'system', content: prompts.conversational(toolVariables(view)) },
    questionMessage(
      view,
      prompts,
      `${history}${saidBefore(view, prompts)}New message:\nQuestion: ${view.question}\n${steps}${tail}`,
    ),
  ]
}

const labelAt = labelReader({ ...REACT, answer: [...REACT.answer, 'ai', 'assistant'] })
const FORM =
  'Write "Thought: Do I need to use a tool? Yes", "Action: <tool>" and "Action Input: <input>", each on a line of its own; or "Thought: Do I need to use a tool? No" and "AI: <reply>".'

/**
 * Reads a completion of the conversational dialect (LangChain's conversational-react-description): an action as in the
 * text dialect, or `AI: …` or `Final Answer: …` as the reply. Text without any label is the reply.
 */
export function readConversational(completion: string, tools: string[], accepts?: AcceptsInput): ParsedTurn {
  const turn = modelOutputOf(completion, tools, { labelAt, accepts })
  const found = findStep(turn)
  const reply = found ? '' : plainReply(turn)
  return reply ? { kind: 'finish', ...reply } : toParsedTurn(found, turn, FORM)
}

/** Reads an unlabelled reply: the whole text, or the text after the line that says that no tool is needed. */
function plainReply(turn: ModelOutput): { thought: string; answer: string } | undefined {
  const { text, sections } = turn
  const [thought, ...others] = sections
  if (!thought) return tidy(text) && !isCall(turn) ? { thought: '', answer: tidy(text) } : undefined
  if (thought.name !== 'thought' || others.length > 0) return undefined
  const [firstLine = '', ...rest] = tidy(text.slice(thought.valueAt)).split('\n')
  const answer = tidy(rest.join('\n'))
  return /\bno\b[.!]?$/i.test(firstLine.trim()) && answer ? { thought: firstLine.trim(), answer } : undefined
}

/** A call that cannot be read, or is only announced, is no reply for people. Code may hold what looks like a call. */
function isCall(turn: ModelOutput): boolean {
  const { text, tools } = turn
  const prose = withoutFences(text)
  if (holdsMarkup(text) || holdsCall(withoutInlineCode(prose), tools)) return true
  return holdsJsonCall(turn) || isAnnounced(prose, tools)
}
