/** `npm run doctor [-- --json]`: looks at everything that the bot stands on, and says what is wrong with it. Ends with 1 if anything is. */
import { parseArgs } from 'node:util'
import { loadConfig, readEnv, secretsOf, type Config, type Env } from './config.ts'
import { findingsOf, type Finding } from './doctor/finding.ts'
import { findingsTable } from './doctor/findings-table.ts'
import { ConfigError, messageOf } from './errors.ts'
import { createLog } from './log.ts'
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

/** All areas at once: none waits for another's time-out. One that breaks down is a fault of its own. */
async function look(env: Env): Promise<Finding[]> {
  let config: Config
  try {
    config = loadConfig(env)
  } catch (error) {
    return messageOf(error)
      .split('\n')
      .map((sentence) => settings.fault(sentence.split(' ')[0] ?? '', sentence))
  }
  // Only what it says of itself is printed: the parts' own log lines would say it twice.
  const log = createLog('silent', undefined, secretsOf(config))
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
  return [settings.ok('all', 'Every setting can be read.'), ...areas.flat()]
}

async function looked(area: string, findings: Promise<Finding[]>): Promise<Finding[]> {
  return findings.catch((error: unknown) => [findingsOf(area).fault('look', messageOf(error))])
}

try {
  const asJson = wantsJson(process.argv.slice(2))
  const findings = await look(readEnv())
  const isWell = findings.every(({ outcome }) => outcome !== 'fault')
  console.log(asJson ? JSON.stringify({ ok: isWell, findings }, null, 2) : findingsTable(findings))
  process.exitCode = isWell ? 0 : 1
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
// A connection or a server's program may still be closing.
process.stdout.write('', () => process.exit())
