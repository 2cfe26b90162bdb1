import type { Prompts } from '../../prompts.ts'
import { cutMiddle } from '../observation.ts'
import { beginsObservation, readConversational } from '../parser/index.ts'
import type { Dialect, Message, RunView } from '../types.ts'
import { tailOf, toolVariables } from './prompt-parts.ts'
import { renderStep } from './text.ts'

const ANSWER_CHARS = 1500

/**
 * The conversation inside the prompt in place of condensing, and the choice to answer without a tool
 * (LangChain's conversational-react-description, named in seed 000).
 */
export function conversationalDialect(prompts: Prompts): Dialect {
  return {
    name: 'conversational',
    carriesHistory: true,
    stop: ['\nObservation:', '\nObservation :'],
    beginsObservation,
    render: (view) => ({ messages: renderConversation(view, prompts) }),
    read: (completion, tools) =>
      readConversational(
        completion.text,
        tools.map((tool) => tool.name),
      ),
  }
}

function renderConversation(view: RunView, prompts: Prompts): Message[] {
  const past = view.history.map((turn) => `Human: ${turn.question}\nAI: ${cutMiddle(turn.answer, ANSWER_CHARS)}`)
  const history = past.length > 0 ? `The conversation so far:\n${past.join('\n')}\n\n` : ''
  const steps = view.steps.map((step) => renderStep(step, view.nonce)).join('')
  const tail = tailOf(view, prompts, { cue: 'Thought: Do I need to use a tool?', form: 'Write only:\nAI: your answer' })
  return [
    { role: 'system', content: prompts.conversational(toolVariables(view)) },
    { role: 'user', content: `${history}New message:\nQuestion: ${view.question}\n${steps}${tail}` },
  ]
}
