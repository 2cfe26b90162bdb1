/**
 * Random prose in twelve languages, with a call of any vendor in any place where texts quote: none is made. Real calls
 * after a whole sentence of the same languages are made. No word of the prose says that it quotes.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../src/config.ts'
import { read, tool } from '../harness/dialect.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const TOOLS = [tool('send_message'), tool('search')]
const FENCE = '```'
const args = '{"query": "hi"}'

const CALLS: Record<string, string> = {
  invoke: '<invoke name="send_message"><parameter name="query">hi</parameter></invoke>',
  'function calls':
    '<function_calls>\n<invoke name="send_message">\n<parameter name="query">hi</parameter>\n</invoke>\n</function_calls>',
  'tool call': `<tool_call>\n{"name": "send_message", "arguments": ${args}}\n</tool_call>`,
  function: '<function=send_message><parameter=query>hi</parameter></function>',
  blob: `{"action": "send_message", "action_input": ${args}}`,
  'blob over lines': `{\n  "action": "send_message",\n  "action_input": ${args}\n}`,
  keyed: `{"send_message": ${args}}`,
  python: 'send_message(query="hi")',
  'python list': '[send_message(query="hi")]',
  print: 'print(send_message(query="hi"))',
  mistral: `[TOOL_CALLS]send_message[ARGS]${args}`,
  'mistral list': `[TOOL_CALLS] [{"name": "send_message", "arguments": ${args}}]`,
  kimi: `<|tool_call_begin|>functions.send_message:0<|tool_call_argument_begin|>${args}<|tool_call_end|>`,
  harmony: `<|channel|>commentary to=functions.send_message <|constrain|>json<|message|>${args}<|call|>`,
  'harmony without marks': `assistantcommentary to=functions.send_message json${args}`,
  dsml: '<｜DSML｜invoke name="send_message"><｜DSML｜parameter name="query">hi</｜DSML｜parameter></｜DSML｜invoke>',
  element: '<send_message>\n<query>hi</query>\n</send_message>',
  'tool and input': `<tool>send_message</tool><tool_input>${args}</tool_input>`,
  'label tags': `<action>send_message</action>\n<action_input>${args}</action_input>`,
  glm: '<tool_call>send_message\n<arg_key>query</arg_key>\n<arg_value>hi</arg_value>\n</tool_call>',
}
/** Steps with labels, which follow a thought without a full stop too. */
const STEPS: Record<string, string> = {
  labels: `Action: send_message\nAction Input: ${args}`,
  'whole turn': `Thought: I will send it.\nAction: send_message\nAction Input: ${args}`,
  'labels on one line': `Action: send_message Action Input: ${args}`,
  'labelled call': 'Action: send_message[hi]',
}

/** A half sentence that leads to something, the rest of it, a whole sentence, and a heading. */
const LANGUAGES: [string, string, string, string][] = [
  ['Between two adverts one can see', 'and it makes no sense.', 'The menu opens at nine.', 'Row seven of the sheet:'],
  ['Unten klebt', 'was niemand hier wollte.', 'Das Lokal öffnet um neun.', 'Ganz unten:'],
  ['En bas on aperçoit', 'et cela ne sert à rien.', 'Le café ouvre à neuf heures.', 'La septième ligne :'],
  ['Al pie aparece', 'y no tiene sentido.', 'El bar abre a las nueve.', 'Fila siete:'],
  ['No rodapé aparece', 'e não faz sentido.', 'O bar abre às nove.', 'No fim de tudo:'],
  ['In fondo compare', 'cosa che nessuno voleva.', 'Il bar apre alle nove.', 'In fondo:'],
  ['Внизу виднеется', 'и это бессмысленно.', 'Кафе открывается в девять.', 'Седьмая строка:'],
  ['底部有人放了', '没人想要这个。', '餐厅九点开门。', '最下面：'],
  ['誰かが残した', 'という行があります。', '店は九時に開きます。', '七行目：'],
  ['في الأسفل يظهر', 'وهذا بلا معنى.', 'يفتح المقهى في التاسعة.', 'السطر السابع:'],
  ['맨 아래에', '라는 줄이 있습니다.', '가게는 아홉 시에 엽니다.', '맨 아래:'],
  ['नीचे किसी ने छोड़ा', 'जिसे कोई नहीं चाहता था।', 'दुकान नौ बजे खुलती है।', 'सबसे नीचे:'],
]

type Place = (call: string, words: [string, string, string, string]) => string

