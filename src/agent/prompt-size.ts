/**
 * The length limits of a prompt's parts. If the whole does not fit into the model's window (model/context-window.ts),
 * fit-prompt.ts shortens it. Limits, in characters:
 * - messages in the thread: `THREAD_CHARS` and `THREAD_MESSAGES` per reading, `THREAD_MESSAGE_CHARS` per message
 *   (slack/reading/thread-reader.ts), `ATTACHED_CHARS` for what is forwarded with the question, `SAID_CHARS` for all
 *   turns together (stores/history/thread-context.ts). The oldest are dropped first.
 * - earlier turns, in the prompt of the conversational dialect and in the condensing prompt (question/condense.ts): at
 *   most `MAX_TURNS` (stores/history/types.ts), each answer up to `PAST_ANSWER_CHARS`
 * - steps: at most AGENT_MAX_STEPS, each observation up to TOOL_OUTPUT_CHARS (call-tool.ts), an unreadable completion
 *   up to `UNREADABLE_CHARS`, a person's addition up to `ADDED_CHARS` (agent.ts)
 * - pictures of a question: limited by the code that loads them. Each counts as `PICTURE_TOKENS` in token estimates
 *   (model/tokens.ts).
 * - text of the question's files: `QUESTION_FILES_CHARS` (files/files-in-prompt.ts), names of earlier files included
 * - what people had remembered: `RECALLED_CHARS` (question/recall-remembered.ts)
 * - what earlier tries have changed: a line for each of at most AGENT_MAX_STEPS calls a try (question/change-lines.ts)
 * - skills: `MAX_SKILLS` lines of `MAX_DESCRIPTION` (toolbox/skills.ts), each reading of one up to `SKILL_CHARS`
 * - the operator's instructions: `MAX_INSTRUCTIONS` (question/agent/create-agent.ts)
 * - a channel's instructions: `MAX_INSTRUCTIONS` (stores/settings/settings.ts)
 * - descriptions of MCP tools: `DESCRIPTION_CHARS` (mcp/tools/seen-tools.ts) and `MAX_CHARS` for the schema
 *   (mcp/tools/plain-schema.ts). Above MCP_TOOLS_MAX tools, one line each.
 *
 * Questions, the descriptions of other tools, and a step's thought and input have no limit except the length of one
 * completion (`MAX_CHARS` in parser/observation-cut.ts).
 */
import { cutMiddle } from './observation.ts'

/** Longer answers lose their middle, because a follow-up mostly refers to the start or the end of an answer. */
const PAST_ANSWER_CHARS = 1500

/** Messages in the thread, for all turns together. The oldest are dropped first. */
export const SAID_CHARS = 8_000
/** The same for one reading of the thread. */
export const THREAD_CHARS = 8_000
export const THREAD_MESSAGES = 50
/** Longer messages lose their middle, so that they leave room for others. */
export const THREAD_MESSAGE_CHARS = 4_000
/** What a question's message shows besides its words: forwards, alerts, tables. Longer ones lose their middle. */
export const ATTACHED_CHARS = 5_000

/** The longest file from a tool. A longer one is not kept with its step. */
export const MADE_FILE_CHARS = 200_000

/** Longer texts of a skill lose their middle. The format recommends at most 5,000 tokens. */
export const SKILL_CHARS = 20_000

/** Longer names of pictures that the model cannot see lose their middle. */
export const PICTURE_NAME_CHARS = 100

/** Longer additions to a run lose their middle. */
export const ADDED_CHARS = 4_000
/** How much of an unreadable completion the model sees again, from its start. */
export const UNREADABLE_CHARS = 1000

/** An answer of an earlier turn, for the prompt. */
export function pastAnswer(answer: string): string {
  return cutMiddle(answer, PAST_ANSWER_CHARS)
}
