import { settledWithin } from '../../base/async.ts'
import { warnWith } from '../../base/log.ts'
import { nearlyUsedBudgets } from '../../question/admission.ts'
import type { Allowance } from '../../stores/limits/usage-limits.ts'
import { UNPARSED } from '../client/send-content.ts'
import { noteContent } from '../format/blocks.ts'
import { budgetNotice } from '../format/messages.ts'
import { isAdmin } from '../intake/may-set.ts'
import type { QuestionWork } from '../question-work.ts'

const MAX_ADMINS = 20
/** How long looking up an admin may take, in ms. */
const FACTS_MS = 5_000

/**
 * Notifies people once a day that most of a budget is used: the asker of their own budget, and each admin who has
 * opened the Home of the workspace's budgets. Never rejects.
 */
export async function warnOfBudgets(work: QuestionWork): Promise<void> {
  await warnAll(work).catch(warnWith(work.outbox.log, {}, 'could not warn people about a budget'))
}

async function warnAll(work: QuestionWork): Promise<void> {
  const { question, services } = work
  if (!services.usage.limits) return
  for (const { of, allowance } of await nearlyUsedBudgets(question, services.usage.limits)) {
    if (of === 'asker' && question.kind !== 'bot') await tellAsker(allowance, work)
    if (of === 'admins') await tellAdmins(allowance, work)
  }
}

async function tellAsker(allowance: Allowance, { question, services, outbox }: QuestionWork): Promise<void> {
  const { team, user } = question
  const isFirst = await services.oncePerDay.isFirst(team, `${allowance.limit}:${user}`)
  if (isFirst) await outbox.tellAsker(noteContent(budgetNotice(allowance)))
}

async function tellAdmins(allowance: Allowance, { question, services, installation }: QuestionWork): Promise<void> {
  const { team } = question
  for (const admin of await services.home.admins.newest(team, MAX_ADMINS)) {
    if (!(await services.oncePerDay.isFirst(team, `${allowance.limit}:${admin}`))) continue
    const asking = installation.directory.factsOf(team, admin, { isFresh: true })
    if (!(await settledWithin(FACTS_MS, [asking])) || !isAdmin(await asking)) continue
    const words = { channel: admin, ...noteContent(budgetNotice(allowance)), ...UNPARSED }
    const warn = warnWith(services.log, { team, admin }, 'could not warn an admin about a budget')
    await installation.client.call('chat.postMessage', words, { effort: 'patient' }).catch(warn)
  }
}
