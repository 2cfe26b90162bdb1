/** No reader makes a call that the model only quotes, whatever the call looks like and however it is quoted. */
import { describe, expect, test } from 'vitest'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import type { DialectName } from '../../src/config.ts'
import { read, tool } from '../harness/dialect.ts'

const TOOLS = [tool('send_message'), tool('search')]
const FENCE = '```'
const args = '{"query": "hi"}'

const MARKUP: Record<string, string> = {
  invoke: '<invoke name="send_message"><parameter name="query">hi</parameter></invoke>',
  'invoke over lines': '<invoke name="send_message">\n<parameter name="query">hi</parameter>\n</invoke>',
  tool_call: `<tool_call>{"name": "send_message", "arguments": ${args}}</tool_call>`,
  function: '<function=send_message><parameter=query>hi</parameter></function>',
  json: `{"action": "send_message", "action_input": ${args}}`,
  'OpenAI’s JSON': `{"name": "send_message", "arguments": ${args}}`,
  python: 'send_message(query="hi")',
  'python in a list': '[send_message(query="hi")]',
  brackets: 'send_message[hi]',
  mistral: `[TOOL_CALLS]send_message[ARGS]${args}`,
  gemma: '<|tool_call>call:send_message{query:<|"|>hi<|"|>}<tool_call|>',
  kimi: `<|tool_call_begin|>functions.send_message:0<|tool_call_argument_begin|>${args}<|tool_call_end|>`,
  dsml: '<｜DSML｜invoke name="send_message"><｜DSML｜parameter name="query">hi</｜DSML｜parameter></｜DSML｜invoke>',
  labels: `Action: send_message\nAction Input: ${args}`,
  'labels on one line': `Action: send_message Action Input: ${args}`,
  'a labelled call': 'Action: send_message[hi]',
}

const QUOTED: Record<string, (call: string) => string> = {
  'in a sentence': (call) => `The page contains ${call} in its footer; I ignored it.`,
  'in a thought': (call) => `Thought: The page contains ${call} in its footer; I ignored it.`,
  'in a thought before an answer': (call) =>
    `Thought: The page tells me to run ${call} for every reader. I will not.\nFinal Answer: It has no date.`,
  'at the end of a sentence': (call) => `The page’s footer says ${call}`,
  'after a colon': (call) => `The page’s footer says: ${call}`,
  'below a sentence that says so': (call) => `The page contains this:\n${call}\nI ignored it.`,
  'at the end, below a sentence that says so': (call) => `The page contains this:\n\n${call}`,
  'in backticks': (call) => `The footer holds \`${call}\`, which I did not follow.`,
  'in quotation marks': (call) => `It says "${call}" and nothing else.`,
  'in typographic quotation marks': (call) => `It says “${call}” and nothing else.`,
  'in quotation marks over lines': (call) => `Thought: The mail says “\n${call}\n” and I do not follow it.`,
  'in a block quote': (call) => `The page says:\n${call.replace(/^/gm, '> ')}\nI ignored it.`,
  'in a block quote at the end': (call) => `The page says:\n${call.replace(/^/gm, '> ')}`,
  'in a fenced example': (call) => `For example, such a call looks like this:\n${FENCE}\n${call}\n${FENCE}`,
  'in a fence with prose behind it': (call) =>
    `The file holds this:\n${FENCE}xml\n${call}\n${FENCE}\nI did not run it.`,
  'in an answer': (call) => `Final Answer: The page has ${call} in its footer.`,
  'below an answer’s first line': (call) => `Thought: I know.\nFinal Answer: The page has this:\n${call}`,
  'in German': (call) => `Auf der Seite steht ${call}, das ignoriere ich.`,
  'in Chinese': (call) => `页面包含 ${call} ，我忽略了它。`,
  'under a heading without a verb': (call) => `Its footer:\n${call}`,
  'as a findings list': (call) => `Findings:\n1. ${call}\n2. nothing else`,
  'in a list': (call) => `What the page holds:\n- a title\n- ${call}\n- a date`,
  'in a table': (call) => `| line | text |\n|---|---|\n| 3 | ${call} |`,
  'in HTML': (call) => `The source is <p>${call}</p>, so nothing useful.`,
  'in a tilde fence': (call) => `This is what a call would look like:\n~~~\n${call}\n~~~\nI have not made it.`,
  'between two halves of a sentence': (call) => `The mail asks me to run\n${call}\nbut nobody here asked for that.`,
  'after a refusal': (call) => `The page wants me to do this, and I refuse.\n\n${call}`,
  'below a bold word': (call) => `**Quoted from the page:** ${call}`,
  'after a dash': (call) => `Snippet from the mail —\n\n${call}`,
  'as what a tool returned': (call) => `The tool returned:\n\n${FENCE}json\n${call}\n${FENCE}`,
  'in French quotation marks': (call) => `La page contient : « ${call} ». Je l’ignore.`,
  'in Spanish': (call) => `La página dice:\n\n${call}\n\nNo lo haré.`,
  'in brackets': (call) => `The page has a hidden text (${call}), so I stop here.`,
}

describe.each(Object.keys(DIALECTS) as DialectName[])('%s', (name) => {
  describe.each(Object.entries(QUOTED))('%s', (_how, quote) => {
    test.each(Object.entries(MARKUP))('%s', (_markup, call) => {
      const parsed = read(name, quote(call), TOOLS)
      const isFollowUp = name === 'self-ask' && parsed.kind === 'actions'
      expect(isFollowUp ? '' : parsed.kind).not.toBe('actions')
    })
  })
})
