/**
 * Reads the "Always in this thread" approvals that are still valid for a question. stores/threads/types.ts says for how
 * long they are kept.
 */
import type { Tool } from '../../agent/contracts/tool.ts'
import type { Log } from '../../base/log.ts'
import { conversationOf, type Question } from '../../stores/runs/types.ts'
import type { ThreadStates } from '../../stores/threads/types.ts'
import type { Installation } from '../client/installations.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import { mayDecide } from './approvers.ts'

export interface GrantOptions {
  question: Question
  threads: ThreadStates
  settings: Settings
  installation: Installation
  log: Log
}

/** Returns a person who allowed the tool in the question's thread and may still do so; undefined if there is none. */
export async function grantedBy(
  { name, server, ruleName = name, version, asAsker }: Tool,
  options: GrantOptions,
): Promise<string | undefined> {
  const { question, threads, settings, installation, log } = options
  const { grants = [] } = await threads.load(conversationOf(question))
  const by = new Set(grants.flatMap((grant) => (grant.tool === name && grant.version === version ? [grant.by] : [])))
  for (const user of by) {
    // A grant for a call with the asker's own login may have been made for another asker.
    if (asAsker && user !== question.user) continue
    const asked = { question, tool: ruleName, server }
    if ((await mayDecide(user, asked, { approvers: settings.approvers, installation, log })) === 'yes') return user
  }
  return undefined
}
