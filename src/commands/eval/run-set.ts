import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AgentParts, AgentSources } from '../../question/agent/agent-parts.ts'
import { createAgent } from '../../question/agent/create-agent.ts'
import type { Config } from '../../config.ts'
import { loadDemo } from '../cli/demo.ts'
import { ConfigError } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { checkBudgetPrices } from '../../model/prices.ts'
import { createNetwork } from '../../base/http/proxy.ts'
import { leftOutSentence } from '../../toolbox/toolbox.ts'
import { AnsweredFile } from './answered.ts'
import { keptOutcome } from './ask-agent.ts'
import { nameOf, type EvalOptions, type Variant } from './options.ts'
import { Progress, type ProgressStream } from './progress.ts'
import { loadQuestions, type EvalQuestion } from './parse-set.ts'
import { writeReport } from './report.ts'
import { askAll } from './ask-all.ts'
import { scoreAll, summarise } from './eval-summary.ts'

type AskOptions = Extract<EvalOptions, { kind: 'ask' }>

export interface EvalDeps {
  config: Config
  /** Ends the evaluation; the answers so far are kept. */
  signal: AbortSignal
  progress: ProgressStream
  now: () => Date
}

/**
 * Asks a question set, one side of the comparison after the other, and writes the report.
 * @returns the text for stdout.
 * @throws ConfigError if the set, the model or a dialect's tools are missing, or if every question failed.
 */
export async function evalQuestions(options: AskOptions, deps: EvalDeps): Promise<string> {
  const questions = await loadQuestions(options.file, options.limit)
  const leftOut = reportOnce(deps.progress)
  const agents = await Promise.all(options.variants.map((variant) => agentOf(variant, deps, leftOut)))
  const title = `${basename(options.file)}, ${questions.length} questions`
  const report = { title, at: deps.now().toISOString(), sides: [] as Awaited<ReturnType<typeof evalSide>>[] }
  try {
    mkdirSync(options.out, { recursive: true })
    for (const [i, variant] of options.variants.entries()) {
      report.sides.push(await evalSide(variant, agents[i]!, questions, options, deps))
    }
  } finally {
    await Promise.all(agents.map((agent) => agent.close()))
  }
  return writeReport(options.out, report)
}

/** @throws ConfigError before anything is asked */
export async function agentOf(
  { dialect, model }: Variant,
  { config, now }: EvalDeps,
  leftOut: ReportLeftOut,
): Promise<AgentParts> {
  const isDemo = model === 'demo'
  if (!isDemo && !config.OPENAI_API_KEY && !config.OPENAI_BASE_URL)
    throw new ConfigError('No model is set. Set OPENAI_API_KEY or OPENAI_BASE_URL, or try --model demo.')
  const demo = isDemo ? await loadDemo() : undefined
  if (demo && dialect !== demo.DEMO_DIALECT)
    throw new ConfigError(`The demo knows only the dialect ${demo.DEMO_DIALECT}, not ${dialect}. Try --dialect text.`)
  const asked = { ...config, OPENAI_MODEL: model, AGENT_DIALECT: dialect }
  const log = createLog('silent')
  if (!isDemo) checkBudgetPrices(asked, log, ['RUN_MAX_USD'])
  const net = await createNetwork(config)
  return createAgent(asked, { log, net, now, model: demo?.demoModel({ isBare: true }), leftOut })
}

type ReportLeftOut = NonNullable<AgentSources['leftOut']>

/** All sides load the same tools, so each skipped tool is reported once. */
function reportOnce(progress: ProgressStream): ReportLeftOut {
  const reported = new Set<string>()
  return (one) => {
    const sentence = leftOutSentence(one)
    if (!reported.has(sentence)) progress.write(`${sentence}\n`)
    reported.add(sentence)
  }
}

async function evalSide(
  variant: Variant,
  { defaults }: AgentParts,
  questions: EvalQuestion[],
  options: AskOptions,
  deps: EvalDeps,
) {
  const asked = questions.map((one) => ({ ...one, question: `${one.question} ${options.append}`.trim() }))
  const label = nameOf(variant)
  const answered = new AnsweredFile(join(options.out, `${label.replace(/[^\w.-]+/g, '-')}.jsonl`), keptOutcome)
  const progress = new Progress(deps.progress, { label, total: asked.length, now: () => deps.now().getTime() })
  const { concurrency } = options
  const outcomes = await askAll(asked, { agent: defaults, answered, progress, concurrency, signal: deps.signal })
  const scored = scoreAll(asked, outcomes)
  const failure = scored.find((one) => one.error !== undefined)
  if (failure && scored.every((one) => one.error !== undefined)) throw new ConfigError(`${label}: ${failure.error}`)
  if (failure) deps.progress.write(`${label}: question ${failure.id} failed: ${failure.error}\n`)
  return { summary: summarise(variant, scored), questions: scored }
}
