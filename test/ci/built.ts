/**
 * `tsx test/ci/built.ts [--in FOLDER] [COMMAND …]`: starts the built bot as an operator does (default: `npm start`),
 * with only an environment, against the local Slack and a simulated model, over HTTP and Socket Mode. Prints the facts
 * that hold; exits with 1 if one fails.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startLocalSlack, type LocalSlack } from '../../playground/slack/slack.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { envFor, peopleOf } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { playModel } from '../harness/played-model.ts'
import { freePort } from '../harness/redis.ts'
import { check, summary } from './facts.ts'
import { endsWell, said, start, withEnds } from './started-process.ts'

const folder = { in: { type: 'string', default: ROOT } } as const
const { values, positionals } = parseArgs({ options: folder, allowPositionals: true })
const command = positionals.length > 0 ? positionals : ['npm', 'start']

const TURNS = [
  'Thought: I calculate.\nAction: calculator\nAction Input: 29^0.23',
  'Thought: Done.\nFinal Answer: It is 2.169459462491557.',
]

await check('nothing of the playground was built', () => !existsSync(join(values.in, 'dist/playground')))
for (const mode of ['http', 'socket'] as const) await withEnds((ends) => serves(mode, ends))
summary()

async function serves(mode: 'http' | 'socket', ends: Ends): Promise<void> {
  const slack = await startLocalSlack()
  ends.onTestFinished(() => slack.close())
  const model = await playModel(ends, TURNS)
  const port = await freePort()
  const env = { ...envFor({ slack, model }, mode), PORT: String(port) }
  const bot = start(command, { cwd: values.in, env, ends })
  await check(`${mode}: the bot says that it is ready`, () => said(bot, /ready/i))
  await check(`${mode}: /healthz answers`, async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok)
  if (mode === 'http') slack.setTarget(`http://127.0.0.1:${port}/slack/events`)
  await check(`${mode}: a mention is answered in its thread, with the step before the answer`, () => isAnswered(slack))
  await check(`${mode}: Slack had nothing to refuse`, () => slack.refusals.length === 0)
  await check(`${mode}: SIGTERM ends it with code 0`, () => endsWell(bot))
}

async function isAnswered(slack: LocalSlack): Promise<boolean> {
  const thread = await peopleOf(slack).mention('What is 29 raised to the 0.23 power?')
  const answer = await thread.lastAnswer()
  const steps = thread.steps()
  return answer.includes('2.169459462491557') && steps.length === 1 && (steps[0] ?? '').includes('29^0.23')
}
