import type { KnownBlock } from '@slack/web-api'
import { inTime, inTurn } from '../../base/async.ts'
import type { RunRecord } from '../../stores/archive/types.ts'
import { expiringCache, type ExpiringCache } from '../../base/expiring-cache.ts'
import { isPrivate } from '../../stores/runs/types.ts'
import { isOf, type Person } from '../../base/place.ts'
import type { PersonFacts } from '../client/people-and-channels.ts'
import type { NoFacts } from '../client/directory.ts'
import type { Installation } from '../client/installations.ts'
import { Mentions } from '../client/mentions.ts'
import type { Schedule } from '../../stores/schedules/types.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import { adminBlocks } from '../views/home-tools.ts'
import { section } from '../format/blocks.ts'
import { homeView, type HomeContent } from '../views/home.ts'
import { header } from '../views/plain-blocks.ts'
import { scheduleBlocks } from '../views/schedule-blocks.ts'
import { useBlocks } from '../views/home-use.ts'
import { connectionsOf } from '../subcommands/connections-command.ts'
import { isAdmin } from '../intake/may-set.ts'
import { inBackground } from '../presses/button-press.ts'
import { signedView } from '../presses/signed-metadata.ts'
import type { QuestionWork } from '../question-work.ts'
import { mayRead, useOfTeam } from './usage-report.ts'
import { areSchedulesOff, type Services } from '../services.ts'

/** The person whose Home it is. */
export interface HomeOf extends Person {
  /** The direct message with the person. */
  channel: string
  installation: Installation
  /** The result of a press on a schedule's button, as mrkdwn. */
  note?: string | undefined
}

/** Publishes a person's Home in its current state. */
export type PublishHome = (of: HomeOf) => Promise<void>

/** Time limit for loading the Home's parts, in ms. A slower part is left out. */
const PATIENCE_MS = 2_500
/** How long one publishing may hold up the next of the same person, in ms. */
const PUBLISH_MS = 30_000
const ASKED_SHOWN = 10
const WRITES_SHOWN = 10
/** Slack accepts 100 blocks, and a schedule takes three. */
const SCHEDULES_SHOWN = 10
/** The number of channels that are looked up for an admin, to show the schedules there. */
const CHANNELS_LOOKED_AT = 20
/** Time limit for looking up names, in ms. */
const NAMES_MS = 1_000
const LINK_MS = 60 * 60_000
const MAX_LINKS = 10_000

/** The maximum number of open Homes that are tracked for a team. */
const MAX_OPEN = 100

const FROM_HOME = 'ask-home-'

/** The thread, until its root is posted, of a question that is asked on the Home. */
export function homeThread(press: string): string {
  return `${FROM_HOME}${press}`
}

/** Notes that a person has opened the Home, for `renewHome` in any process. */
export function noteOpenHome({ team, user, channel }: HomeOf, { home, now }: Services): Promise<void> {
  return home.open.add(team, `${user} ${channel}`, now().getTime())
}

async function openHomeOf({ team, user }: Person, { home }: Services): Promise<string | undefined> {
  const open = (await home.open.newest(team, MAX_OPEN)).find((one) => one.startsWith(`${user} `))
  return open?.slice(user.length + 1)
}

/**
 * Publishes the Home again after a question that was asked there, or by somebody who has opened it lately: Slack
 * reports only when a Home is opened, and people who stay on it would see an old list. In the background, because the
 * question is answered.
 */
export function renewHome({ question, installation, services }: QuestionWork): void {
  inBackground('home', services, async () => {
    const { id, team, user } = question
    const isFromHome = id.split(':')[2]?.startsWith(FROM_HOME) === true
    const channel = isFromHome ? question.channel : await openHomeOf({ team, user }, services)
    if (channel !== undefined) await homePublisher(services)({ team, user, channel, installation })
  })
}

interface Publishing {
  links: ExpiringCache<string>
  turns: Map<string, Promise<unknown>>
}

/** Keyed by the store of Homes, which all apps of the process share. */
const publishings = new WeakMap<Services['home'], Publishing>()

