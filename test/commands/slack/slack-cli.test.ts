import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { load } from 'js-yaml'
import { z } from 'zod'
import { ROOT } from '../../../src/base/package-root.ts'
import { until } from '../../../playground/base/until.ts'
import { endOf, temporaryFolder } from '../../harness/command.ts'
import { builtFile } from '../../harness/compiled-sources.ts'
import { localSlack } from '../../harness/local-slack.ts'
import { textOf } from '../../harness/project-files.ts'

const t = { onTestFinished }

/** The part of hooks.json that the CLI reads: SDKCLIConfig of internal/hooks/sdk_config.go. */
const config = z
  .strictObject({
    runtime: z.literal('node'),
    hooks: z.strictObject({ 'get-hooks': z.string(), 'get-manifest': z.string(), start: z.string() }),
    config: z.strictObject({
      'protocol-version': z.array(z.enum(['message-boundaries', 'default'])),
      'sdk-managed-connection-enabled': z.literal(true),
      watch: z.strictObject({ manifest: z.strictObject({ paths: z.array(z.string()) }) }),
    }),
  })
  .parse(JSON.parse(textOf('.slack/hooks.json')))

interface Hooked {
  stdout(): string
  ended: Promise<number | null>
  signal(name: NodeJS.Signals): void
}

/** Runs a hook as the CLI does: its words are split at blanks and joined again for a shell, in the project's folder. */
function run(script: string, { args = [] as string[], env = {} as Record<string, string>, cwd = ROOT } = {}): Hooked {
  const line = [...script.split(/\s+/), ...args].join(' ')
  const child = spawn('sh', ['-c', `exec ${line}`], { cwd, env: { PATH: process.env.PATH, ...env } })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  return { stdout: () => stdout, ended: endOf(t, child), signal: (name) => void child.kill(name) }
}

/**
 * Returns the part of an answer that the CLI keeps: the text between the two boundaries in its newer protocol, all of
 * it in the first one.
 */
async function answerOf(script: string, protocol: 'message-boundaries' | 'default'): Promise<unknown> {
  const boundary = '6361666562616265d41d8cd98f00b204'
  const args = protocol === 'default' ? [] : [`--protocol=${protocol}`, `--boundary=${boundary}`]
  const hook = run(script, { args })
  expect(await hook.ended).toBe(0)
  const parts = hook.stdout().trimEnd().split(boundary)
  expect(parts).toHaveLength(protocol === 'default' ? 1 : 3)
  return JSON.parse(parts.length === 1 ? (parts[0] ?? '') : (parts[1] ?? ''))
}

describe('the Slack CLI’s hooks', () => {
  const PROTOCOLS = ['message-boundaries', 'default'] as const
  test.for(PROTOCOLS)('get-hooks prints hooks.json, in the protocol %s', async (protocol) => {
    expect(await answerOf(config.hooks['get-hooks'], protocol)).toEqual(config)
  })

  test.for(PROTOCOLS)('get-manifest prints manifest.yml as JSON, in the protocol %s', async (protocol) => {
    expect(await answerOf(config.hooks['get-manifest'], protocol)).toEqual(load(textOf('manifest.yml')))
  })

  test('get-manifest prints the agent app’s manifest if hooks.json names it', async () => {
    const script = config.hooks['get-manifest'].replace('manifest.yml', 'manifest.agent.yml')
    expect(await answerOf(script, 'message-boundaries')).toEqual(load(textOf('manifest.agent.yml')))
  })

  test('an unknown hook and an invalid manifest end with an error', async () => {
    for (const words of ['deploy', 'get-manifest /etc/passwd']) {
      const hook = run(`node scripts/slack-cli-hook.js ${words}`)
      expect(await hook.ended).toBe(1)
      expect(hook.stdout()).toContain('There is no hook')
    }
  })

  test('watched paths and named commands exist', () => {
    for (const path of config.config.watch.manifest.paths) expect(existsSync(join(ROOT, path))).toBe(true)
    for (const script of Object.values(config.hooks))
      expect(existsSync(join(ROOT, script.split(' ')[1] ?? ''))).toBe(true)
  })

  test('config.json uses this project’s manifest, not the app page’s', () => {
    expect(JSON.parse(textOf('.slack/config.json'))).toEqual({ manifest: { source: 'local' } })
  })
})

test('start runs the bot with the CLI’s tokens, even if .env has others, and ends with the hook', async () => {
  const slack = await localSlack({ botToken: 'xoxb-of-the-cli', appToken: 'xapp-of-the-cli' })
  const project = await projectWithBuild()
  const env = {
    ...{ SLACK_CLI_XOXB: 'xoxb-of-the-cli', SLACK_CLI_XAPP: 'xapp-of-the-cli' },
    ...{ SLACK_BOT_TOKEN: 'xoxb-of-dotenv', SLACK_APP_TOKEN: 'xapp-of-dotenv' },
    ...{ SLACK_API_URL: slack.apiUrl, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', HOST: '127.0.0.1', PORT: '0' },
  }
  const hook = run(config.hooks.start, { env, cwd: project })
  const ready = () => /is ready: Socket Mode/.test(hook.stdout())
  const over = hook.ended.then((code) => Promise.reject(new Error(`It ended with ${code}:\n${hook.stdout()}`)))
  await Promise.race([until(ready, 'the bot', 150_000), over])
  over.catch(() => {})
  expect(slack.sockets.count()).toBe(1)
  hook.signal('SIGTERM')
  expect(await hook.ended).toBe(0)
})

/**
 * Creates a project with the hook, and a build that only loads the sources. It shows that the hook starts what `npm
 * start` starts.
 */
async function projectWithBuild(): Promise<string> {
  const folder = await temporaryFolder(t)
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'dist', 'src'), { recursive: true })
  writeFileSync(join(folder, 'dist', 'src', 'main.js'), `await import(${JSON.stringify(builtFile('src/main.ts'))})`)
  return folder
}
