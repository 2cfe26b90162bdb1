import { cutMiddle } from './observation.ts'

/** Longer answers lose their middle in a prompt: a follow-up mostly refers to the start or the end of an answer. */
const PAST_ANSWER_CHARS = 1500

/** An answer of an earlier turn as a prompt carries it. */
export function pastAnswer(answer: string): string {
  return cutMiddle(answer, PAST_ANSWER_CHARS)
}