/** Returns the publisher of Homes. Homes of one person are published in turn, so the newest state is shown last. */
export function homePublisher(services: Services): PublishHome {
  const { links, turns } = publishingOf(services)
  return (of) => {
    const { team, user, installation } = of
    const work = async () => {
      const view = signedView(homeView(await contentOf(of, links, services)), of)
      await installation.client.call('views.publish', { user_id: user, view }, { effort: 'once' })
    }
    return inTurn(turns, `${team}:${user}`, PUBLISH_MS, work)
  }
}

function publishingOf({ home, now }: Services): Publishing {
  const known = publishings.get(home)
  if (known) return known
  const links = expiringCache<string>({ ttlMs: LINK_MS, max: MAX_LINKS, now: () => now().getTime() })
  const fresh = { links, turns: new Map<string, Promise<unknown>>() }
  publishings.set(home, fresh)
  return fresh
}

async function contentOf(of: HomeOf, links: ExpiringCache<string>, services: Services): Promise<HomeContent> {
  const { team, user, channel, installation } = of
  const { settingsFor, usage, archive, agent } = services
  const facts = ifKnown(installation.directory.factsOf(team, user))
  const [settings, left, connections, asked, own, person, others, admin] = await Promise.all([
    ifKnown(settingsFor({ team, channel })),
    ifKnown(usage.limits?.left({ team, user })),
    ifKnown(connectionsOf({ team, user }, services)),
    ifKnown(
      archive
        .lastOf({ team, user }, ASKED_SHOWN)
        .then(async (records) => askedOf(await theirs(records, of), of, links)),
    ),
    areSchedulesOff(services) ? undefined : ifKnown(services.schedules.list({ team, user })),
    facts,
    facts.then((person) => (isAdmin(person) ? ifKnown(othersSchedules(of, services)) : undefined)),
    facts.then((person) => (isAdmin(person) ? adminBlocksOf(of, services) : undefined)),
  ])
  const maySeeSettings = settings !== undefined && person !== undefined && maySee(settings, person)
  const tools = settings && (await toolsOf(settings, of, services))
  const shown = settings && tools && { ...settings, tools: tools.on }
  return {
    channel,
    settings: shown,
    examples: services.operator.examples,
    left,
    connections,
    asked,
    maySeeSettings,
    schedules: schedulesOf(of, own ?? [], others ?? [], services.now().getTime()),
    ...(isAdmin(person) ? { toolsOff: tools?.off ?? agent.choices.toolsOff } : {}),
    admin,
  }
}

/** The person's own schedules, and for an admin those of other people. */
function schedulesOf(
  { team, note, installation: { directory } }: HomeOf,
  own: Schedule[],
  others: Schedule[],
  now: number,
): KnownBlock[] {
  if (note === undefined && own.length + others.length === 0) return []
  const nameOf = (id: string) => directory.personName(team, id) ?? 'somebody'
  return [
    header(others.length > 0 ? 'Schedules' : 'Your schedules'),
    ...(note === undefined ? [] : [section(note)]),
    ...scheduleBlocks({ own, others, now, nameOf }, SCHEDULES_SHOWN),
  ]
}

/** Other people's schedules in the channels that an admin may read. */
async function othersSchedules(of: HomeOf, services: Services): Promise<Schedule[]> {
  const { schedules } = services
  const { team, user, installation } = of
  if (areSchedulesOff(services)) return []
  const all = (await schedules.list({ team })).filter((one) => one.user !== user && !one.channel.startsWith('D'))
  const channels = [...new Set(all.map(({ channel }) => channel))].slice(0, CHANNELS_LOOKED_AT)
  const readable = await Promise.all(channels.map((channel) => mayRead(channel, of)))
  const others = all.filter(({ channel }) => readable[channels.indexOf(channel)])
  const people = others.slice(0, SCHEDULES_SHOWN).map((one) => one.user)
  if (people.length > 0) await installation.directory.lookUp(team, people, NAMES_MS)
  return others
}

