import { messageOf } from '../../base/errors.ts'
import { fitting, RECALLED_CHARS, type Recall } from '../../question/recall-remembered.ts'
import { scopesOf, type Remembered } from '../../stores/remembered/types.ts'
import { scopeNow } from '../intake/remembered-scope.ts'
import type { QuestionWork } from '../question-work.ts'
import { lineOf } from './thread-reader.ts'

/** Recalls the remembered texts of the question's place, and of no other, with names instead of ids. */
export function recallIn({ question, mentions, services, installation }: QuestionWork): Recall {
  const { remembered, log } = services
  const hasAny = async () =>
    (await Promise.all(scopesOf(question).map((scope) => remembered.list(scope)))).flat().length > 0
  return async (asked, ids) => {
    try {
      // Slack is asked about the place only where it matters.
      if (!(await hasAny())) return { ids: [], text: '' }
      const scope = await scopeNow(question, installation, remembered)
      if (scope === undefined) return { ids: [], text: '' }
      const all = await remembered.list(scope)
      const some = ids ? all.filter(({ id }) => ids.includes(id)) : fitting(all.map(withLine), asked)
      const lines = await linesOf(some, mentions)
      // Names may be longer than ids. The oldest lines are dropped.
      while (lines.map(({ line }) => line).join('\n').length > RECALLED_CHARS) lines.shift()
      const given = lines.map(({ id }) => id)
      if (given.length > 0) await remembered.use(scope, given)
      return { ids: given, text: lines.map(({ line }) => line).join('\n') }
    } catch (error) {
      log.warn({ question: question.id, error: messageOf(error) }, 'answered without what is remembered')
      return { ids: [], text: '' }
    }
  }
}

/** Returns the texts with names instead of ids. */
async function linesOf(some: Remembered[], mentions: QuestionWork['mentions']) {
  const spoken = await mentions.messagesForModel(some.map(({ by, text }) => ({ user: by, text })))
  return some.map((one, i) =>
    withLine({ ...one, text: spoken[i]?.text ?? one.text, by: `${spoken[i]?.name ?? 'somebody'}${markOf(one)}` }),
  )
}

/** The same mark as in a thread. */
function markOf({ userTeam }: Remembered): string {
  return userTeam === undefined ? '' : ' (of another workspace)'
}

interface RememberedLine extends Remembered {
  line: string
}

function withLine(one: Remembered): RememberedLine {
  const day = new Date(one.at).toISOString().slice(0, 10)
  return { ...one, line: lineOf(`${one.by}, ${day}`, one.text) }
}
