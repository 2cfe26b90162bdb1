/** `npm run doctor [-- --json]`: looks at everything that the bot stands on, and says what is wrong with it. Ends with 1 if anything is. */
import { parseArgs } from 'node:util'
import { settledWithin } from './async.ts'
import { loadConfig, readEnv, secretsOf, type Config, type Env } from './config.ts'
import { findingsOf, withoutSecrets, type Finding } from './doctor/finding.ts'
import { findingsTable } from './doctor/findings-table.ts'
import { ConfigError, messageOf } from './errors.ts'
import { createLog, type Log } from './log.ts'
import { createNetwork } from './proxy.ts'

const USAGE = `Usage: npm run doctor [-- --json]
  A line for each thing that the bot stands on: settings, Slack, model, Redis, tools, MCP servers, clock. It makes a few small
  calls of the model, uses each tool once, writes nothing anywhere. Ends with 1 if it finds a fault. --json: one JSON object.`

const settings = findingsOf('settings')

/** @throws ConfigError for an option that there is not */
function wantsJson(args: string[]): boolean {
  try {
    return parseArgs({ args, options: { json: { type: 'boolean' } } }).values.json === true
  } catch {
    throw new ConfigError(USAGE)
  }
}

/** Each part bounds what it does; this is for what does not let itself be ended, such as a tool of one's own that hangs. */
const AREA_MS = 60_000

/** All areas at once: none waits for another's time-out. One that breaks down is a fault of its own. */
async function look(): Promise<Finding[]> {
  let [env, config]: [Env, Config | undefined] = [{}, undefined]
  try {
    env = readEnv()
    config = loadConfig(env)
  } catch (error) {
    return messageOf(error)
      .split('\n')
      .map((sentence) => settings.fault(sentence.split(' ')[0] ?? '', sentence))
  }
  const secrets = secretsOf(config)
  // Only what it says of itself is printed: the parts' own log lines would say it twice.
  const found = await lookAtAreas(config, env, createLog('silent', undefined, secrets))
  return [settings.ok('all', 'Every setting can be read.'), ...found].map((one) => withoutSecrets(one, secrets))
}

async function lookAtAreas(config: Config, env: Env, log: Log): Promise<Finding[]> {
  const net = await createNetwork(config)
  const parts = { log, net }
  const [{ slackFindings }, { modelFindings }, { redisFindings }, { toolFindings, mcpFindings }, { timeFindings }] =
    await Promise.all([
      import('./doctor/slack-findings.ts'),
      import('./doctor/model-findings.ts'),
      import('./doctor/redis-findings.ts'),
      import('./doctor/tool-findings.ts'),
      import('./doctor/time-findings.ts'),
    ])
  const areas = await Promise.all([
    looked('Slack', slackFindings(config, net)),
    looked('model', modelFindings(config, parts)),
    looked('Redis', redisFindings(config, log)),
    looked('tools', toolFindings(config, parts)),
    looked('MCP', mcpFindings(config, env, log)),
    looked('time', timeFindings(config, { net, now: Date.now })),
  ])
  return areas.flat()
}

async function looked(area: string, looking: Promise<Finding[]>): Promise<Finding[]> {
  const { fault } = findingsOf(area)
  const found = looking.catch((error: unknown) => [fault('look', messageOf(error))])
  if (await settledWithin(AREA_MS, [found])) return found
  return [fault('look', `It was given up after ${AREA_MS / 1000} s: something of it neither answers nor ends.`)]
}

/** A table as wide as the terminal; in a pipe a line each. */
function print(findings: Finding[], asJson: boolean): void {
  const isWell = findings.every(({ outcome }) => outcome !== 'fault')
  if (asJson) console.log(JSON.stringify({ ok: isWell, findings }, null, 2))
  else console.log(findingsTable(findings, process.stdout.isTTY ? process.stdout.columns || undefined : undefined))
  process.exitCode = isWell ? 0 : 1
}

try {
  const asJson = wantsJson(process.argv.slice(2))
  if (process.stdout.isTTY && !asJson) console.log('Looking: it takes a minute at most.\n')
  print(await look(), asJson)
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
// A connection or a server's program may still be closing.
process.stdout.write('', () => process.exit())
