import { personIn } from '../../base/place.ts'
import { isProposal } from '../../agent/proposals.ts'
import { actionTitle } from '../../agent/tool-title.ts'
import type { Step } from '../../agent/contracts/run-events.ts'
import { conversationOf } from '../../stores/runs/types.ts'
import { cleanName } from '../format/escape.ts'
import type { QuestionWork } from '../question-work.ts'

/** At most this many things are named. */
const MAX_NAMED = 3

/**
 * Names what a run has read besides its asker's words: `reading status.example.org and using Calculator`. Any of it may
 * have told the model to propose something. Undefined if it has read nothing else.
 */
export async function suggestedBy({ question, run, services }: QuestionWork): Promise<string | undefined> {
  const { steps, said, remembered = [] } = run.saved
  const turns = await services.history.load(conversationOf(question))
  const read = [
    ...steps.flatMap(readIn),
    ...(question.files || said?.hasFiles ? ['reading a file'] : []),
    ...(question.attached ? ['reading a forwarded message'] : []),
    ...(said?.by.some((by) => by !== personIn(question)) ? ['reading this thread'] : []),
    ...(turns.length > 0 ? ['reading this conversation'] : []),
    ...(remembered.length > 0 ? ['reading what is remembered here'] : []),
  ]
  const named = [...new Set(read)].slice(0, MAX_NAMED)
  return named.length === 0 ? undefined : new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(named)
}

/** Skips skills, which the operator wrote, and hints, which the loop wrote. */
function readIn(step: Step): string[] {
  if (step.kind !== 'tool' || !step.observation || step.observation.hint || step.observation.instructions) return []
  if (isProposal(step.action.tool)) return []
  const hosts = (step.observation.sources ?? []).flatMap(({ url }) => (URL.canParse(url) ? [new URL(url).host] : []))
  return hosts.length > 0
    ? hosts.map((host) => `reading ${cleanName(host)}`)
    : [`using ${cleanName(actionTitle(step.action))}`]
}
