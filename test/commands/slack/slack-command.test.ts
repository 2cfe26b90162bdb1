import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import type { LocalSlack, LocalSlackOptions } from '../../../playground/slack/slack.ts'
import { readManifest } from '../../../src/base/app-manifest.ts'
import { temporaryFolder } from '../../harness/command.ts'
import { localSlack } from '../../harness/local-slack.ts'
import { playModel, structured } from '../../harness/played-model.ts'
import { freePort } from '../../harness/redis.ts'
import { describeWithTerminal, startInTerminal, type TestTerminal } from '../../harness/terminal.ts'

const t = { onTestFinished }
const BOT = 'xoxb-1111-2222-SecretBotToken'
const APP = 'xapp-1-A0LOCAL0001-3333-SecretAppToken'
const SECRET = '8f742231b10e8888abcd99yyyzzz85a5'
const { scopes } = readManifest('plain')

interface Desk {
  slack: LocalSlack
  folder: string
  env: Record<string, string>
}

async function desk(options: LocalSlackOptions = {}, dotenv?: string): Promise<Desk> {
  const slack = await localSlack({ botToken: BOT, appToken: APP, signingSecret: SECRET, scopes, ...options })
  const folder = await temporaryFolder(t)
  if (dotenv !== undefined) writeFileSync(join(folder, '.env'), dotenv)
  return { slack, folder, env: { SLACK_API_URL: slack.apiUrl, LOCAL_MODEL_PORTS: '0' } }
}

const sit = ({ folder, env }: Desk, more: { env?: Record<string, string>; after?: string } = {}) =>
  startInTerminal(t, 'src/commands/slack.ts', { cwd: folder, ...more, env: { ...env, ...more.env } })
const dotenvOf = ({ folder }: Desk) => readFileSync(join(folder, '.env'), 'utf8')

/** Postpones the setup of the model. */
async function later(terminal: TestTerminal): Promise<void> {
  await terminal.shows('Which one? Press Enter to do this later: ')
  terminal.type('\r')
}

/** Checks that no secret, nor a part of one, was ever on the screen. */
function expectNoSecret(screen: string): void {
  for (const one of ['SecretBot', 'SecretApp', 'SecretOther', '8f742231']) expect(screen).not.toContain(one)
}

