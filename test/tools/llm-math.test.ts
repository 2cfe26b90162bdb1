import { expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/base/backoff.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { loadPrompts } from '../../src/base/prompts.ts'
import { createToolbox } from '../../tools/index.ts'
import { runTool, toolContext } from '../harness/tool-context.ts'

async function solve(question: string, reply: string) {
  const http = createToolHttp({ timeoutMs: 10_000, clocks: { now: Date.now, sleep } })
  onTestFinished(() => http.close())
  const tools = createToolbox({ http, prompts: loadPrompts(), settings: { TOOLS: ['llm_math'] } })
  const asked: string[] = []
  const ask = async (prompt: string) => {
    asked.push(prompt)
    return reply
  }
  const outcome = runTool(tools, { tool: 'llm_math', input: { question } }, toolContext({ ask }))
  return {
    asked,
    text: await outcome.then(
      ({ text }) => text,
      (error: Error) => error.message,
    ),
  }
}

test('the model turns words into an expression, and the calculator evaluates it', async () => {
  const { text, asked } = await solve('What is his age, 29, raised to the 0.23 power?', '29^0.23')
  expect(text).toBe('Answer: 2.169459462491557')
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('Problem: What is his age, 29, raised to the 0.23 power?')
})

test('an expression needs no model call', async () => {
  const { text, asked } = await solve('29^0.23', 'unused')
  expect(text).toBe('Answer: 2.169459462491557')
  expect(asked).toEqual([])
})

test.each(['```text\n6*7\n```', 'Expression: 6*7', 'Sure!\n6*7', '`6*7`', '6*7 =', '```\n6*7\n```\nThat is 42.'])(
  'the expression is found in %j',
  async (reply) => {
    expect((await solve('six times seven', reply)).text).toBe('Answer: 42')
  },
)

test('other text of the model is not evaluated', async () => {
  expect((await solve('how many?', 'import os; os.system("ls")')).text).toMatch(/^The model wrote ".*" for this\. /)
})

test('an empty response is reported in a sentence', async () => {
  expect((await solve('how many?', '  ')).text).toBe('The model wrote no expression for this.')
})

test('without its prompt it evaluates expressions only, and says why', async () => {
  const http = createToolHttp({ timeoutMs: 10_000, clocks: { now: Date.now, sleep } })
  onTestFinished(() => http.close())
  const tools = createToolbox({ http, settings: { TOOLS: ['llm_math'] } })
  const use = (question: string) => runTool(tools, { tool: 'llm_math', input: { question } }, toolContext())
  expect((await use('6*7')).text).toBe('Answer: 42')
  await expect(use('six apples')).rejects.toMatchObject({ name: 'ToolError', message: expect.stringContaining('six') })
})
