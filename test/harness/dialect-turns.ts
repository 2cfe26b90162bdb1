/** Turns of a played model in any dialect. */
import type { DialectName } from '../../src/config.ts'
import { structured, type Turn } from './played-model.ts'

/** A call of a tool. `input`: an object as JSON where the dialect takes text. */
export function callIn(dialect: DialectName, tool: string, input: object): Turn {
  const json = JSON.stringify(input)
  if (dialect === 'native') return { toolCalls: [{ name: tool, arguments: json }] }
  if (dialect === 'json')
    return `Thought: a card\nAction:\n\`\`\`\n{"action": "${tool}", "action_input": ${json}}\n\`\`\``
  if (dialect === 'structured') return structured(tool, input)
  if (dialect === 'docstore') return ` A card.\nAction 1: ${tool}[${json}]`
  if (dialect === 'bracket') return ` A card.\nAction: ${tool}[${json}]`
  if (dialect === 'self-ask') return ` Yes.\nFollow up: ${tool}[${json}]`
  return `Thought: Do I need to use a tool? Yes\nAction: ${tool}\nAction Input: ${json}`
}

export function answerIn(dialect: DialectName, answer: string): Turn {
  if (dialect === 'native') return answer
  if (dialect === 'structured') return structured('answer', answer)
  if (dialect === 'docstore') return ` Done.\nAction 2: Finish[${answer}]`
  if (dialect === 'bracket') return ` Done.\nAction: Finish[${answer}]`
  if (dialect === 'self-ask') return `So the final answer is: ${answer}`
  if (dialect === 'conversational') return `Thought: Do I need to use a tool? No\nAI: ${answer}`
  return ` I now know the final answer\nFinal Answer: ${answer}`
}
