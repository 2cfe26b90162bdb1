import type { App } from '@slack/bolt'
import { settledWithin } from '../../async.ts'
import type { RunRecord } from '../../archive/types.ts'
import type { Person } from '../../history/types.ts'
import { ExpiringMap } from '../../history/expiring-map.ts'
import { isPrivate } from '../../run/types.ts'
import type { Installation } from '../../workspace/installations.ts'
import type { Settings } from '../../workspace/settings.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import { EXAMPLES, homeView, type HomeParts } from '../views/home-view.ts'
import { inBackground } from './pressed.ts'
import { recipientOf, type ListenerOptions } from './to-question.ts'

/** A Home is published at most once in this time for a person, in ms. */
const AGAIN_MS = 3_000
/** What is not known by then is left out, in ms. */
const PATIENCE_MS = 2_500
const ASKED_SHOWN = 10
/** How long prompts that a person was given stay, and how long an app that may give none is not asked again. Milliseconds. */
const PROMPTED_MS = 60 * 60_000
const REFUSED_MS = 24 * PROMPTED_MS
const LINK_MS = 60 * 60_000
const MOST = 10_000

interface Opened extends Person {
  /** The direct message with the person. */
  channel: string
  installation: Installation
}

/** `app_home_opened`: the Home is published afresh; where it is the direct message that is opened, questions are suggested. */
export function listenToAppHomeOpened(app: App, options: ListenerOptions): void {
  const now = () => options.now().getTime()
  const recently = new ExpiringMap<true>({ ttlMs: AGAIN_MS, maxSize: MOST, now })
  const prompts = promptsOf(now)
  const links = new ExpiringMap<string>({ ttlMs: LINK_MS, maxSize: MOST, now })
  app.event('app_home_opened', async ({ event, context }) => {
    const recipient = await recipientOf({ context }, options)
    const installation = recipient && (await options.installations.of(recipient.team))
    const { user, channel, tab } = event
    const key = `${recipient?.team}:${user}:${tab}`
    if (!installation || recently.has(key)) return
    recently.set(key, true)
    const opened = { team: recipient.team, user, channel, installation }
    if (tab === 'home') inBackground('app_home_opened', options, () => publishHome(opened, links, options))
    else inBackground('app_home_opened', options, () => prompts(opened))
  })
}

async function publishHome(opened: Opened, links: ExpiringMap<string>, options: ListenerOptions): Promise<void> {
  const view = homeView(await partsOf(opened, links, options))
  await opened.installation.client.call('views.publish', { user_id: opened.user, view }, { effort: 'once' })
}

async function partsOf(opened: Opened, links: ExpiringMap<string>, options: ListenerOptions): Promise<HomeParts> {
  const { team, user, channel, installation } = opened
  const { settingsFor, limits, archive, choices } = options
  const [settings, left, asked, person] = await Promise.all([
    inTime(settingsFor({ team, channel })),
    inTime(limits?.left({ team, user })),
    inTime(archive.lastOf({ team, user }, ASKED_SHOWN).then((records) => askedOf(records, opened, { links, options }))),
    inTime(installation.directory.factsOf(team, user)),
  ])
  const maySeeSettings = settings !== undefined && person !== undefined && maySee(settings, person)
  return { channel, settings, left, asked, maySeeSettings, toolsOff: choices.toolsOff }
}

/** Undefined where it fails or takes too long: the Home is shown without it. */
async function inTime<T>(promise: Promise<T> | undefined): Promise<T | undefined> {
  if (!promise || !(await settledWithin(PATIENCE_MS, [promise]))) return undefined
  return promise.catch(() => undefined)
}

type PersonFacts = Awaited<ReturnType<Installation['directory']['factsOf']>>

/** The settings are shown to those who may change them, but to no guests and nobody of a connected workspace. */
function maySee({ settingsBy }: Settings, person: PersonFacts): boolean {
  if (typeof person === 'string' || person.isGuest || person.isExternal) return false
  return settingsBy === 'members' || person.isAdmin
}

function askedOf(
  records: RunRecord[],
  { installation }: Opened,
  { links, options }: { links: ExpiringMap<string>; options: ListenerOptions },
): Promise<NonNullable<HomeParts['asked']>> {
  return Promise.all(
    records.map(async (record) => {
      const text = options.namesIn(installation, record.question).shown(record.question.text)
      return { record, text, url: await linkTo(record, installation, links) }
    }),
  )
}

/** Where the answer stands in Slack, or the question; nowhere where it is private. */
async function linkTo(
  { posts, question }: RunRecord,
  { client }: Installation,
  links: ExpiringMap<string>,
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

/** Suggests questions in the direct message of an agent app. A plain app is refused that: it is remembered. */
function promptsOf(now: () => number): (opened: Opened) => Promise<void> {
  const prompted = new ExpiringMap<true>({ ttlMs: PROMPTED_MS, maxSize: MOST, now })
  const refused = new ExpiringMap<true>({ ttlMs: REFUSED_MS, maxSize: MOST, now })
  return async ({ team, user, channel, installation }) => {
    if (refused.has(team) || prompted.has(`${team}:${user}`)) return
    try {
      const args = { channel_id: channel, prompts: EXAMPLES }
      await installation.client.call('assistant.threads.setSuggestedPrompts', args, { effort: 'once' })
      prompted.set(`${team}:${user}`, true)
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error
      if (error.code !== 'ratelimited') refused.set(team, true)
    }
  }
}
