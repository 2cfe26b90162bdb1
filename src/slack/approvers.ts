/** Who may allow or deny what a tool asks for: the asker, unless APPROVERS takes that away, and whom APPROVERS names for it. */
import { matchesPattern } from '../agent/tool-pattern.ts'
import type { Log } from '../log.ts'
import type { Question } from '../run/types.ts'
import type { Settings } from '../workspace/settings.ts'
import type { SlackWeb } from './client/slack-web.ts'
import { membersOf, type NoMembers } from './client/user-groups.ts'

/** What is decided about. */
export interface Asked {
  question: Pick<Question, 'team' | 'user' | 'bot'>
  tool: string
  server?: string | undefined
}

export type MayDecide = 'yes' | 'no' | NoMembers

export interface ApproverOptions {
  approvers: Settings['approvers']
  client: SlackWeb
  log: Log
}

/** Whether somebody may decide about a call. Costs a call of `usergroups.users.list` in five minutes for each group that is named. */
export async function mayDecide(user: string, asked: Asked, options: ApproverOptions): Promise<MayDecide> {
  const { ids, asker } = approversOf(asked, options.approvers)
  if (user === asker || ids.includes(user)) return 'yes'
  const groups = ids.filter((id) => id.startsWith('S'))
  const found = await Promise.all(groups.map((group) => membersOf(group, asked.question.team, options)))
  if (found.some((members) => typeof members !== 'string' && members.includes(user))) return 'yes'
  return found.find((members) => typeof members === 'string') ?? 'no'
}

/** Who is named for a call, and its asker where they may decide: never a bot. */
export function approversOf(
  { question, tool, server }: Asked,
  approvers: Settings['approvers'],
): { ids: string[]; asker?: string } {
  const fits = approvers.filter(({ name }) => name === undefined || name === server || matchesPattern(tool, name))
  const ids = [...new Set(fits.flatMap((list) => list.ids))]
  const isAskers = question.bot === undefined && !fits.some(({ notAsker }) => notAsker)
  return isAskers ? { ids, asker: question.user } : { ids }
}
