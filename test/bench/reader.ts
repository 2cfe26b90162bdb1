/**
 * `npm run bench -- reader`: CPU milliseconds to read a megabyte of what readers choke on, in every dialect, median of
 * several runs (to hold: 100 for what the facts name), and how many ordinary completions a second there are.
 */
import {
  cutAtObservation,
  readBracket,
  readConversational,
  readJson,
  readSelfAsk,
  readText,
} from '../../src/agent/parser/index.ts'

const RUNS = 5
const LIMIT_MS = 100
const MEGABYTE = 1_000_000
const TOOLS = ['search', 'Finish']

const READERS: Record<string, (text: string) => unknown> = {
  text: (text) => readText(text, TOOLS),
  json: (text) => readJson(text, TOOLS),
  bracket: (text) => readBracket(text, TOOLS),
  conversational: (text) => readConversational(text, TOOLS),
  'self-ask': (text) => readSelfAsk(text),
  'the cut': cutAtObservation,
}

/** What the limit is for, and what is measured besides. */
const NAMED = ['[', '"', "'", '`', 'Action:']
const BESIDES = [
  '{',
  '\n',
  'Action:\n',
  '行动：\n',
  'Thought: ',
  '```json\n',
  '```\n',
  '#\n',
  '<think>',
  'search[',
  '"\'`[{',
]

const ORDINARY = [
  'Thought: I should search.\nAction: search\nAction Input: the record for solving a cube\nObservation: 3.05 s',
  '**Thought:** I now know.\n**Final Answer:** 3.05 seconds\n\n- by a person\n- in 2025',
  'Thought: so\nAction:\n```json\n{\n  "action": "search",\n  "action_input": {"query": "x", "limit": 3}\n}\n```',
  ' I need to look it up.\nAction 2: Search[Rubik’s Cube [puzzle]]',
]

export async function run(): Promise<void> {
  const speed = ordinaryASecond()
  console.log(
    `${'a megabyte of'.padEnd(16)}${Object.keys(READERS)
      .map((name) => name.padStart(16))
      .join('')}`,
  )
  const slowest = Math.max(...NAMED.map(row))
  BESIDES.forEach(row)
  console.log(
    `slowest of those named ${slowest.toFixed(0)} ms (to hold: ${LIMIT_MS}); ordinary completions: ${speed} a second`,
  )
  if (slowest > LIMIT_MS) throw new Error(`A reading took longer than ${LIMIT_MS} ms.`)
}

/** Prints one row and returns its slowest reading. */
function row(unit: string): number {
  const text = unit.repeat(MEGABYTE / unit.length)
  const times = Object.values(READERS).map((read) => median(() => read(text)))
  console.log(`${JSON.stringify(unit).padEnd(16)}${times.map((ms) => `${ms.toFixed(0)} ms`.padStart(16)).join('')}`)
  return Math.max(...times)
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
