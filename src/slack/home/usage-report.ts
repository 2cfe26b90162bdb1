import { settledWithin } from '../../base/async.ts'
import { isOf, type Person } from '../../base/place.ts'
import type { RunRecord } from '../../stores/archive/types.ts'
import { isPrivate } from '../../stores/runs/types.ts'
import { readUse, type UseSummary } from '../../stores/use/use-counts.ts'
import type { Installation } from '../client/installations.ts'
import { Mentions } from '../client/mentions.ts'
import type { UnansweredQuestion, TeamUse } from '../views/home-use.ts'
import { isMember } from '../client/channel-members.ts'
import type { Services } from '../services.ts'

/** The number of questions that are loaded, and of those that are shown. Slack accepts 100 blocks in a Home. */
const LOOKED_AT = 30
const SHOWN = 8
/** The number of ids of channels and of people that are looked up, and the time limit (ms). */
const NAMED = 8
const NAMES_MS = 1_000
/** Time limit for loading the list of questions (ms). A slower part is left out. */
const LIST_MS = 1_800

interface Admin extends Person {
  installation: Installation
}

/** Loads the figures about the use for an admin's Home. */
export async function useOfTeam(admin: Admin, services: Services): Promise<TeamUse> {
  const { team, installation } = admin
  const { directory } = installation
  const listing = readableUnanswered(admin, services)
  const [use, isListed] = await Promise.all([
    readUse(services.usage.records, [team], services.now().getTime()),
    settledWithin(LIST_MS, [listing]),
  ])
  await directory.lookUp(team, [...idsIn(use.days7), ...idsIn(use.days30)], NAMES_MS)
  return {
    ...use,
    nameOf: (user) => directory.personName(team, user) ?? user,
    channelNameOf: (channel) => placeName(channel, admin),
    unanswered: isListed ? await listing.catch(() => undefined) : undefined,
  }
}

function idsIn({ byChannel, byPerson }: UseSummary): string[] {
  const channels = Object.keys(byChannel).filter((id) => !id.startsWith('D'))
  return [...channels.slice(0, NAMED), ...Object.keys(byPerson).slice(0, NAMED)]
}

/** The name of a private channel is only shown to its members, even if an admin may see its use. */
function placeName(channel: string, { team, installation }: Admin): string {
  if (channel.startsWith('D')) return 'direct messages'
  const known = installation.directory.get(team, channel)
  if (known?.kind === 'channel' && known.isPrivate === false && known.name !== '') return `#${known.name}`
  return known === undefined ? 'other channels' : 'private channels'
}

async function unansweredRecords(team: string, { usage, archive }: Services): Promise<RunRecord[]> {
  const ids = await usage.unanswered.newest(team, LOOKED_AT)
  const records = await Promise.all(ids.map((id) => archive.load(id)))
  return records.filter((record) => record !== undefined)
}

/** Slack is asked once for each channel. */
async function readableUnanswered(admin: Admin, services: Services): Promise<TeamUse['unanswered']> {
  const records = await unansweredRecords(admin.team, services)
  const channels = new Map<string, Promise<boolean>>()
  const mayReadChannel = (channel: string) => {
    const reading = channels.get(channel) ?? mayRead(channel, admin)
    channels.set(channel, reading)
    return reading
  }
  const readable = await Promise.all(records.map((record) => maySeeQuestion(record, admin, mayReadChannel)))
  const shown = records.filter((_, i) => readable[i])
  return { shown: shown.slice(0, SHOWN).map((record) => shownOf(record, admin)), hidden: records.length - shown.length }
}

function shownOf(record: RunRecord, admin: Admin): UnansweredQuestion {
  const { question, end } = record
  const known = admin.installation.directory.get(admin.team, question.channel)
  return {
    id: question.id,
    text: new Mentions(admin.installation.directory, question).forPeople(question.text),
    place: known?.kind === 'channel' && known.name !== '' ? `#${known.name}` : placeName(question.channel, admin),
    why: end === 'gave_up' || end === 'failed' ? end : 'rated_down',
  }
}

/**
 * Returns whether an admin may read a question: their own, one in a public channel, or one in a private channel that
 * they are in.
 */
export async function maySeeQuestion(
  { question }: RunRecord,
  admin: Admin,
  mayReadChannel = (channel: string) => mayRead(channel, admin),
): Promise<boolean> {
  const { channel } = question
  const homes = await admin.installation.directory.homesOf(admin)
  if (isOf({ ...admin, ...(homes !== 'unreachable' && { homes }) }, question)) return true
  return !isPrivate(question) && !channel.startsWith('D') && mayReadChannel(channel)
}

/** Returns whether an admin may read a channel: a public one, or a private one that they are in. */
export async function mayRead(channel: string, { team, user, installation }: Admin): Promise<boolean> {
  await installation.directory.lookUp(team, [channel], NAMES_MS)
  const known = installation.directory.get(team, channel)
  if (known?.kind === 'channel' && !known.isPrivate) return true
  return (await isMember({ team, channel, user }, installation.client)) === true
}
