/** An organisation with an app, in one of the ways in which it can have it, and a company that is connected to it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../playground/base/until.ts'
import type { Json } from '../../playground/slack/slack.ts'
import { ALLOW_ONCE } from '../../src/slack/format/action-ids.ts'
import type { Env } from '../../src/config.ts'
import type { Ends } from './ends.ts'
import { startManyBot } from './many-bot.ts'
import { manySlacks, type ManySlacks } from './many-slacks.ts'
import { act, finish } from './played-model.ts'

export const ORG = { id: 'E0ORG000001', team: 'T0ORGONE001' }
export const SECOND = 'T0ORGTWO001'
export const OTHER = { id: 'E0OTHER0001', team: 'T0OTHERONE1' }
export const ALICE = 'W0ALICE0001'
export const BOB = 'W0BOB000001'
const SECRET = 'secret-of-org'

/** The ways in which an organisation has its app. */
export const WAYS = {
  'a distributed app': () => ({}),
  'an app of its own': (slack) => ({
    ...{ SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '', PUBLIC_URL: '', ALLOW_TEAMS: '', SECRETS_KEY: '' },
    ...{ SLACK_BOT_TOKEN: slack.tokenOf(ORG), SLACK_SIGNING_SECRET: SECRET },
  }),
  'an app of SLACK_APPS': async (slack, t) => {
    const folder = await mkdtemp(join(tmpdir(), 'thinkaloud-organisation-'))
    t.onTestFinished(() => rm(folder, { recursive: true }))
    const SLACK_APPS = join(folder, 'apps.json')
    const app = { name: 'org', botToken: slack.tokenOf(ORG), signingSecret: SECRET }
    await writeFile(SLACK_APPS, JSON.stringify({ apps: [app] }))
    const none = { SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '', PUBLIC_URL: '', ALLOW_TEAMS: '', SECRETS_KEY: '' }
    return { ...none, SLACK_SIGNING_SECRET: '', SLACK_APPS }
  },
} satisfies Record<string, (slack: ManySlacks, t: Ends) => Env | Promise<Env>>
export type Way = keyof typeof WAYS

export type OrganisationBot = Awaited<ReturnType<typeof startOrganisation>>

/** Starts a bot in the organisation. `running`: a Slack that runs already, for a second process. */
export async function startOrganisation(t: Ends, way: Way, env: Env = {}, running?: ManySlacks) {
  const slack = running ?? (await manySlacks(t))
  slack.state.teamsOf = (home) => (home === ORG.id ? [ORG.team, SECOND] : [OTHER.team])
  // Both are people of the organisation, in two of its workspaces. Others are of another company.
  slack.state.person = (user): Json =>
    [ALICE, BOB].includes(user)
      ? { team_id: ORG.team, enterprise_user: { enterprise_id: ORG.id, teams: [ORG.team, SECOND] } }
      : { team_id: 'T0STRANGE01', is_stranger: true, enterprise_user: undefined }
  const own = await WAYS[way](slack, t)
  const bot = await startManyBot(t, {
    slack,
    env: () => ({ CUSTOM_TOOLS_DIR: 'test/fixtures/approval-tools', ...own, ...env }),
  })
  if (way === 'a distributed app' && !running) await bot.install({ id: ORG.id })
  const secret = way === 'a distributed app' ? undefined : SECRET
  const by = secret === undefined ? {} : { secret }
  const mention = (text: string, more: Json = {}) => slack.mention(ORG, text, { ...by, ...more })
  /** Asks for a note, which needs an approval. @returns the value of the card's buttons */
  const waits = async (channel: string, more: Json = {}) => {
    const call = act('I write it down.', 'notebook', JSON.stringify({ title: channel, text: 'x' }))
    bot.model.on(`write ${channel}`, call, finish('Written down.'))
    await mention(`write ${channel}`, { channel, user: ALICE, ...more })
    const isCard = ({ method, args }: { method: string; args: Json }) =>
      method === 'chat.postMessage' && args['channel'] === channel && JSON.stringify(args).includes(ALLOW_ONCE)
    const card = await until(() => slack.calls.find(isCard), 'a card')
    await until(() => bot.logs.some((line) => line.includes(channel) && line.includes('waits for a person')), 'a wait')
    const id = `${ORG.team}:${channel}:[\\d.]+`
    return String(new RegExp(`\\d+ ${id} ${id}`).exec(JSON.stringify(card.args)))
  }
  const press = (action: string, value: string, channel: string, [id, team_id]: readonly [string, string]) =>
    slack.press({ id: ORG.id }, { action, value, channel, user: { id, team_id }, ...by })
  const written = (channel: string) =>
    slack.posts().filter((post) => post.channel === channel && post.text.includes('Written down.')).length
  return { ...bot, by, mention, waits, press, written }
}