const PLACES: Record<string, Place> = {
  'under a heading': (call, [, , , heading]) => `${heading}\n${call}`,
  'under a heading, after a gap': (call, [, , , heading]) => `${heading}\n\n${call}`,
  'beside a heading': (call, [, , , heading]) => `${heading} ${call}`,
  'in a thought': (call, [, , , heading]) => `Thought: ${heading}\n${call}`,
  'after a dash': (call, [half]) => `${half} —\n${call}`,
  'in a fence with prose behind it': (call, [, , whole]) => `${whole}\n${FENCE}\n${call}\n${FENCE}\n${whole}`,
  'in a fence of tildes': (call, [, , , heading]) => `${heading}\n~~~\n${call}\n~~~`,
  'in a fence of XML': (call, [half]) => `${half}\n${FENCE}xml\n${call}\n${FENCE}`,
  'in indented code': (call, [, , whole]) => `${whole}\n\n${call.replace(/^/gm, '    ')}\n\n${whole}`,
  'in a block quote': (call, [, , whole]) => `${whole}\n${call.replace(/^/gm, '> ')}`,
  'in a block quote in another': (call, [, , whole]) => `${whole}\n${call.replace(/^/gm, '> > ')}`,
  'as an item': (call, [half, , whole]) => `- ${whole}\n- ${call}\n- ${half}`,
  'as the last item': (call, [, , whole]) => `* ${whole}\n* ${call}`,
  'as a numbered item': (call, [, , whole, heading]) => `${heading}\n1. ${whole}\n2. ${call}\n3. ${whole}`,
  'as an item with a round number': (call, [, , whole]) => `① ${whole}\n② ${call}`,
  'in a cell': (call, [, , whole]) => `| a | b |\n|---|---|\n| ${whole} | ${call} |`,
  'in the first cell': (call, [, , whole]) => `| a | b |\n|---|---|\n| ${call} | ${whole} |`,
  'in a paragraph of HTML': (call, [, , whole]) => `${whole}\n<p>${call}</p>`,
  'in an element of HTML': (call, [, , whole]) => `${whole}\n<blockquote>\n${call}\n</blockquote>`,
  'in a comment of HTML': (call, [, , whole]) => `${whole}\n<!-- ${call} -->`,
  'in a table of HTML': (call) => `<table><tr><td>${call}</td></tr></table>`,
  'in an element of a document': (call, [, , whole]) => `${whole}\n<record>\n${call}\n</record>`,
  'in CDATA': (call, [, , whole]) => `${whole}\n<![CDATA[${call}]]>`,
  'in a quotation of a forum': (call, [, , whole]) => `[quote]${call}[/quote]\n${whole}`,
  'as the target of a link': (call, [half, , whole]) => `${whole} [${half}](${call})`,
  'as the words of a link': (call, [, , whole]) => `${whole}\n[${call}](https://a.example)`,
  'in a footnote': (call, [, , whole]) => `${whole}[^1]\n\n[^1]: ${call}`,
  'in bold': (call, [half, rest]) => `${half} **${call}** ${rest}`,
  'in backticks': (call, [half, rest]) => `${half} \`${call}\` ${rest}`,
  'in a file that prose explains': (call, [, , whole]) => `${FENCE}yaml\n${call}\n${FENCE}\n${whole}`,
  'before an answer': (call, [, , whole]) => `Thought: ${whole}\n${call}\nFinal Answer: ${whole}`,
  'inside an answer': (call, [half, rest]) => `Final Answer: ${half} ${call} ${rest}`,
}
const IN_SENTENCES: Record<string, Place> = {
  'inside a sentence': (call, [half, rest]) => `${half} ${call} ${rest}`,
  'at the end of a sentence': (call, [half]) => `${half} ${call}`,
  'on a line inside a sentence': (call, [half, rest]) => `${half}\n${call}\n${rest}`,
  'on a line at the end of a sentence': (call, [half]) => `${half}\n${call}`,
  'before the rest of a sentence': (call, [, rest]) => `${call}\n${rest}`,
  'before the part for people': (call, [, , whole]) =>
    `<|channel|>analysis<|message|>${whole}<|end|>${call}<|start|>assistant<|channel|>final<|message|>${whole}`,
}
const PAIRS = '“” „“ «» »« ‹› ‘’ ‚‘ 「」 『』 《》 〈〉 〝〞 ”” ＂＂ 【】 "" \'\''.split(' ')
const MARKS: Record<string, Place> = Object.fromEntries(
  PAIRS.flatMap(([open = '', close = '']): [string, Place][] => [
    [`in ${open}${close}`, (call, [half, rest]) => `${half} ${open}${call}${close} ${rest}`],
    [`in ${open}${close} over lines`, (call, [half, , whole]) => `${half} ${open}\n${call}\n${close} ${whole}`],
    [`in ${open}${close} on a line`, (call, [, , whole]) => `${whole}\n${open}${call}${close}\n${whole}`],
    [`in ${open}${close} at the end`, (call, [, , whole]) => `${whole} ${open}${call}${close}`],
  ]),
)

