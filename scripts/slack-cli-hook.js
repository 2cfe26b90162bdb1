/**
 * `node scripts/slack-cli-hook.js get-hooks | get-manifest [FILE] | start`: the hooks of the Slack CLI (named in
 * .slack/hooks.json), by its protocol: https://github.com/slackapi/slack-cli, .github/cli-sdk-specification.md. The CLI
 * runs them in the project's folder. @slack/cli-hooks would need a manifest.json beside our manifest.yml, and would
 * start a file that is not built yet.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MANIFESTS = ['manifest.yml', 'manifest.agent.yml']

const read = (path) => readFileSync(join(ROOT, path), 'utf8')

/**
 * In the protocol `message-boundaries` the answer is between two boundaries that the CLI passes. Otherwise it is the
 * whole stdout.
 */
function answer(value) {
  const [, boundary = ''] = process.argv.map((arg) => /^--boundary=(.+)$/.exec(arg)).find(Boolean) ?? []
  console.log(boundary + JSON.stringify(value) + boundary)
}

/** Starts the bot in this process, so that it ends with the hook. It uses the app that the CLI has installed. */
async function start() {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'build-if-stale.js')], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  const { SLACK_CLI_XOXB: bot, SLACK_CLI_XAPP: app } = process.env
  // These replace the tokens of .env, which the CLI passes on and which may belong to another app.
  if (bot) process.env.SLACK_BOT_TOKEN = bot
  if (app) process.env.SLACK_APP_TOKEN = app
  await import('../dist/src/main.js')
}

const [hook, file = MANIFESTS[0]] = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))

if (hook === 'get-hooks') answer(JSON.parse(read('.slack/hooks.json')))
else if (hook === 'get-manifest' && MANIFESTS.includes(file)) answer(load(read(file)))
else if (hook === 'start') await start()
else {
  console.error(`There is no hook ${hook ?? ''} ${file}: get-hooks, get-manifest [${MANIFESTS.join(' | ')}], start.`)
  process.exitCode = 1
}
