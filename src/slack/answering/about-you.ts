/**
 * What the model is told about itself (`prompts/about-you.md`), the place of a question and its asker (`asked-in.md`).
 */
import { describeTool } from '../../agent/dialects/text.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import type { Prompts } from '../../base/prompts.ts'
import type { AboutAsker } from '../../question/answer.ts'
import { dateIn } from '../../schedules/dates-in-zone.ts'
import { describeTime } from '../../schedules/describe-when.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { COMMAND } from '../format/messages.ts'
import { mayPropose, proposalTools } from '../proposals/proposal-tools.ts'
import type { QuestionWork } from '../question-work.ts'
import { areSchedulesOff } from '../services.ts'

/** Time limit for the names, in ms. Most names are cached. */
const NAMES_MS = 1_000

/** Uses only names that everyone there can see. Only full members get the tools that open cards. */
export async function aboutYou(work: QuestionWork): Promise<AboutAsker> {
  const { question, installation, services, settings } = work
  const { kind, team, channel, user, at } = question
  const { directory, identity } = installation
  const asker = kind !== 'bot' ? [user] : []
  const ids = [identity.botUser, ...asker, ...(/^[CG]/.test(channel) ? [channel] : [])]
  await directory.lookUp(team, ids, NAMES_MS)
  const facts = directory.knownFacts(team, user)
  const isMember = facts && !facts.isExternal && !facts.isGuest && !facts.isGone
  const tools = isMember && mayPropose(question) ? proposalTools(work) : []
  const zone = facts?.zone ?? 'UTC'
  const { prompts } = services.agent
  const about = prompts['about-you']({
    name: directory.personName(team, identity.botUser) ?? 'Thinkaloud',
    abilities: abilities(!areSchedulesOff(services), services.connections !== undefined),
  })
  const askedIn = prompts['asked-in']({
    place: placeWords(question, installation),
    asker: askerWords(question, installation),
    time: describeTime(at, zone),
  })
  const cards = cardWords(settings.dialect.name, tools, prompts)
  return { words: `${cards}${about}`, askedIn, today: dateIn(zone, at), tools }
}

/** How to call a tool by name, in dialects whose prompts list no tools. */
const CALLS: Record<string, string> = {
  docstore: 'an action',
  'self-ask': 'the line "Follow up: NAME[input]"',
}

function cardWords(dialect: string, tools: Tool[], prompts: Prompts): string {
  const call = CALLS[dialect]
  if (call === undefined || tools.length === 0) return ''
  const lines = tools.map((tool) => describeTool(tool).replace(`${tool.name}:`, `${tool.name}[input]:`))
  return `${prompts.cards({ call, tools: lines.join('\n') })}\n\n`
}

/**
 * A line for each thing that people can type. The same for every question of a workspace, so that prompt caches hit.
 */
export function abilities(hasSchedules: boolean, hasConnections: boolean): string {
  const schedules = `${COMMAND} every Monday at 9 QUESTION, or tomorrow at 8: asks you then; ${COMMAND} schedules lists and ends them`
  return [
    `${COMMAND} QUESTION; ${COMMAND} private: QUESTION shows the answer to them alone`,
    ...(hasSchedules ? [schedules] : []),
    `${COMMAND} remember FACT: known here from then on; ${COMMAND} memory lists and forgets facts`,
    `${COMMAND} forget: deletes everything stored here; ${COMMAND} settings: how you work here`,
    ...(hasConnections ? [`${COMMAND} connections: logins to services`] : []),
    `stop, mute or unmute, as a reply in your thread; ${COMMAND} help`,
  ]
    .map((line) => `- ${line}`)
    .join('\n')
}

function placeWords(question: Question, { directory }: Installation): string {
  const { team, channel } = question
  if (channel.startsWith('D')) return 'a direct message'
  const alone = isPrivate(question) ? ', where only the asker sees your answer' : ''
  const known = directory.get(team, channel)
  if (known?.kind !== 'channel') return `a channel${alone}`
  if (known.isMpim) return `a direct message of several people${alone}`
  const name = known.name === '' ? '' : ` "#${known.name}"`
  const shared = known.isShared ? ', shared with another company' : ''
  return `the ${known.isPrivate ? 'private' : 'public'} channel${name}${shared}${alone}`
}

function askerWords({ kind, team, user }: Question, { directory }: Installation): string {
  if (kind === 'bot') return 'another bot'
  const known = directory.get(team, user)
  const { name, title } = known?.kind === 'person' ? known : {}
  const facts = directory.knownFacts(team, user)
  const words = [
    name === undefined ? 'somebody' : `"${name}"`,
    ...(title === undefined ? [] : [`title "${title}"`]),
    ...(facts?.isExternal ? ['from another company'] : facts?.isGuest ? ['a guest'] : []),
  ]
  return `${kind === 'occurrence' ? 'the schedule of ' : ''}${words.join(', ')}`
}
