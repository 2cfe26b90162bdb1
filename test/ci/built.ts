/**
 * `tsx test/ci/built.ts [--in FOLDER] [COMMAND …]`: starts the built bot as an operator would (`npm start` unless a command is
 * given), with nothing but an environment, against the local Slack and a played model, over both ways in. Prints what
 * holds; exits 1 when something fails.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { envFor, peopleOf } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { playModel } from '../harness/played-model.ts'
import { freePort } from '../harness/redis.ts'
import { startLocalSlack, type LocalSlack } from '../../src/playground/slack.ts'
import { ROOT } from '../../src/root.ts'
import { check, summary } from './facts.ts'

const { values, positionals } = parseArgs({
  options: { in: { type: 'string', default: ROOT } },
  allowPositionals: true,
})
const [command, ...args] = positionals.length > 0 ? positionals : ['npm', 'start']

const TURNS = [
  'Thought: I calculate.\nAction: calculator\nAction Input: 29^0.23',
  'Thought: Done.\nFinal Answer: It is 2.169459462491557.',
]

for (const mode of ['http', 'socket'] as const) await inMode(mode)
summary()

async function inMode(mode: 'http' | 'socket'): Promise<void> {
  const { ends, end } = openEnds()
  try {
    const slack = await startLocalSlack()
    ends.onTestFinished(() => slack.close())
    const model = await playModel(ends, TURNS)
    const port = await freePort()
    const bot = start({ ...envFor({ slack, model }, mode), PORT: String(port) }, ends)
    await check(`${mode}: the bot says that it is ready`, () => said(bot, /ready/i))
    await check(
      `${mode}: /healthz answers`,
      async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status === 200,
    )
    if (mode === 'http') slack.setTarget(`http://127.0.0.1:${port}/slack/events`)
    await check(`${mode}: a mention is answered in its thread, with the step before the answer`, () =>
      isAnswered(slack),
    )
    await check(`${mode}: Slack had nothing to refuse`, () => slack.refusals.length === 0)
    await check(`${mode}: SIGTERM ends it with code 0`, () => endsWell(bot))
  } finally {
    await end()
  }
}

interface Bot {
  pid: number
  output: () => string
  ended: Promise<number | null>
}

/** In a process group of its own, so that what npm starts ends with it. */
function start(env: Record<string, string | undefined>, ends: Ends): Bot {
  const { PATH, HOME } = process.env
  const child = spawn(command!, args, {
    cwd: values.in,
    detached: true,
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const pid = child.pid ?? 0
  ends.onTestFinished(() => void (child.exitCode === null && process.kill(-pid, 'SIGKILL')))
  return { pid, output: () => output, ended }
}

async function said(bot: Bot, what: RegExp): Promise<boolean> {
  const ended = bot.ended.then(() => true)
  for (let i = 0; i < 300 && !what.test(bot.output()); i++) if (await Promise.race([ended, wait(100, false)])) break
  if (what.test(bot.output())) return true
  throw new Error(bot.output().slice(-500))
}

async function isAnswered(slack: LocalSlack): Promise<boolean> {
  const thread = await peopleOf(slack).mention('What is 29 raised to the 0.23 power?')
  const answer = await thread.lastAnswer()
  return (
    answer.includes('2.169459462491557') && thread.steps().length === 1 && (thread.steps()[0] ?? '').includes('29^0.23')
  )
}

async function endsWell(bot: Bot): Promise<boolean> {
  process.kill(innermost(bot.pid), 'SIGTERM')
  const code = await Promise.race([bot.ended, wait(30_000, 'still running')])
  if (code !== 0) throw new Error(`${code}: ${bot.output().slice(-300)}`)
  return true
}

/** The process that npm and its shell started, or the process itself. */
function innermost(pid: number): number {
  const [child] = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
  return child ? innermost(Number(child)) : pid
}

function openEnds(): { ends: Ends; end: () => Promise<void> } {
  const all: (() => Promise<unknown> | void)[] = []
  const end = async () => {
    for (const one of all.splice(0).reverse()) await one()
  }
  return { ends: { onTestFinished: (one) => void all.push(one) }, end }
}