/** A search tool counts as off if the workspace does not let apps search. */
async function toolsOf({ tools }: Settings, { installation }: HomeOf, { search, agent }: Services) {
  const isOff =
    (await search.info?.isOn(installation)) === false || installation.client.refusals.has('assistant.search.context')
  const on = tools.filter((tool) => !(isOff && tool.needsSearch))
  const off = tools
    .filter((tool) => !on.includes(tool))
    .map(({ name }) => ({ name, why: 'this workspace does not let apps search, or the app lacks the scope for it' }))
  return { on, off: [...agent.choices.toolsOff, ...off] }
}

async function adminBlocksOf(of: HomeOf, services: Services): Promise<KnownBlock[]> {
  const { audit, installations, agent, home, now } = services
  const { team, user } = of
  const { directory } = of.installation
  // If several workspaces share the MCP servers, only the operator manages them.
  const isOperators = installations.servesMany ? ((await ifKnown(installations.servesMany())) ?? true) : false
  const mcpAdmin = isOperators ? undefined : agent.mcpAdmin
  const [use, writes, needLogin, off] = await Promise.all([
    ifKnown(useOfTeam(of, services)),
    ifKnown(audit.list({ team }, WRITES_SHOWN)),
    ifKnown(mcpAdmin?.needLogin()),
    ifKnown(mcpAdmin?.off()),
    ifKnown(home.admins.add(team, user, now().getTime())),
  ])
  const people = writes?.flatMap(({ askedBy, decidedBy }) => [askedBy, decidedBy ?? askedBy])
  await directory.lookUp(team, people ?? [], NAMES_MS)
  const nameOf = (id: string) => {
    const name = directory.personName(team, id)
    return name === undefined ? id : `@${name}`
  }
  return [...(use ? useBlocks(use) : []), ...adminBlocks(writes, nameOf, needLogin, off)]
}

/** Resolves to undefined on failure or timeout: the Home is shown without that part. */
function ifKnown<T>(promise: Promise<T> | undefined): Promise<T | undefined> {
  return inTime(PATIENCE_MS, Promise.resolve(promise), undefined).catch(() => undefined)
}

/** People who may change the settings may see them, except guests and people from connected workspaces. */
function maySee({ settingsBy }: Settings, person: PersonFacts | NoFacts): boolean {
  if (typeof person === 'string' || person.isGuest || person.isExternal) return false
  return settingsBy === 'members' || person.isAdmin
}

/** The index of a person's runs knows no workspace: somebody of another company may have the same id. */
async function theirs(records: RunRecord[], { team, user, installation }: HomeOf): Promise<RunRecord[]> {
  if (records.every(({ question }) => question.userTeam === undefined)) return records
  const homes = await installation.directory.homesOf({ team, user })
  const person = { team, user, ...(homes !== 'unreachable' && { homes }) }
  return records.filter(({ question }) => isOf(person, question))
}

function askedOf(
  records: RunRecord[],
  { installation }: HomeOf,
  links: ExpiringCache<string>,
): Promise<NonNullable<HomeContent['asked']>> {
  return Promise.all(
    records.map(async (record) => {
      const text = new Mentions(installation.directory, record.question).forPeople(record.question.text)
      return { record, text, url: await linkTo(record, installation, links) }
    }),
  )
}

/** Links to the answer, or else to the question. A private question has no link. */
async function linkTo(
  { posts, question }: RunRecord,
  { client }: Installation,
  links: ExpiringCache<string>,
): Promise<string | undefined> {
  const { channel } = question
  if (isPrivate(question)) return undefined
  const ts = posts['answer-1'] || question.ts || question.thread
  const known = links.get(`${channel}:${ts}`)
  if (known !== undefined) return known
  try {
    const { permalink } = await client.call('chat.getPermalink', { channel, message_ts: ts }, { effort: 'once' })
    if (typeof permalink !== 'string' || !URL.canParse(permalink)) return undefined
    links.set(`${channel}:${ts}`, permalink)
    return permalink
  } catch {
    return undefined
  }
}
