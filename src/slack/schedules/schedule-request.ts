/** Handles a message that makes a schedule: parses it, and shows its author a card before anything is saved. */
import { createHash } from 'node:crypto'
import { toolTitle } from '../../agent/tool-title.ts'
import {
  afterScheduleWord,
  parseSchedule,
  PLACEHOLDER,
  SCHEDULE_EXAMPLES,
  type ParsedSchedule,
} from '../../schedules/parse-schedule.ts'
import { notUnderstood } from '../../schedules/request-words.ts'
import { smallestGap, type When } from '../../schedules/when.ts'
import { isUnrooted, type Question } from '../../stores/runs/types.ts'
import type { Schedule, ScheduleRef } from '../../stores/schedules/types.ts'
import type { Installation } from '../client/installations.ts'
import { Mentions } from '../client/mentions.ts'
import { factsOfPlace, whyNoPosts } from '../client/place-facts.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { escapeText } from '../format/escape.ts'
import { cannotPost } from '../format/messages.ts'
import { SCHEDULES, tooManySchedules } from '../format/schedule-words.ts'
import type { QuestionWork } from '../question-work.ts'
import { appOf } from '../intake/to-question.ts'
import type { Services, WorkspaceServices } from '../services.ts'
import { scheduleCard } from '../views/schedule-blocks.ts'

/**
 * Returns whether a question makes a schedule: it begins with a time, or with `schedule`. If that depends on the
 * asker's zone, Slack is asked.
 */
export async function isScheduleRequest({ question, services, installation }: QuestionWork): Promise<boolean> {
  if (!maySchedule(question)) return false
  const { perUser, minMinutes } = services.operator.scheduling
  const creator = perUser === 0 ? { zone: 'UTC' } : await creatorOf(question, installation)
  if (typeof creator === 'string') return true
  return parseRequest(question.text, { zone: creator.zone, now: question.at, minMinutes }) !== undefined
}

function maySchedule(question: Question): boolean {
  const { kind, surface, isNoSchedule, at } = question
  const isAsked = surface === 'mention' || surface === 'dm' || (surface === 'ask' && isUnrooted(question))
  if (!isAsked || isNoSchedule || (kind !== 'asked' && kind !== 'addition')) return false
  return ZONES.some((zone) => parseRequest(question.text, { zone, now: at, minMinutes: 1 }) !== undefined)
}

/** The zones for parsing before the asker's is known: `today at 9` has passed in some zones and not in others. */
const ZONES = ['UTC', 'Etc/GMT+12', 'Etc/GMT+8', 'Etc/GMT+4', 'Etc/GMT-5', 'Etc/GMT-9', 'Etc/GMT-14']

/** `zone`: the asker's; `now`: ms since the epoch. */
interface ParseAt {
  zone: string
  now: number
  minMinutes: number
}

type RequestedSchedule = { when: When; question: string; text: string; gapMs?: number } | { problem: string }

/**
 * Parses a schedule. After the word `schedule`, a text that cannot be parsed is a problem, which is explained with
 * examples. Otherwise it is an ordinary question.
 */
function parseRequest(text: string, at: ParseAt): RequestedSchedule | undefined {
  const rest = afterScheduleWord(text)
  const given = rest ?? text.trim()
  const found: ParsedSchedule | undefined = parseSchedule(given, { ...at, explicit: rest !== undefined })
  if (!found || 'problem' in found) return found
  const gapMs = smallestGap(found.when, at.now)
  return { ...found, text: given, ...(gapMs === Infinity ? {} : { gapMs }) }
}

/** Stores the draft of a schedule and shows it only to its author, or explains why there is none. */
export async function showSchedule(work: QuestionWork): Promise<void> {
  const made = await draftCard(work, (at) => parseRequest(work.question.text, at))
  await work.outbox.sendEphemeral('schedule', 'refusal' in made ? noteContent(made.refusal) : made)
}

/** Stores a draft as a model proposes it. `note`: mrkdwn. @returns its card, or why there is none */
export async function draftFor(
  { when, question = '' }: { when: string; question?: string | undefined },
  work: QuestionWork,
  note?: string,
): Promise<Content | { refusal: string }> {
  const parse = (at: ParseAt) => proposedSchedule({ when: when.trim(), question: question.trim() }, at)
  return draftCard(work, parse, note)
}

/** Parses the time alone, so that nothing in the question counts as a part of it. */
function proposedSchedule(
  { when, question }: { when: string; question: string },
  at: ParseAt,
): RequestedSchedule | undefined {
  if (question === '') return parseRequest(`schedule ${when}`, at)
  const found = parseRequest(`schedule ${when} ${PLACEHOLDER}`, at)
  if (!found || 'problem' in found) return found
  if (found.question !== PLACEHOLDER) return { problem: notUnderstood(found.question.replace(PLACEHOLDER, '').trim()) }
  return { ...found, question, text: `${when}: ${question}` }
}

