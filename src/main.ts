/** `npm start`: reads the settings, starts the bot, stops it on SIGTERM or SIGINT. */
import type { Bot } from './bot.ts'
import { asksHelp } from './commands/command.ts'
import { droppedSettings, loadConfig, readEnv, readEnvFile, secretsOf, unknownSettings } from './config.ts'
import { ConfigError, messageOf } from './base/errors.ts'
import { createLog } from './base/log.ts'

const USAGE = `Usage: npm start
  Starts the bot with the settings of the environment and of .env; .env.example lists them all.
  First time? npm run slack creates the Slack app and fills in .env, npm run doctor checks everything.`

async function main(): Promise<void> {
  if (asksHelp(process.argv.slice(2))) return console.log(USAGE)
  const env = readEnv()
  const config = loadConfig(env, { serves: true })
  const log = createLog(config.LOG_LEVEL, undefined, secretsOf(config))
  for (const sentence of [...droppedSettings(env), ...unknownSettings(env, readEnvFile())]) log.warn(sentence)
  let bot: Bot | undefined = undefined
  let stopping: Promise<void> | undefined
  const stop = (signal: string) => {
    if (stopping) return
    // Nothing was accepted yet, and a container's first process does not end on a signal by itself.
    if (!bot) process.exit(0)
    log.info({ signal }, 'stopping')
    stopping = bot.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(messageOf(error)),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('unhandledRejection', (error) => log.error({ error: messageOf(error) }, 'a promise was rejected unseen'))
  // Loaded only now, because it is large: the usage and a wrong setting are told at once.
  const { startBot } = await import('./bot.ts')
  bot = await startBot(config, { log })
  console.log(bot.summary)
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) fail(error.message)
  fail(`Thinkaloud could not start: ${messageOf(error)}`)
})