describeWithTerminal('npm run slack in a terminal', { timeout: 240_000 }, () => {
  test('leads from nothing to a .env: the link, both tokens unseen, the checks', async () => {
    const here = await desk()
    const terminal = sit(here)
    await terminal.shows('Which one? [1] ')
    terminal.type('\r')
    await terminal.shows('Open this link:')
    const link = await terminal.shows(/http:\/\/127\.0\.0\.1:\d+\//)
    const page = await fetch(link, { redirect: 'manual' })
    const address = page.headers.get('location') ?? ''
    expect(address).toMatch(/^https:\/\/api\.slack\.com\/apps\?new_app=1&manifest_yaml=/)
    expect(new URL(address).searchParams.get('manifest_yaml')).toContain('socket_mode_enabled: true')
    await terminal.shows('On another computer, open https://api.slack.com/apps?new_app=1, choose From a manifest')
    await terminal.shows('OAuth & Permissions → Bot User OAuth Token')
    await terminal.shows('SLACK_BOT_TOKEN (hidden): ')
    terminal.type(`${BOT}\r`)
    await terminal.shows('Basic Information → App-Level Tokens')
    await terminal.shows('SLACK_APP_TOKEN (hidden): ')
    terminal.type(`${APP}\r`)
    await terminal.shows('✓ The bot token belongs to @thinkaloud in the workspace Local Slack (T0LOCAL0001).')
    await terminal.shows(`✓ The app has all ${scopes.length} scopes of manifest.yml.`)
    await terminal.shows('✓ The app-level token opens Socket Mode connections.')
    await terminal.shows('Saved SLACK_BOT_TOKEN and SLACK_APP_TOKEN in .env')
    await later(terminal)
    await terminal.shows('OPENAI_API_KEY is missing')
    expect(await terminal.ended).toBe(0)
    expectNoSecret(terminal.screen())
    expect(dotenvOf(here)).toContain(`\nSLACK_BOT_TOKEN=${BOT}\n`)
    expect(dotenvOf(here)).toContain(`\nSLACK_APP_TOKEN=${APP}\n`)
    expect(statSync(join(here.folder, '.env')).mode & 0o777).toBe(0o600)
    expect(readdirSync(here.folder)).toEqual(['.env'])
  })

  test('the agent app’s manifest is offered too, and on a desktop the browser opens', async () => {
    const here = await desk()
    const opened = join(here.folder, 'opened')
    writeFileSync(join(here.folder, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`)
    chmodSync(join(here.folder, 'xdg-open'), 0o755)
    const terminal = sit(here, { env: { DISPLAY: ':0', PATH: `${here.folder}:${process.env.PATH}` } })
    await terminal.shows('Which one? [1] ')
    terminal.type('2\r')
    await terminal.shows('Your browser should open now.')
    await here.slack.until(() => existsSync(opened) && readFileSync(opened, 'utf8').includes('agent_view'), 'the page')
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
  })

  test('a signing secret instead of the app-level token means HTTP mode', async () => {
    const here = await desk()
    const terminal = sit(here)
    await terminal.shows('Which one? [1] ')
    terminal.type(`\r${BOT}\r\r`)
    await terminal.shows('https://YOUR-HOST/slack/events under Event Subscriptions')
    await terminal.shows('Basic Information → App Credentials → Signing Secret')
    await terminal.shows('SLACK_SIGNING_SECRET (hidden): ')
    terminal.type('short\r')
    await terminal.shows('✗ SLACK_SIGNING_SECRET should be the 32 characters')
    terminal.type(`${SECRET}\r`)
    await terminal.shows('✓ Events come over HTTP')
    await terminal.shows('Saved SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET in .env')
    await later(terminal)
    expect(await terminal.ended).toBe(0)
    expectNoSecret(terminal.screen())
    expect(dotenvOf(here)).toContain(`\nSLACK_SIGNING_SECRET=${SECRET}\n`)
  })

  test('a token of the wrong form is rejected at once, an unknown one by Slack; each is asked for again, with where to find it', async () => {
    const here = await desk()
    const terminal = sit(here)
    await terminal.shows('Which one? [1] ')
    terminal.type('\r')
    await terminal.shows('SLACK_BOT_TOKEN (hidden): ')
    terminal.type('\r')
    await terminal.shows('✗ Nothing was pasted.')
    terminal.type(`${APP}\r`)
    await terminal.shows('✗ A value that begins with xapp- is the app-level token. SLACK_BOT_TOKEN is under')
    terminal.type('xoxp-SecretOther\r')
    await terminal.shows('✗ A value that begins with xoxp- is a user token. SLACK_BOT_TOKEN is under')
    terminal.type('SecretOther\r')
    await terminal.shows('✗ SLACK_BOT_TOKEN should be a token that begins with xoxb-.')
    terminal.type('xoxb-SecretOther\r')
    await terminal.shows('SLACK_APP_TOKEN (hidden): ')
    terminal.type(`${BOT}\r`)
    await terminal.shows('✗ A value that begins with xoxb- is the bot token. SLACK_APP_TOKEN is under')
    terminal.type('xapp-1-A0LOCAL0001-4-SecretOther\r')
    await terminal.shows('✗ SLACK_BOT_TOKEN is not valid: revoked, or not copied completely (invalid_auth).')
    await terminal.shows('https://api.slack.com/apps/A0LOCAL0001/oauth')
    await terminal.shows('✗ SLACK_APP_TOKEN is not valid')
    await terminal.shows('https://api.slack.com/apps/A0LOCAL0001/general')
    await terminal.shows('Enter SLACK_BOT_TOKEN and SLACK_APP_TOKEN again? [Y/n] ')
    expect(existsSync(join(here.folder, '.env'))).toBe(false)
    terminal.type(`y\r${BOT}\r${APP}\r`)
    await terminal.shows(/Saved \w+.* in \.env/)
    await later(terminal)
    expect(await terminal.ended).toBe(0)
    expectNoSecret(terminal.screen())
  })

  test('an app-level token without connections:write is reported with the page that makes another; one of another app is rejected', async () => {
    const here = await desk({ appToken: 'xapp-1-A0OTHER0001-4-SecretOther' })
    here.slack.fault({ method: 'apps.connections.open', error: 'missing_scope', times: 1 })
    const terminal = sit(here)
    await terminal.shows('Which one? [1] ')
    terminal.type(`\r${BOT}\r${APP}\r`)
    await terminal.shows('✗ SLACK_APP_TOKEN lacks the scope connections:write.')
    await terminal.shows('Enter SLACK_APP_TOKEN again? [Y/n] ')
    terminal.type('y\rxapp-1-A0OTHER0001-4-SecretOther\r')
    await terminal.shows(
      '✗ The tokens belong to two apps: the bot token to A0LOCAL0001, the app-level token to A0OTHER0001.',
    )
    await terminal.shows('Enter SLACK_APP_TOKEN again? [Y/n] ')
    terminal.type('n\r')
    expect(await terminal.ended).toBe(1)
    expect(readdirSync(here.folder)).toEqual([])
    expectNoSecret(terminal.screen())
  })

  test('without a network it says so, changes nothing, and ends', async () => {
    const here = await desk()
    const terminal = sit(here, { env: { SLACK_API_URL: `http://127.0.0.1:${await freePort()}/api/` } })
    await terminal.shows('Which one? [1] ')
    terminal.type(`\r${BOT}\r${APP}\r`)
    await terminal.shows(/✗ Cannot reach 127\.0\.0\.1:\d+\./)
    await terminal.shows('behind a proxy set HTTPS_PROXY')
    expect(await terminal.ended).toBe(1)
    expect(readdirSync(here.folder)).toEqual([])
  })

  test('an existing .env keeps every other line, and its token is replaced only after a yes', async () => {
    const kept = `# mine\r\nOPENAI_API_KEY='sk-1' # key\r\nSLACK_BOT_TOKEN="xoxb-SecretOther" # old\r\nLOG_LEVEL=warn\r\n`
    const here = await desk({}, kept)
    const first = sit(here)
    await first.shows('Found existing tokens')
    await first.shows('SLACK_APP_TOKEN (hidden): ')
    first.type(`${APP}\r`)
    await first.shows('Enter SLACK_BOT_TOKEN again? [Y/n] ')
    first.type(`\r${BOT}\r`)
    await first.shows('.env already has another SLACK_BOT_TOKEN. Replace it? [y/N] ')
    first.type('\r')
    await first.shows('Nothing was changed')
    expect(await first.ended).toBe(1)
    expect(dotenvOf(here)).toBe(kept)

    const second = sit(here)
    await second.shows('SLACK_APP_TOKEN (hidden): ')
    second.type(`${APP}\r\r${BOT}\ry\r`)
    await second.shows(/Saved \w+.* in \.env/)
    await second.shows('Start it now?')
    second.type('n\r')
    expect(await second.ended).toBe(0)
    expect(dotenvOf(here)).toBe(
      `# mine\r\nOPENAI_API_KEY='sk-1' # key\r\n# npm run slack: team T0LOCAL0001, app A0LOCAL0001\r\n` +
        `SLACK_BOT_TOKEN=${BOT} # old\r\nLOG_LEVEL=warn\r\nSLACK_APP_TOKEN=${APP}\r\n`,
    )
    expectNoSecret(first.screen() + second.screen())
  })

  test('on a second run it reports another workspace; after an update it names the new scope, waits for the click, and checks again', async () => {
    const granted = scopes.filter((scope) => scope !== 'reactions:read' && scope !== 'files:write')
    const before = `# npm run slack: team T0BEFORE001, app A0LOCAL0001\nSLACK_BOT_TOKEN=${BOT}\nSLACK_APP_TOKEN=${APP}\n`
    const here = await desk({ scopes: granted }, before)
    const terminal = sit(here)
    await terminal.shows('✗ The app lacks scopes of manifest.yml: files:write, reactions:read.')
    await terminal.shows(
      'https://api.slack.com/apps/A0LOCAL0001/oauth: OAuth & Permissions → Scopes → Bot Token Scopes',
    )
    await terminal.shows('Install App → Reinstall to Workspace')
    await terminal.shows('The token belongs to another workspace than before: now T0LOCAL0001, before T0BEFORE001.')
    await terminal.shows('q and Enter to quit: ')
    granted.push('reactions:read')
    terminal.type('\r')
    await terminal.shows('! The app lacks scopes of manifest.yml: files:write. It works without them.')
    await terminal.shows('Slack is set up.')
    await later(terminal)
    expect(await terminal.ended).toBe(0)
    expect(dotenvOf(here)).toBe(before.replace('T0BEFORE001', 'T0LOCAL0001'))
  })

  test('on a second run it reports a revoked token', async () => {
    const here = await desk({ ackMs: 10, retryMs: [] }, `SLACK_BOT_TOKEN=${BOT}\nSLACK_APP_TOKEN=${APP}\n`)
    await here.slack.people.uninstall()
    const terminal = sit(here)
    await terminal.shows('✗ SLACK_BOT_TOKEN belongs to an app that was removed from its workspace (account_inactive).')
    await terminal.shows('Install App → Install to Workspace')
    await terminal.shows('Enter SLACK_BOT_TOKEN again? [Y/n] ')
    terminal.type('n\r')
    expect(await terminal.ended).toBe(1)
  })

  test('after Ctrl+C the terminal echoes, and nothing is written', async () => {
    const here = await desk()
    for (const typed of ['', `\r${BOT}`, `\r${BOT}\rxapp-`]) {
      const terminal = sit(here, { after: 'stty -a' })
      await terminal.shows('Which one? [1] ')
      terminal.type(typed)
      if (typed !== '') await terminal.shows('(hidden): ')
      terminal.type('\u0003')
      await terminal.shows('Stopped.')
      await terminal.shows(/(?<!-)\becho\b/)
      expect(await terminal.ended).toBe(130)
      expect(terminal.screen()).toMatch(/(?<!-)\bicanon\b/)
      expectNoSecret(terminal.screen())
    }
    expect(readdirSync(here.folder)).toEqual([])
  })

  test('asks for the model too, tries it, and writes it to .env; one that does not answer only on request', async () => {
    const model = await playModel(t, () => 'ready')
    const here = await desk({}, `SLACK_BOT_TOKEN=${BOT}\nSLACK_APP_TOKEN=${APP}\n`)
    const terminal = sit(here, { env: { OPENAI_MODEL: 'llama' } })
    await terminal.shows('3. The model')
    await terminal.shows('Which one? Press Enter to do this later: ')
    terminal.type('2\r')
    await terminal.shows('Address, such as http://localhost:11434/v1: ')
    terminal.type('localhost:11434\r\r')
    await terminal.shows('✗ OPENAI_BASE_URL should be an address that begins with https:// or http://.')
    terminal.type(`2\rhttp://127.0.0.1:${await freePort()}/v1\r\r\r`)
    await terminal.shows(/✗ llama: It cannot be reached \(ECONNREFUSED\)/)
    await terminal.shows('Keep these settings all the same? [y/N] ')
    terminal.type('\r')
    await terminal.shows('Which one? Press Enter to do this later: ')
    expect(dotenvOf(here)).not.toContain('OPENAI_BASE_URL=')
    terminal.type(`2\r${model.url}\rsk-SecretOther\r`)
    await terminal.shows('Model [llama]: ')
    terminal.type('played-model\r')
    await terminal.shows(/✓ played-model: It answered in \d+ ms\./)
    await terminal.shows('Saved OPENAI_BASE_URL and OPENAI_API_KEY and OPENAI_MODEL in .env.')
    await terminal.shows('Start it now? [Y/n] ')
    terminal.type('n\r')
    expect(await terminal.ended).toBe(0)
    expectNoSecret(terminal.screen())
    expect(dotenvOf(here)).toMatch(
      /^OPENAI_BASE_URL='?http:\/\/127.*\nOPENAI_API_KEY=sk-SecretOther\nOPENAI_MODEL=played-model$/m,
    )
  })

  test('offers a model that already runs on this machine, and writes the dialect that fits it', async () => {
    const model = await playModel(t, ({ raw }) =>
      raw.includes('json_schema') ? structured('answer', 'Its stock.') : 'ready',
    )
    model.lists.set('/v1/models', { data: [{ id: 'qwen2.5:1.5b' }] })
    const here = await desk({}, `SLACK_BOT_TOKEN=${BOT}\nSLACK_APP_TOKEN=${APP}\n`)
    const { port } = new URL(model.url)
    const terminal = sit(here, { env: { LOCAL_MODEL_PORTS: `${port},${await freePort()}` } })
    await terminal.shows(`3  A model server on this machine, http://127.0.0.1:${port}/v1: qwen2.5:1.5b`)
    await terminal.shows('Which one? Press Enter to do this later: ')
    terminal.type('3\r')
    await terminal.shows('Model [qwen2.5:1.5b]: ')
    terminal.type('\r')
    await terminal.shows('✓ AGENT_DIALECT=structured fits it.')
    await terminal.shows('Start it now? [Y/n] ')
    terminal.type('n\r')
    expect(await terminal.ended).toBe(0)
    expect(dotenvOf(here)).toMatch(/OPENAI_MODEL='?qwen2\.5:1\.5b'?\nAGENT_DIALECT=structured/)
  })

  test('both tokens may be pasted at once, and are not shown; then it offers to start the bot, with the new settings', async () => {
    const here = await desk()
    const terminal = sit(here, { env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', HOST: '127.0.0.1', PORT: '0' } })
    await terminal.shows('Which one? [1] ')
    terminal.type(`\r\u001b[200~${BOT}\r\n${APP}\r\n\u001b[201~`)
    await terminal.shows(/Saved \w+.* in \.env/)
    await terminal.shows('Start it now? [Y/n] ')
    terminal.type('\r')
    await here.slack.until(() => here.slack.sockets.count() > 0, 'the bot’s socket', 30_000)
    await terminal.shows('Thinkaloud')
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(0)
    expectNoSecret(terminal.screen())
  })
})
