import type { Feedback, RunRecord } from './types.ts'

/** A rated run as a line of a question set, which `npm run eval` asks again. */
interface EvaluationLine {
  id: string
  question: string
  /** Right answers: those given by people, else the answer that they liked. Empty if none is known. */
  gold: string[]
  /** The answer, if people disliked it. */
  rejected?: string[]
  /** The faults that people named. */
  comments?: string[]
  /** The model that answered. */
  model: string
  dialect: string
}

/**
 * Returns the evaluation line that people's feedback on a run makes of its question. The majority of thumbs decides; a
 * tie is a dislike.
 * @returns undefined if neither a right nor a wrong answer is known, or the answer is its asker's alone
 */
export function evaluationLine({
  question,
  standalone,
  answer,
  feedback,
  model,
  dialect,
}: RunRecord): EvaluationLine | undefined {
  if (question.forAsker) return undefined
  const expected = [...new Set(feedback.flatMap((one) => one.expected ?? []))]
  const given = answer && !answer.gaveUp ? [answer.text] : []
  const [up, down] = [countOf(feedback, 'up'), countOf(feedback, 'down')]
  const gold = expected.length > 0 ? expected : up > down ? given : []
  const rejected = down >= up ? given : []
  const comments = feedback.flatMap((one) => one.comment ?? [])
  if (gold.length === 0 && rejected.length === 0) return undefined
  return {
    id: question.id,
    question: standalone ?? question.text,
    gold,
    ...(rejected.length > 0 ? { rejected } : {}),
    ...(comments.length > 0 ? { comments } : {}),
    model,
    dialect,
  }
}

function countOf(feedback: Feedback[], rating: Feedback['rating']): number {
  return feedback.filter((one) => one.rating === rating).length
}
