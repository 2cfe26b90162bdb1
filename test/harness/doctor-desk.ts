import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { readEnv } from '../../src/config.ts'
import { doctor as runDoctor } from '../../src/commands/doctor/check-all.ts'
import { startLocalSlack } from '../../playground/slack/slack.ts'
import { startWiki } from '../../playground/wiki/wiki.ts'
import { envFor } from './bot.ts'
import { runCommand, temporaryFolder } from './command.ts'
import { playModel, type PlayedRequest, type Turn } from './played-model.ts'
import { startInTerminal } from './terminal.ts'

/** A model that passes every check. */
export function able(request: PlayedRequest): Turn {
  if (request.images.length > 0) return 'Red.'
  if (!request.body.tools) return { text: 'ready, 1, 2, 3', chunkMs: 80 }
  if (request.body.messages.some(({ role }) => role === 'tool')) return 'There are 318 pieces.'
  return { toolCalls: [{ id: 'c1', name: 'stock_level', arguments: '{"article": "K-4711"}' }] }
}

const MAIN = 'src/commands/doctor.ts'

/** Sets up everything that the doctor checks, without faults. `more` overrides settings; an empty value removes one. */
export async function doctorDesk(t: TestContext, script: (request: PlayedRequest) => Turn = able) {
  const slack = await startLocalSlack()
  t.onTestFinished(() => slack.close())
  const model = await playModel(t, script)
  const wiki = await startWiki()
  t.onTestFinished(() => wiki.close())
  const env = { ...envFor({ slack, model, wiki }, 'socket'), TOOLS: 'calculator,wikipedia' }
  const folder = await temporaryFolder(t)
  const settings = (more: Record<string, string>) => {
    const given = Object.entries({ ...env, ...more }).filter((entry): entry is [string, string] => Boolean(entry[1]))
    return Object.fromEntries(given)
  }
  /** Runs the doctor in this process. */
  const doctor = async (more: Record<string, string> = {}, args: string[] = [], columns?: number) => {
    let stdout = ''
    const output = { print: (text: string) => void (stdout += `${text}\n`), columns }
    const code = await runDoctor({
      now: Date.now,
      args,
      readEnv: () => readEnv(join(folder, '.env'), settings(more)),
      output,
    })
    return { code, stdout }
  }
  /** Runs `npm run doctor`. */
  const started = () => runCommand(t, MAIN, { env: settings({}), cwd: folder })
  const inTerminal = (more: Record<string, string> = {}, columns = 80) =>
    startInTerminal(t, MAIN, { env: settings(more), cwd: folder, columns })
  return { slack, model, wiki, doctor, started, inTerminal, folder }
}

/** Returns the line of a finding, without the columns' spaces. */
export function line(stdout: string, area: string, name: string): string | undefined {
  const words = stdout.split('\n').map((one) => one.replace(/ {2,}/g, ' · '))
  return words.find((one) => new RegExp(`^${area} · \\w+ · ${name} ·`).test(one))?.trim()
}
