/**
 * Decides who may allow or deny a tool's call: the asker, unless APPROVERS excludes them, and the people whom APPROVERS
 * names. `listeners/approvals.ts` applies it, and refuses people of other workspaces.
 */
import type { Tool } from '../../agent/contracts/tool.ts'
import { matchesRule } from '../../agent/match-tool-rule.ts'
import { conversationOf, type Question } from '../../stores/runs/types.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import type { ThreadStates } from '../../stores/threads/types.ts'
import type { Installation, Installations } from '../client/installations.ts'
import { isOfOurs } from '../client/whose-person.ts'
import { isGroup } from '../client/people-and-channels.ts'
import { inGroups, membersOf } from '../client/user-groups.ts'
import type { AskedCall } from './saved-call.ts'

/** A call to decide about. */
interface ToolDecision {
  question: Pick<Question, 'kind' | 'team' | 'user'>
  /** The tool's name; for a tool of an MCP server its `ruleName`. */
  tool: string
  server?: string | undefined
}

export function decisionAbout(question: ToolDecision['question'], { tool, approval }: AskedCall): ToolDecision {
  return { question, tool: approval.ruleName ?? tool, server: approval.server }
}

/**
 * `noScope`, `untold`: the members of a user group are unknown, because a scope is missing or Slack did not answer in
 * time.
 */
type MayDecide = 'yes' | 'no' | 'noScope' | 'untold'

type Approvers = Settings['approvers']

const MAX_ASKED = 10

/**
 * Returns whether somebody may decide about a call. Costs at most one `usergroups.users.list` call per named group in
 * five minutes.
 */
export async function mayDecide(
  user: string,
  asked: ToolDecision,
  approvers: Approvers,
  installation: Installation,
): Promise<MayDecide> {
  const { ids, asker } = approversOf(asked, approvers)
  if (user === asker || ids.includes(user)) return 'yes'
  const groups = ids.filter(isGroup)
  return inGroups({ team: asked.question.team, user }, groups, installation)
}

/** Returns the ids that APPROVERS names for a call, and its asker if they may decide. A bot never may. */
export function approversOf(
  { question, tool, server }: ToolDecision,
  approvers: Approvers,
): { ids: string[]; asker?: string } {
  const fits = approvers.filter(({ name }) => name === undefined || name === server || matchesRule(tool, name))
  const ids = [...new Set(fits.flatMap((list) => list.ids))]
  const isAskers = question.kind !== 'bot' && !fits.some(({ notAsker }) => notAsker)
  return isAskers ? { ids, asker: question.user } : { ids }
}

/** Who can decide about a call, as its card says it. */
export interface Deciders {
  /** The asker, if they may decide. */
  asker?: string | undefined
  /** The other people whom APPROVERS names. */
  people: string[]
  /** The number of user groups that it names. */
  groups: number
  /** Whom to notify: people and members of groups, at most ten. Nobody if the asker may decide. */
  toAsk: string[]
  /** APPROVERS names somebody, but as far as Slack tells nobody of them is here. */
  areGone: boolean
}

/** Returns who can decide about a call. Asks Slack about them only if the asker cannot. */
export async function decidersOf(
  asked: ToolDecision,
  approvers: Approvers,
  installation: Installation,
): Promise<Deciders> {
  const { question } = asked
  const { ids, asker } = approversOf(asked, approvers)
  const groups = ids.filter(isGroup).length
  const people = ids.filter((id) => id !== asker && !isGroup(id))
  if (asker !== undefined) return { asker, people, groups, toAsk: [], areGone: false }
  const others = await otherApprovers(asked, approvers, installation)
  const may = question.kind === 'bot' ? 'no' : await mayDecide(question.user, asked, approvers, installation)
  if (may === 'yes') return { asker: question.user, people: others.people, groups, toAsk: [], areGone: false }
  const areGone = ids.length > 0 && others.toAsk.length === 0 && !others.hasUnknown
  return { people: others.people, groups, toAsk: others.toAsk, areGone }
}

/**
 * Returns the people besides the asker who may decide about a call, and who have not left: those whom APPROVERS names,
 * and up to ten to ask, members of groups among them. `hasUnknown`: Slack does not say who is in a group.
 */
export async function otherApprovers(
  asked: ToolDecision,
  approvers: Approvers,
  installation: Installation,
): Promise<{ people: string[]; toAsk: string[]; hasUnknown: boolean }> {
  const { team, user } = asked.question
  const { ids } = approversOf(asked, approvers)
  const isHere = async (id: string) => {
    const facts = await installation.directory.factsOf(team, id)
    return facts !== 'hidden' && (typeof facts === 'string' || !facts.isGone)
  }
  const here = async (some: readonly string[]) => {
    const are = await Promise.all(some.map(isHere))
    return some.filter((_, i) => are[i])
  }
  const [people, groups] = await Promise.all([
    here(ids.filter((id) => !isGroup(id) && id !== user)),
    Promise.all(ids.filter(isGroup).map((id) => membersOf(id, team, installation))),
  ])
  const members = groups.flatMap((found) => (typeof found === 'string' ? [] : found)).filter((id) => id !== user)
  const toAsk = [...new Set([...people, ...members.slice(0, MAX_ASKED)])].slice(0, MAX_ASKED)
  return { people, toAsk, hasUnknown: groups.some((found) => typeof found === 'string') }
}

/**
 * Returns a person who allowed the tool "always in this thread" and may still do so; undefined if there is none.
 * stores/threads/types.ts says for how long such a grant is kept.
 */
export async function grantedBy(
  { name, server, ruleName = name, version, asAsker }: Tool,
  asked: Question,
  approvers: Approvers,
  installation: Installation,
  { installations, threads }: { installations: Installations; threads: ThreadStates },
): Promise<string | undefined> {
  // A scheduled run asks each time.
  if (asked.kind === 'occurrence') return undefined
  const { grants = [] } = await threads.load(conversationOf(asked))
  // Grants store no team, so an asker from another workspace must not match the grant of a person here with the same
  // id.
  const isForeign = !(await isOfOurs(asked, { installation, installations }))
  const question = isForeign ? { ...asked, user: '' } : asked
  const by = new Set(grants.flatMap((grant) => (grant.tool === name && grant.version === version ? [grant.by] : [])))
  for (const user of by) {
    // A grant for a call with the asker's own login may have been made for another asker.
    if (asAsker && user !== question.user) continue
    const decision = { question, tool: ruleName, server }
    if ((await mayDecide(user, decision, approvers, installation)) === 'yes') return user
  }
  return undefined
}