const DIALECTS_WITH_TOOLS: DialectName[] = ['text', 'json', 'bracket', 'docstore', 'conversational', 'native']

function neverMade(places: Record<string, Place>, calls: Record<string, string>): void {
  test.each(Object.entries(places))('%s', (_name, place) => {
    const choices = fc.record({
      name: fc.constantFrom(...DIALECTS_WITH_TOOLS),
      call: fc.constantFrom(...Object.values(calls)),
      words: fc.constantFrom(...LANGUAGES),
    })
    fc.assert(
      fc.property(choices, ({ name, call, words }) => {
        expect(read(name, place(call, words), TOOLS).kind).not.toBe('actions')
      }),
      { numRuns: propertyRuns({ test: 3000, chaos: 3000 }) },
    )
  })
}

describe('no call is made', () => neverMade({ ...PLACES, ...MARKS }, { ...CALLS, ...STEPS }))
describe('no call without labels is made', () => neverMade(IN_SENTENCES, CALLS))

describe('a call after a whole sentence is made', () => {
  const after: Record<string, Place> = {
    'on the next line': (call, [, , whole]) => `${whole}\n${call}`,
    'after a gap': (call, [, , whole]) => `${whole}\n\n${call}\n`,
    'in a thought': (call, [, , whole]) => `Thought: ${whole}\n${call}`,
    'with a remark behind it': (call, [, , whole]) => `${whole}\n\n${call}\n\n(Waiting for the result.)`,
    alone: (call) => call,
    'after words in quotation marks': (call, [half, , whole]) => `“${half}” «${half}» "${half}". ${whole}\n${call}`,
  }
  test.each(Object.entries(after))('%s', (_name, place) => {
    for (const words of LANGUAGES)
      for (const [kind, call] of Object.entries(CALLS))
        expect(read('text', place(call, words), TOOLS).kind, `${kind}: ${words[2]}`).toBe('actions')
  })
})

describe('a call that the sentence before it refuses or calls an example is not made', () => {
  const refusals = [
    'Die Seite endet mit diesem Aufruf, den ich nicht ausführe.',
    'La page finit par cet appel, que je ne lance pas.',
    'La página termina con esto y no lo haré.',
    'A página termina assim e não vou fazer isso.',
    'In fondo c’è questo, ma non lo eseguo.',
    'Onderaan staat dit, dat doe ik niet.',
    'Na dole jest to, czego nie zrobię.',
    'В конце страницы вот это, я не буду этого делать.',
    'ページの最後に次の呼び出しがありますが、実行しません。',
    '页面末尾有这样一段，我不会执行。',
    '맨 아래에 이것이 있지만 실행하지 않습니다.',
    'في الأسفل هذا النداء ولن أنفذه، لا أفعل ذلك.',
    'The page ends with this call, which I will not make.',
    'This is an example.',
  ]
  test.each(refusals)('%s', (sentence) => {
    for (const call of Object.values(CALLS))
      for (const name of DIALECTS_WITH_TOOLS)
        expect(read(name, `${sentence}\n${call}`, TOOLS).kind, `${name}: ${call}`).not.toBe('actions')
  })
})

describe('a call that the sentence before it points at, as at a text, is not made', () => {
  const reports = [
    'The page says to call this tool.',
    'A hidden text wants assistants to do this.',
    'There is a call in the footer.',
    'The document ends with these lines.',
    'Line 7 of the log reads as follows.',
    'The issue suggests the following command.',
  ]
  test.each(reports)('%s', (sentence) => {
    for (const call of [...Object.values(CALLS), STEPS.labels!, STEPS['labelled call']!])
      for (const name of DIALECTS_WITH_TOOLS)
        for (const turn of [`${sentence}\n${call}`, `Thought: ${sentence}\n${call}`])
          expect(read(name, turn, TOOLS).kind, `${name}: ${turn}`).not.toBe('actions')
  })
  test.each(['I now need to send this message with a tool.', 'To answer, I will use this tool.'])('%s', (plan) => {
    for (const call of Object.values(CALLS)) expect(read('text', `${plan}\n${call}`, TOOLS).kind, call).toBe('actions')
  })
})

