/** The real bot on a Slack of many workspaces, and the browser of a person who installs it. */
import { startBot as startRealBot, type Bot } from '../../src/bot.ts'
import { createLog } from '../../src/base/log.ts'
import { loadConfig, secretsOf, type Env } from '../../src/config.ts'
import { until } from '../../playground/base/until.ts'
import type { Ends } from './ends.ts'
import { CLIENT, SIGNING_SECRET, manySlacks, type Home, type ManySlacks } from './many-slacks.ts'
import { finish, playModel, type PlayedModel } from './played-model.ts'

export interface ManyBot {
  bot: Bot
  slack: ManySlacks
  model: PlayedModel
  logs: string[]
  url: string
  browser(): Browser
  /** Installs as a browser does. @returns the last page */
  install(home: Home): Promise<Response>
  answered(text: string): Promise<{ home: string | undefined; channel: string; text: string }>
}

export const distributed = (slack: Pick<ManySlacks, 'apiUrl'>): Env => ({
  ...{ SLACK_CLIENT_ID: CLIENT.id, SLACK_CLIENT_SECRET: CLIENT.secret, SLACK_SIGNING_SECRET: SIGNING_SECRET },
  ...{ PUBLIC_URL: 'https://bot.example.com', ALLOW_TEAMS: '*', SECRETS_KEY: 'a key that is long enough for a key' },
  ...{ SLACK_API_URL: slack.apiUrl, OPENAI_API_KEY: 'sk-played', PORT: '0', HOST: '127.0.0.1' },
  ...{ STEPS: 'hidden', SHUTDOWN_MS: '2000', TOOLS: 'calculator' },
})

export async function startManyBot(
  t: Ends,
  options: { env?: (slack: ManySlacks) => Env; rotates?: boolean; slack?: ManySlacks; aheadMs?: number } = {},
): Promise<ManyBot> {
  const slack = options.slack ?? (await manySlacks(t, { rotates: options.rotates ?? false }))
  const model = await playModel(t)
  model.on('', finish('Answered.'))
  const logs: string[] = []
  const env: Env = { ...distributed(slack), OPENAI_BASE_URL: model.url, ...options.env?.(slack) }
  const config = loadConfig(env, { serves: true })
  const log = createLog(config.LOG_LEVEL, { write: (line) => void logs.push(line) }, secretsOf(config))
  // The bot's clock is ahead of Slack's by this much.
  const { aheadMs = 0 } = options
  const bot = await startRealBot(config, { log, now: () => new Date(slack.clock.now + aheadMs) })
  t.onTestFinished(() => bot.stop())
  const url = `http://127.0.0.1:${bot.port}`
  slack.setTarget(url)
  if (env.REDIS_URL) await until(async () => (await fetch(`${url}/readyz`)).ok, 'a bot that can store questions')
  const browser = () => new Browser(url)
  return {
    ...{ bot, slack, model, logs, url, browser },
    async install(home) {
      const person = browser()
      const state = await person.begin()
      return person.comeBack({ code: slack.agree(home), state })
    },
    answered: (channel) =>
      until(() => slack.posts().find((post) => post.channel === channel), `an answer in ${channel}`),
  }
}

/** A browser that keeps cookies and does not follow redirects by itself. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly setCookies: string[] = []
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async get(path: string): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${this.#url}${path}`, { headers: { cookie }, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0(?:;|$)/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** Starts an installation. @returns its state */
  async begin(): Promise<string> {
    const response = await this.get('/slack/install')
    return new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? ''
  }

  comeBack(query: Record<string, string>): Promise<Response> {
    return this.get(`/slack/oauth_redirect?${new URLSearchParams(query).toString()}`)
  }
}
