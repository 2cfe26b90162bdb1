/**
 * `npm run bench -- reader`: the ms of CPU to read a megabyte of difficult text in every dialect, as the median of
 * several runs (target: 100); the same for other readers of a model's whole text; and the number of ordinary
 * completions per second.
 */
import { fenceObservation } from '../../src/agent/observation.ts'
import { readBracket } from '../../src/agent/dialects/bracket.ts'
import { readConversational } from '../../src/agent/dialects/conversational.ts'
import { readJson } from '../../src/agent/dialects/json.ts'
import { readSelfAsk } from '../../src/agent/dialects/self-ask.ts'
import { readText } from '../../src/agent/dialects/text.ts'
import { ObservationCut, beginsObservation, cutWhole } from '../../src/agent/parser/observation-cut.ts'
import { estimateUsage } from '../../src/model/tokens.ts'
import { answerContents } from '../../src/slack/format/answer-messages.ts'
import { dialect } from '../harness/dialect.ts'

const RUNS = 3
const LIMIT_MS = 100
const MEGABYTE = 1_000_000
const TOOLS = ['search', 'Finish']

const READERS: Record<string, (text: string) => unknown> = {
  text: (text) => readText(text, TOOLS),
  json: (text) => readJson(text, TOOLS),
  bracket: (text) => readBracket(text, TOOLS),
  conversational: (text) => readConversational(text, TOOLS),
  'self-ask': (text) => readSelfAsk(text),
  'the cut': cutOf,
  'in pieces': (text) => streamed(text),
  native: (text) => dialect('native').read({ text }, []),
  defused: (text) => fenceObservation(text, 'f00d11'),
}

/** Reads a text as a stream, some characters at a time. */
function streamed(text: string): ObservationCut {
  const cut = new ObservationCut(beginsObservation)
  for (let at = 0; at < text.length && !cut.push(text.slice(at, at + 7)); at += 7);
  return cut
}

/** Units that are repeated up to a megabyte. */
const UNITS = [
  ...[
    '[',
    '"',
    "'",
    '`',
    'Action:',
    '{',
    '\n',
    ' \n',
    'Action:\n',
    '行动：\n',
    'Thought: ',
    '```json\n',
    '```\n',
    '#\n',
  ],
  ...['<think>', '<think></think>', '</think>', '<thinking>\n', '[THINK]', '◁think▷', '<|channel|>analysis<|message|>'],
  ...[
    '<|im_end|>.',
    '<|channel|>',
    '<|start|>assistant',
    '<!--',
    '- Action: x\n',
    '1. Thought\n',
    '🔧 Action: ',
    '<b>Action:</b> ',
  ],
  ...[
    '[Action] ',
    'Action - x\n',
    '<action>',
    '<answer>',
    '<function=',
    '<function=search>',
    '<function=search><parameter=q>',
  ],
  ...[
    '<invoke name="search">',
    '<tool_call>search\n',
    '<arg_key>q</arg_key><arg_value>',
    '[TOOL_CALLS]search',
    '<｜tool▁call▁begin｜>',
  ],
  ...[
    'commentary to=search ',
    '>>>search\n',
    'search(',
    'search(a="',
    '[search(a=1), ',
    'search[',
    '"\'`[{',
    'Action Input: x\n',
  ],
  ...[
    'Final Answer: ',
    'Answer: a\n',
    'Question: a\n',
    'Observation',
    '. Final Answer: ',
    'a.b.',
    'functions.',
    '字',
    '\u00ad',
    '\v',
  ],
]

/** Whole texts of a megabyte, for which both ends matter. */
const TEXTS: Record<string, string> = {
  'blanks, then a character': `${' '.repeat(MEGABYTE)}x`,
  'a backtick, blanks, a character': `\`${' '.repeat(MEGABYTE)}x`,
  'brackets, closed': '['.repeat(MEGABYTE / 2) + ']'.repeat(MEGABYTE / 2),
  'an input without an end': `Action: search\nAction Input: ${'x'.repeat(MEGABYTE)}`,
  'an input of labels': `Action: search\nAction Input: ${'Action: y\n'.repeat(MEGABYTE / 10)}`,
  'a call of quotes': `search(a="${'" '.repeat(MEGABYTE / 2)}`,
}

