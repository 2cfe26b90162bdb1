/**
 * The floor: a bare ReAct loop over the `openai` SDK, as in langchain-mini. It makes the same calls with
 * messages of the same size and the same tools, parses by two regular expressions, and does nothing else.
 */
import OpenAI from 'openai'
import { ANSWER, FOUND, LONG_ANSWER, QUESTION, zeroShot } from './bench-scene.ts'
import { serveRounds } from './side.ts'

const [, , baseURL = '', dist = '', mode = ''] = process.argv
const { calculate } = (await import(`${dist}/tools/calculator.js`)) as { calculate(expression: string): number }
const client = new OpenAI({ apiKey: 'bench', baseURL, maxRetries: 0 })
const asked = { model: 'bench', temperature: 0, stop: ['\nObservation:'] }

const TOOLS: Record<string, (input: string) => Promise<string>> = {
  search: async () => FOUND,
  calculator: async (expression) => String(calculate(expression)),
}

async function ask(): Promise<string> {
  let scratchpad = ''
  for (;;) {
    const said = await complete(zeroShot(QUESTION, scratchpad))
    const tool = /Action: (.*)/.exec(said)?.[1]
    if (tool === undefined) return /Final Answer: (.*)/.exec(said)?.[1] ?? ''
    const input = /Action Input: "?(.*)"?/.exec(said)?.[1] ?? ''
    scratchpad += `${said}Observation: ${await TOOLS[tool]?.(input)}\nThought:`
  }
}

async function complete(prompt: string): Promise<string> {
  const messages = [{ role: 'user' as const, content: prompt }]
  if (mode !== 'streamed') {
    const { choices } = await client.chat.completions.create({ ...asked, messages, stream: false })
    return choices[0]?.message.content ?? ''
  }
  let text = ''
  const stream = await client.chat.completions.create({
    ...asked,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  })
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  return text
}

serveRounds(ask, mode === 'streamed' ? LONG_ANSWER : ANSWER)
