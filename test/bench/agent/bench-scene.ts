/** The question that both sides answer: three model calls, a search, a calculation, an answer. */

export const QUESTION = 'What was the high temperature in SF yesterday in Fahrenheit? And the same value in celsius?'

export const FOUND = 'San Francisco Weather History for the Previous 24 Hours ; 54 °F · 54 °F'

/** The model's text after "Thought:" in each turn (langchain-mini's own transcript). */
export const TURNS = [
  ' I need to find the temperature for yesterday\nAction: search\nAction Input: High temperature in San Francisco yesterday\n',
  ' I should convert to celsius\nAction: calculator\nAction Input: (54-32)*5/9\n',
  ' I now know the final answer\nFinal Answer: Yesterday, the high temperature in SF was 54°F or 12.2°C.',
]

export const ANSWER = 'Yesterday, the high temperature in SF was 54°F or 12.2°C.'

const TOKENS = 400
/** A long streamed answer, one word per token. The last word is a number, so that a missing word is noticed. */
export const LONG_ANSWER = Array.from({ length: TOKENS }, (_, i) => (i + 1 === TOKENS ? String(TOKENS) : 'word')).join(
  ' ',
)

/** The same turns for streamed answers: the last one writes `LONG_ANSWER`. */
export const STREAMED_TURNS = [...TURNS.slice(0, 2), ` I now know the final answer\nFinal Answer: ${LONG_ANSWER}`]

/** The tools' descriptions of langchain-mini. */
export const TOOLS = [
  {
    name: 'search',
    description:
      'a search engine. useful for when you need to answer questions about current events. input should be a search query.',
  },
  {
    name: 'calculator',
    description:
      'useful for getting the result of a math expression. The input to this tool should be a valid mathematical expression that could be executed by a simple calculator.',
  },
] as const

/** LangChain's ZERO_SHOT_REACT_DESCRIPTION prompt, as langchain-mini prints it, with the steps so far. */
export function zeroShot(question: string, scratchpad: string): string {
  return `Answer the following questions as best you can. You have access to the following tools:

${TOOLS.map(({ name, description }) => `${name}: ${description}`).join('\n')}

Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be one of [${TOOLS.map(({ name }) => name).join(', ')}]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question

Begin!

Question: ${question}
Thought:${scratchpad}`
}
