/** "Always in this thread": what people have allowed there, as far as their word counts for a question. */
import type { Tool } from '../agent/types.ts'
import type { Log } from '../log.ts'
import { conversationOf, type Question } from '../run/types.ts'
import type { ThreadStates } from '../threads/types.ts'
import type { Installation } from '../workspace/installations.ts'
import type { Settings } from '../workspace/settings.ts'
import { mayDecide } from './approvers.ts'

export interface GrantOptions {
  question: Question
  threads: Pick<ThreadStates, 'load'>
  settings: Pick<Settings, 'approvers'>
  installation: Pick<Installation, 'client'>
  log: Log
}

/** Whether somebody has allowed the tool in the question's thread who could allow it now. */
export async function isGranted({ name, server }: Tool, options: GrantOptions): Promise<boolean> {
  const { question, threads, settings, installation, log } = options
  const { grants = [] } = await threads.load(conversationOf(question))
  const by = new Set(grants.flatMap((grant) => (grant.tool === name ? [grant.by] : [])))
  for (const user of by) {
    const asked = { question, tool: name, server }
    const { client } = installation
    if ((await mayDecide(user, asked, { approvers: settings.approvers, client, log })) === 'yes') return true
  }
  return false
}