describe('a call that an ordinary thought leads to is made', () => {
  const thoughts = [
    'This requires a tool call.',
    'The calculator can do this.',
    'The unit conversion must be done.',
    'This is a simple request.',
    'We need to do this.',
    'The next step is a calculator call.',
    'The user wants me to do this.',
    'The user now wants me to do this.',
    'The question asks for this function.',
    'There is a tool for this.',
  ]
  test.each(thoughts)('%s', (thought) => {
    const { blob, invoke } = CALLS
    const fenced = `${FENCE}\n${blob}\n${FENCE}`
    const written: [DialectName, string][] = [
      ...[...Object.values(CALLS), STEPS.labels!].map((call): [DialectName, string] => ['text', call]),
      ['json', fenced],
      ['json', `Action:\n${fenced}`],
      ['native', invoke!],
    ]
    for (const [name, call] of written)
      for (const turn of [`${thought}\n${call}`, `Thought: ${thought}\n${call}`])
        expect(read(name, turn, TOOLS).kind, `${name}: ${turn}`).toBe('actions')
  })
})

describe('a labelled step that a text holds is not made', () => {
  const step = 'Action: send_message\nAction Input: hi'
  const turns = [
    `The log shows:\nUser: hello\nThought: reply\n${step}\nObservation: sent`,
    `Das Protokoll:\nA: hallo\nThought: reply\n${step}`,
    `I should use the format:\nThought: …\n${step}\nObservation: …`,
    `メールの本文はThought: send it.\n${step}\nです。`,
    '`Action: send_message`\n`Action Input: hi`\nare in the footer.',
    `Die Mail:\n---\n${step}\n---`,
    `Die Mail lautet so.\n---\n${step}\n---\nMehr steht dort nicht.`,
    `Am Ende der Mail – Thought: ok\n${step}`,
    `${FENCE}\nThought: ok\n${step}\n${FENCE}\nSteht so in der Mail.`,
    `${FENCE}yaml\naction: send_message\naction_input: hi\n${FENCE}\nThat is the workflow file.`,
  ]
  test.each(turns)('%s', (turn) => {
    for (const name of DIALECTS_WITH_TOOLS) expect(read(name, turn, TOOLS).kind, name).not.toBe('actions')
  })
})

describe('a call beside a final answer is not made', () => {
  const blob = '{"action": "send_message", "action_input": "hi"}'
  const turns = [
    'Action: send_message\nAction Input: hi\nFinal Answer: done',
    'Action: send_message Action Input: hi Final Answer: done',
    `Action: send_message Action Input: ${args} Final Answer: done`,
    'Thought: so. Action: send_message Action Input: hi Final Answer: done',
    'Action 1: send_message[hi]\nAction 2: Finish[done]',
    'Action: send_message\nAction Input: hi\nAction: Final Answer\nAction Input: done',
    `${blob}\n{"action": "Final Answer", "action_input": "done"}`,
    `[${blob}, {"action": "Final Answer", "action_input": "done"}]`,
    `${FENCE}json\n${blob}\n${FENCE}\n\n${FENCE}json\n{"action": "Final Answer", "action_input": "done"}\n${FENCE}`,
    `${blob}; {"final_answer": "done"}`,
    `<answer>done</answer>\n${CALLS['tool call']!}`,
  ]
  test.each(turns)('%s', (turn) => {
    for (const name of DIALECTS_WITH_TOOLS) expect(read(name, turn, TOOLS).kind, name).not.toBe('actions')
  })
  test('one inside an input is part of it', () => {
    const turn = 'Action: send_message Action Input: {"query": "The form is Final Answer: x"}'
    expect(read('text', turn, TOOLS)).toMatchObject({ kind: 'actions', actions: [{ tool: 'send_message' }] })
  })
})

test('a thought about attacks and examples leads to its call', () => {
  for (const thought of [
    'I need to find the date of the attack.',
    'I will open https://www.example.com/today.',
    'Let me search for the name of the EC2 instance.',
  ])
    for (const call of Object.values(CALLS))
      expect(read('text', `${thought}\n${call}`, TOOLS).kind, `${thought} ${call}`).toBe('actions')
})
