import { parseArgs } from 'node:util'
import { settledWithin } from '../../base/async.ts'
import { droppedSettings, loadConfig, secretsOf, unknownSettings, type Config, type Env } from '../../config.ts'
import { ConfigError, messageOf } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { createNetwork } from '../../base/http/proxy.ts'
import { findingsAbout, withoutSecrets, type CheckServices, type Finding } from './finding.ts'
import { findingsTable } from './findings-table.ts'
import { modelFindings } from './model-findings.ts'
import { redisFindings } from './redis-findings.ts'
import { slackFindings } from './slack-findings.ts'
import { timeFindings } from './time-findings.ts'
import { mcpFindings, toolFindings } from './tool-findings.ts'

export const USAGE = `Usage: npm run doctor [-- --json]
  Checks everything that the bot depends on: settings, Slack, model, Redis, tools, MCP servers, clock. Makes a few small model
  calls, tries most tools once, and writes nothing. Exit code 1 if anything is wrong. --json prints one JSON object.`

const settings = findingsAbout('settings')

/** @throws ConfigError for an unknown option */
function wantsJson(args: string[]): boolean {
  try {
    return parseArgs({ args, options: { json: { type: 'boolean' } } }).values.json === true
  } catch {
    throw new ConfigError(USAGE)
  }
}

/** The time of one area, in ms. Each check bounds its own work, but a hanging custom tool, for example, has no end. */
const AREA_MS = 60_000

async function allFindings({ readEnv, now }: DoctorOptions): Promise<Finding[]> {
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
  // Only findings are printed: log lines of the parts would repeat them.
  const services = { log: createLog('silent', undefined, secrets), net: await createNetwork(config), now }
  const found = await checkAreas(config, env, services)
  const read = [settings.ok('all', 'All settings are valid.'), ...oddSettings(env)]
  return [...read, ...found].map((one) => withoutSecrets(one, secrets))
}

/** Names that are no settings: removed ones, and what looks like a typing error. */
function oddSettings(env: Env): Finding[] {
  const sentences = [...droppedSettings(env), ...unknownSettings(env)]
  return sentences.map((sentence) => settings.note(sentence.split(' ')[0] ?? '', sentence))
}

/** Checks all areas at once, so that none waits for another's time-out. An area that breaks down is a fault itself. */
async function checkAreas(config: Config, env: Env, services: CheckServices): Promise<Finding[]> {
  const areas = await Promise.all([
    withinTime('Slack', slackFindings(config, services)),
    withinTime('model', modelFindings(config, services)),
    withinTime('Redis', redisFindings(config, services)),
    withinTime('tools', toolFindings(config, services)),
    withinTime('MCP', mcpFindings(config, env, services)),
    withinTime('time', timeFindings(config, services)),
  ])
  return areas.flat()
}

async function withinTime(area: string, checks: Promise<Finding[]>): Promise<Finding[]> {
  const { fault } = findingsAbout(area)
  const found = checks.catch((error: unknown) => [fault('look', messageOf(error))])
  if (await settledWithin(AREA_MS, [found])) return found
  return [fault('look', `It did not finish within ${AREA_MS / 1000} s.`)]
}

interface DoctorOptions {
  args: string[]
  /** Returns the settings. @throws ConfigError if they cannot be read, which is a finding */
  readEnv: () => Env
  /** Milliseconds since the epoch, with fractions. */
  now: () => number
  /**
   * The output for the table. `columns` is a terminal's width, 0 if it is unknown. Without it each finding is one line.
   */
  output: { print(text: string): void; columns?: number | undefined }
}

/** Checks, and prints the findings. @returns the exit code @throws ConfigError for an unknown option */
export async function doctor(options: DoctorOptions): Promise<number> {
  const { args, output } = options
  const asJson = wantsJson(args)
  if (output.columns !== undefined && !asJson) output.print('Checking… This takes up to a minute.\n')
  const findings = await allFindings(options)
  const isHealthy = findings.every(({ outcome }) => outcome !== 'fault')
  if (asJson) output.print(JSON.stringify({ ok: isHealthy, findings }, null, 2))
  else output.print(findingsTable(findings, output.columns || undefined))
  return isHealthy ? 0 : 1
}