async function draftCard(
  work: QuestionWork,
  parse: (at: ParseAt) => RequestedSchedule | undefined,
  note?: string,
): Promise<Content | { refusal: string }> {
  const { question, services, installation } = work
  const { perUser, minMinutes } = services.operator.scheduling
  const { team, channel, user, at, surface } = question
  if (perUser === 0) return { refusal: SCHEDULES.off }
  const creator = await creatorOf(question, installation)
  if (typeof creator === 'string') return { refusal: creator }
  const found = parse({ zone: creator.zone, now: at, minMinutes })
  if (!found) return { refusal: SCHEDULES.past }
  if ('problem' in found) return { refusal: `${escapeText(found.problem)} ${EXAMPLES}` }
  if (found.text.length > MAX_REQUEST) return { refusal: SCHEDULES.tooLongToSave }
  const full = await noRoomFor(question, services)
  if (full !== undefined) return { refusal: full }
  const obstacle = surface === 'ask' ? await whyNoPosts(channel, installation) : undefined
  if (obstacle !== undefined) return { refusal: cannotPost(obstacle) }
  const place = await scheduledPlace(channel, installation)
  const app = question.app === undefined ? {} : { app: question.app }
  const draft = newDraft(question.id, { team, channel, user, createdAt: at, ...app, ...found, place, runs: [] })
  await services.schedules.add(draft)
  return cardOf(draft, work, note)
}

/** As much as Slack shows of a message. A form takes `MAX_TEXT`, so a longer text is saved but not changed there. */
const MAX_REQUEST = 4_000

const EXAMPLES = `For example:\n${SCHEDULE_EXAMPLES.map((example) => `• \`schedule ${example}\``).join('\n')}`

/** Builds a schedule that is not saved yet. Its id follows from `seed`. */
function newDraft(seed: string, parts: Omit<Schedule, 'id' | 'state' | 'failures' | 'spent'>): Schedule {
  const id = createHash('sha256').update(seed).digest('hex').slice(0, 12)
  return { state: 'draft', failures: 0, spent: {}, ...parts, id }
}

/** Returns why a person may have no further schedule, if so. `replaces`: the id of the one that it replaces. */
export async function noRoomFor(
  { team, user, replaces }: { team: string; user: string; replaces?: string | undefined },
  { schedules, operator }: Pick<Services, 'schedules' | 'operator'>,
): Promise<string | undefined> {
  const max = operator.scheduling.perUser
  if (max === 0) return SCHEDULES.off
  const counted = (await schedules.list({ team, user })).filter(({ state }) => state === 'active' || state === 'paused')
  return counted.filter(({ id }) => id !== replaces).length >= max ? tooManySchedules(max) : undefined
}

/** The card of a draft in its current state. */
export async function cardOf(
  draft: Schedule,
  { settings, installation, services }: Pick<QuestionWork, 'settings' | 'installation' | 'services'>,
  note?: string,
): Promise<Content> {
  const question = await new Mentions(installation.directory, draft).withNames(draft.question)
  const tools = settings.tools.filter((tool) => !tool.needsSearch).map((tool) => toolTitle(tool))
  const now = services.now().getTime()
  return scheduleCard(draft, { tools, question, now, note })
}

/** Returns the time zone of a person who may make schedules, or why they may not. */
async function creatorOf(
  person: Pick<Question, 'team' | 'user' | 'userTeam'>,
  { directory }: Installation,
): Promise<{ zone: string } | string> {
  const facts = await directory.factsOfAuthor(person)
  if (facts === 'hidden') return SCHEDULES.notMember
  if (typeof facts === 'string') return SCHEDULES.untold
  if (facts.isGuest || facts.isExternal || facts.isGone) return SCHEDULES.notMember
  return { zone: facts.zone ?? 'UTC' }
}

export async function scheduledPlace(channel: string, installation: Installation): Promise<Schedule['place']> {
  const { isPrivate, isShared, isMember } = await factsOfPlace(channel, installation)
  return { isPrivate, isShared, isMember }
}

/** Stores the changed schedule as a draft, which replaces the schedule once it is saved. */
export async function changedDraft(
  ref: ScheduleRef,
  text: string,
  deps: WorkspaceServices,
): Promise<Schedule | { problem: string }> {
  const { schedules, operator, now } = deps.services
  const at = now().getTime()
  const before = await schedules.load(ref)
  if (!before) return { problem: SCHEDULES.gone }
  const full = await noRoomFor({ ...ref, replaces: ref.id }, deps.services)
  if (full !== undefined) return { problem: full }
  const creator = await creatorOf(ref, deps.installation)
  if (typeof creator === 'string') return { problem: creator }
  const given = afterScheduleWord(text) ?? text
  const found = parseRequest(`schedule ${given}`, {
    zone: creator.zone,
    now: at,
    minMinutes: operator.scheduling.minMinutes,
  })
  if (!found || 'problem' in found) return found ?? { problem: SCHEDULES.failed }
  const { place, runs } = before
  const parts = { ...ref, createdAt: at, ...appOf(deps.services.installations), ...found, place, runs }
  const draft = newDraft(`${ref.id} ${at}`, { ...parts, replaces: ref.id })
  await schedules.add(draft)
  return draft
}
