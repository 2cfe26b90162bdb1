/**
 * `npm run bench -- prompt`: for each dialect, the o200k tokens of the part about the bot, the place and the asker
 * (target: 250), and the smallest share of a request that begins like the one before: from step to step with and
 * without that part, and from one person's question to another's in the same channel.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import { withInstructions } from '../../src/agent/dialects/instructions.ts'
import type { Dialect, RunView } from '../../src/agent/contracts/dialect.ts'
import type { DialectName } from '../../src/config.ts'
import { dialect, step, view } from '../harness/dialect.ts'
import { aboutSample } from '../harness/about-sample.ts'
import { atMost, verdict } from './targets.ts'

const STEPS = [step(1), step(2), step(3), step(4)]
const SAMPLES = [
  aboutSample('Alice', 'Mon, 30 Nov 2026, 09:14'),
  aboutSample('Bob', 'Mon, 30 Nov 2026, 11:02'),
] as const

export async function run(): Promise<void> {
  const tokens = Math.max(...SAMPLES.map(({ about, asked }) => countTokens(`${about}\n${asked}`)))
  console.log(`the part about itself: ${atMost(tokens, 250)} tokens`)
  console.log('dialect          step to step  without it  question to question  without it')
  for (const name of Object.keys(DIALECTS) as DialectName[]) {
    const bare = dialect(name)
    const [of, ofOther] = SAMPLES.map((sample) => withAbout(bare, sample)) as [Dialect, Dialect]
    const row = [
      steps(of),
      steps(bare),
      shared(first(of), first(ofOther, 'When?')),
      shared(first(bare), first(bare, 'When?')),
    ]
    console.log(`${name.padEnd(17)}${row.map((share) => `${(share * 100).toFixed(1)} %`.padEnd(14)).join('')}`)
    if (steps(of) < Math.min(0.9, steps(bare))) throw new Error(`${name}: ${verdict(false)}`)
  }
}

function withAbout(bare: Dialect, { about, asked }: (typeof SAMPLES)[number]): Dialect {
  const told = withInstructions(bare, about)
  return { ...told, render: (view) => told.render({ ...view, askedIn: asked }) }
}

function request(of: Dialect, more: Partial<RunView>): string {
  const { messages, tools = [] } = of.render(view(more))
  return JSON.stringify(tools) + JSON.stringify(messages)
}

const first = (of: Dialect, question = 'Who?') => request(of, { question })

function steps(of: Dialect): number {
  const requests = STEPS.map((_, n) => request(of, { steps: STEPS.slice(0, n) }))
  return Math.min(...requests.slice(1).map((next, i) => shared(requests[i]!, next)))
}

/** The share of a request with which the next one begins. */
function shared(one: string, next: string): number {
  const at = Array.from(one).findIndex((char, i) => char !== next[i])
  return (at < 0 ? one.length : at) / one.length
}
