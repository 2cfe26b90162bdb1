/**
 * How long a prompt may become: the bounds of its parts. Nothing adds the parts up, and nothing but these bounds drops any. What
 * is too long for the model all the same is refused by its endpoint, and the person is told so (`HINTS.length` in
 * model/failures.ts). Bounded are, in characters:
 * - what people wrote in the thread: `THREAD_CHARS` and `THREAD_MESSAGES` at one reading, `THREAD_MESSAGE_CHARS` for a message
 *   (slack/thread-reader.ts), `SAID_CHARS` for all turns together (history/said.ts); in each the oldest is left out first
 * - earlier turns, which are in the prompt of the conversational dialect and in the one that condenses (condense.ts): as many as
 *   `MAX_TURNS` keeps, each answer up to `PAST_ANSWER_CHARS`
 * - steps: as many as AGENT_MAX_STEPS, each observation up to TOOL_OUTPUT_CHARS (act.ts), an unreadable completion up to
 *   `UNREADABLE_CHARS`, what a person adds meanwhile up to `ADDED_CHARS` (agent.ts)
 * - the pictures of a question: as many and as large as whoever loads them gives; each counts for `PICTURE_TOKENS` where tokens
 *   are estimated (model/tokens.ts)
 * - what stands in the question of its files: `QUESTION_FILES_CHARS` (files/question-files.ts), names of earlier ones included
 * - a channel's instructions: `MAX_INSTRUCTIONS` (workspace/settings.ts)
 * - what a tool of an MCP server says of itself: `DESCRIPTION_CHARS` (mcp/seen-tools.ts) and `MAX_CHARS` of its schema
 *   (mcp/plain-schema.ts); of more than MCP_TOOLS_MAX a line each
 * Not bounded are questions, the descriptions of other tools, and a step's thought and input, but for what is read of one completion
 * (`MAX_CHARS` in parser/observation-cut.ts).
 */
import { cutMiddle } from './observation.ts'

/** Longer answers lose their middle: a follow-up mostly refers to the start or the end of an answer. */
const PAST_ANSWER_CHARS = 1500

/** What people wrote in the thread, all turns together; the oldest goes first. */
export const SAID_CHARS = 8_000
/** The same of one reading of the thread. */
export const THREAD_CHARS = 8_000
export const THREAD_MESSAGES = 50
/** One message loses its middle beyond this, so that a long one leaves room for others. */
export const THREAD_MESSAGE_CHARS = 4_000

/** Of a file that a tool makes: more is not kept with its step. */
export const MADE_FILE_CHARS = 200_000

/** The name of a picture that the model cannot see loses its middle beyond this. */
export const PICTURE_NAME_CHARS = 100

/** What a person adds to a run loses its middle beyond this. */
export const ADDED_CHARS = 4_000
/** How much of an unreadable completion the model is shown again: its beginning. */
export const UNREADABLE_CHARS = 1000

/** An answer of an earlier turn as a prompt carries it. */
export function pastAnswer(answer: string): string {
  return cutMiddle(answer, PAST_ANSWER_CHARS)
}