const ORDINARY = [
  'Thought: I should search.\nAction: search\nAction Input: the record for solving a cube\nObservation: 3.05 s',
  '**Thought:** I now know.\n**Final Answer:** 3.05 seconds\n\n- by a person\n- in 2025',
  'Thought: so\nAction:\n```json\n{\n  "action": "search",\n  "action_input": {"query": "x", "limit": 3}\n}\n```',
  ' I need to look it up.\nAction 2: Search[Rubik’s Cube [puzzle]]',
]

export async function run(): Promise<void> {
  const speed = ordinaryASecond()
  console.log(
    `${'a megabyte of'.padEnd(34)}${Object.keys(READERS)
      .map((name) => name.padStart(15))
      .join('')}`,
  )
  const repeated = UNITS.map((unit) => row(JSON.stringify(unit), megabyteOf(unit)))
  const slowest = Math.max(...repeated, ...Object.entries(TEXTS).map(([name, text]) => row(name, text)))
  const beside = await besideTheReader()
  console.log(
    `slowest reading ${slowest.toFixed(0)} ms, slowest beside it ${beside.toFixed(0)} ms (to hold: ${LIMIT_MS}); ` +
      `ordinary completions: ${speed} a second`,
  )
  if (slowest > LIMIT_MS || beside > LIMIT_MS) throw new Error(`A megabyte took longer than ${LIMIT_MS} ms.`)
}

/** Prints one row. Returns its slowest reading. */
function row(name: string, text: string): number {
  const times = Object.values(READERS).map((read) => median(() => read(text)))
  console.log(`${name.padEnd(34)}${times.map((ms) => `${ms.toFixed(0)} ms`.padStart(15)).join('')}`)
  return Math.max(...times)
}

/**
 * Measures other readers of a model's whole text: an answer on its way to Slack, and the estimate of unreported tokens.
 */
async function besideTheReader(): Promise<number> {
  const units = ['http://a.b/(', '字', 'x', '[', '*a', '`', '> ', '| a ', '<', '\n']
  let slowest = 0
  // Loading and compilation at the first use are not measured.
  await estimateUsage('a model', [], megabyteOf('warm up, '))
  for (const unit of ['warm *up*\n', ...units]) answerOf(megabyteOf(unit))
  for (const unit of units) {
    const text = megabyteOf(unit)
    const markdown = cpuMs(() => answerOf(text))
    const before = process.cpuUsage()
    await estimateUsage('a model', [{ role: 'user', content: text }], text)
    const { user, system } = process.cpuUsage(before)
    // Both sides of a call are counted, so it is two megabytes.
    const tokens = (user + system) / 2000
    console.log(
      `${JSON.stringify(unit).padEnd(34)}${`${markdown.toFixed(0)} ms as an answer`.padStart(25)}${`${tokens.toFixed(0)} ms as tokens`.padStart(25)}`,
    )
    slowest = Math.max(slowest, markdown, tokens)
  }
  return slowest
}

function answerOf(text: string) {
  return answerContents({ text, sources: [], question: '', allowedHosts: [], footer: '' })
}

/** Returns a megabyte as JSON on the wire. */
function megabyteOf(unit: string): string {
  return unit.repeat(Math.ceil(MEGABYTE / Buffer.byteLength(unit)))
}

function median(work: () => unknown): number {
  const times = Array.from({ length: RUNS }, () => cpuMs(work)).sort((a, b) => a - b)
  return times[RUNS >> 1] ?? 0
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function ordinaryASecond(): number {
  const from = performance.now()
  let done = 0
  while (performance.now() - from < 500) {
    for (const text of ORDINARY) for (const read of [readText, readJson, readBracket]) read(text, TOOLS)
    done += 3 * ORDINARY.length
  }
  return Math.round((done * 1000) / (performance.now() - from))
}

function cutOf(text: string): string {
  return cutWhole(text).text
}
