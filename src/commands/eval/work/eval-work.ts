/** `npm run eval -- --set work`: questions of a working day, with their own small tools, and follow-ups. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentParts } from '../../../question/agent/agent-parts.ts'
import { agentOf, type EvalDeps } from '../run-set.ts'
import { nameOf, type EvalOptions, type Variant } from '../options.ts'
import { askFollowUps } from './ask-follow-ups.ts'
import { AnsweredFile } from '../answered.ts'
import { askWork, workOutcome, type WorkOutcome } from './ask-work.ts'
import { WORK_QUESTIONS } from './work-questions.ts'
import { workTable, type WorkSide } from './work-table.ts'
import { workTools } from './work-tools.ts'

type WorkSetOptions = Extract<EvalOptions, { kind: 'work' }>

/** Asks one side after the other, and one question after the other, because a small machine answers one at a time. */
export async function evalWork(options: WorkSetOptions, deps: EvalDeps): Promise<string> {
  mkdirSync(options.out, { recursive: true })
  const sides: WorkSide[] = []
  for (const variant of options.variants) {
    const parts = await agentOf(variant, deps, ({ file }) => deps.progress.write(`${file} is left out.\n`))
    try {
      sides.push(await askSide(variant, parts, options, deps))
    } finally {
      await parts.close()
    }
  }
  const table = workTable(sides)
  writeFileSync(join(options.out, 'results.json'), `${JSON.stringify(sides, null, 2)}\n`)
  writeFileSync(join(options.out, 'results.md'), `# A working day\n\n${deps.now().toISOString()}\n\n${table}\n`)
  const right = sides.reduce((sum, { outcomes }) => sum + outcomes.filter(({ isRight }) => isRight).length, 0)
  const of = sides.reduce((sum, { outcomes }) => sum + outcomes.length, 0)
  return `${table}\n\nWritten to ${options.out}: results.md, results.json\n${right} of ${of} right`
}

async function askSide(
  variant: Variant,
  { defaults, condenseModel: model, prompts }: AgentParts,
  options: WorkSetOptions,
  deps: EvalDeps,
): Promise<WorkSide> {
  const { signal, progress } = deps
  const name = nameOf(variant)
  const answered = new AnsweredFile(join(options.out, `${name.replace(/[^\w.-]+/g, '-')}.jsonl`), workOutcome)
  const agent = { ...defaults, tools: workTools() }
  const questions = WORK_QUESTIONS.slice(0, options.limit)
  const outcomes: WorkOutcome[] = []
  for (const [i, asked] of questions.entries()) {
    const known = answered.of(asked)
    const outcome = known ?? (await askWork(asked, agent, signal))
    if (!known) answered.keep(outcome)
    outcomes.push(outcome)
    progress.write(`${name} ${i + 1}/${questions.length} ${outcome.isRight ? 'right' : 'wrong'}: ${asked.question}\n`)
  }
  const followUps = await askFollowUps(model, prompts, agent.newNonce, signal, options.limit)
  return { name, outcomes, followUps }
}
