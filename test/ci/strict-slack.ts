/**
 * `tsx test/ci/strict-slack.ts FOLDER [--bare]`: runs the suites for any Slack against the strict Slack of FOLDER
 * (`slack.mjs`), which is not ours. `--bare` removes what a plain emulator does not know. vitest counts; the exit code
 * is also 1 if that Slack had to refuse a call of the bot.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { ROOT } from '../../src/base/package-root.ts'

/** The part of the strict Slack that is used here. */
interface StrictSlack {
  apiUrl: string
  faults: { method: string; error: string; times: number }[]
  refusals: { method: string; why: string }[]
  close(): Promise<void>
}

const SUITES = ['test/slack/any-slack.test.ts', 'test/slack/any-front-door.test.ts']
const CHANNEL = 'C0GENERAL1'
/** Matches refused calls that the suites make intentionally. */
const MEANT = /thinkaloud\.noSuchMethod|C0NOWHERE99/

/** The methods and kinds of blocks that a plain emulator does not know. */
const UNKNOWN_METHODS = [
  ...['agents.sessions.setStatus', 'assistant.threads.setStatus', 'assistant.search.info', 'blocks.validate'],
  ...['chat.startStream', 'chat.postEphemeral', 'files.getUploadURLExternal', 'views.publish'],
]
const UNKNOWN_BLOCKS = ['container', 'context_actions', 'data_table', 'data_visualization', 'plan', 'task_card']

const bare = { type: 'boolean', default: false } as const
const { values, positionals } = parseArgs({ options: { bare }, allowPositionals: true })
const [folder] = positionals
if (!folder) throw new Error('Where is the strict Slack? tsx test/ci/strict-slack.ts FOLDER [--bare]')

const module: { startSlack(options: { refuseTypes: string[] }): Promise<StrictSlack> } = await import(
  pathToFileURL(resolve(folder, 'slack.mjs')).href
)
const slack = await module.startSlack({ refuseTypes: values.bare ? UNKNOWN_BLOCKS : [] })
for (const method of values.bare ? UNKNOWN_METHODS : [])
  slack.faults.push({ method, error: 'unknown_method', times: Infinity })
const code = await runSuites({
  TEST_SLACK_URL: slack.apiUrl,
  TEST_SLACK_TOKEN: 'xoxb-any-slack',
  TEST_SLACK_CHANNEL: CHANNEL,
})
await slack.close()
const refused = slack.refusals.filter(({ method, why }) => !MEANT.test(`${method} ${why}`))
for (const { method, why } of refused) console.log(`that Slack refused ${method}: ${why}`)
process.exitCode = code === 0 && refused.length === 0 ? 0 : 1

/** Runs vitest in a separate process that ends with this one. Returns its exit code. */
async function runSuites(env: Record<string, string>): Promise<number | null> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...SUITES], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const end = () => void child.kill()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
  const [status] = (await once(child, 'exit')) as [number | null]
  return status
}
