/** A tool: its definition, its context, and its output. What a run stores of them has its schema here. */
import { z } from 'zod'
import type { ToolFetch } from '../../base/http/bounded-get.ts'
import type { ChartKind, OutputTable, Series, Source } from './evidence.ts'

export type { Fetched, ToolFetch } from '../../base/http/bounded-get.ts'

/** The kinds of results of a search, which looks for one of them at a time. */
export type FindKind = 'messages' | 'files' | 'channels' | 'users'

/** A search result, with names instead of ids. `text` is as somebody wrote it, cut. `at`: a Slack ts, in seconds. */
export interface Find {
  who?: string
  where?: string
  at?: number
  text: string
  /** The permalink in Slack. */
  url?: string
}

export interface FindOptions {
  kind: FindKind
  /** The cursor of an earlier search with the same query and kind. */
  cursor?: string | undefined
  signal: AbortSignal
}

/** A thread as text: one line per message, which begins with its author. */
export interface ReadThread {
  text: string
  /** The thread's location in words, for a source. */
  title: string
  url: string
}

/** The part of a channel to read, as a model names it (untrusted). `channel`: id or name. Times: time-words.ts. */
export interface WantedChannel {
  channel: string
  since?: string | undefined
  until?: string | undefined
  part: number
}

/**
 * Reads the asker's workspace. Returns only what the asker may read in the place where the answer is shown. Stores
 * nothing.
 */
export interface WorkspaceReader {
  /**
   * `asAsker`: everything that the asker can see was searched, not only what is public. `forAsker`: some results may be
   * invisible to others who read where it was asked.
   * @throws ToolError with a sentence that says what was refused, and what to do.
   */
  search(
    query: string,
    options: FindOptions,
  ): Promise<{ finds: Find[]; cursor?: string; asAsker?: true; forAsker?: true }>
  /** The thread of the message with this URL. @throws ToolError likewise */
  readThread(url: string, signal: AbortSignal): Promise<ReadThread>
  /** Reads a part of a channel's messages in a period. @throws ToolError likewise */
  readChannel(wanted: WantedChannel, signal: AbortSignal): Promise<ReadThread>
}

/** A part of a file as a model names it (untrusted). */
export interface FilePart {
  /** Pages of a pdf or slides: `3`, `3-5`. */
  pages?: string | number | undefined
  /** The name or number of a sheet. */
  sheet?: string | number | undefined
  /** Cells, columns or rows of a sheet: `A1:C20`, `B:D`, `10:20`. */
  range?: string | undefined
  /** Lines of the file or of the one named page; rows of a sheet. */
  lines?: string | number | undefined
}

/**
 * The files of a conversation as text. A file is found by its name, which may be omitted if there is only one. If it
 * does not exist, the output says so and lists the files that do.
 */
export interface RunFiles {
  read(file: string | undefined, part: FilePart): Promise<ToolOutput>
  search(query: string, file?: string): Promise<ToolOutput>
  /**
   * Runs SQL over the tables in the files, the messages and the run's earlier results, or describes them.
   * @throws ToolError with a sentence that says what to change
   */
  query(wanted: WantedRows, context: Pick<ToolContext, 'signal' | 'memory'>): Promise<ToolOutput>
}

/** SQL of a model (untrusted). Without it the tables are described. */
export interface WantedRows {
  sql?: string | undefined
  /** The name of a csv file that all rows of the result are sent in. */
  file?: string | undefined
  /** Draws the result, as this kind of chart if it is named: labels in its first column, then numbers. */
  chart?: boolean | ChartKind | undefined
}

/** A text that is sent with the answer as a separate file. */
export const madeFile = z.object({ name: z.string(), text: z.string() })
type MadeFile = z.infer<typeof madeFile>

/** A tool's only access to the outside. */
export interface ToolContext {
  /** Aborted when the tool's time is up or the run is stopped. */
  signal: AbortSignal
  fetch: ToolFetch
  now(): Date
  /** Asks the model one thing, without tools. For tools such as llm_math. */
  ask(prompt: string): Promise<string>
  /** Opens the workspace. Absent if the question does not come from one. */
  workspace?: (() => Promise<WorkspaceReader>) | undefined
  /**
   * Returns whether people, a file, a source or a page that was read named this address. An address that the model put
   * together could carry data out. Absent: none counts as named.
   */
  isNamed?: (url: URL) => boolean
  /** The asker, as an opaque key. Absent if no person asks. */
  asker?: string
  /** The asker's answers to this call so far, see `ToolAsks`. */
  answers?: readonly PersonsAnswer[]
  /** Absent if the conversation has none. */
  files?: RunFiles
  /** Whether an output's `file` reaches the asker. */
  sendsFiles?: true
  /** A tool may change it in place. It is saved with the step's observation and may be restored in another process. */
  memory: ToolMemory
}

/**
 * The output of a tool: text for the model, its source pages, a series and a file for people. `exhausted`: a
 * repeatable tool has nothing more, so from then on the same input is a repetition, until another tool has run.
 */
export interface ToolOutput {
  text: string
  sources?: Source[]
  /** At most 100 points; the labels and the title are cut at 200 characters. */
  series?: Series
  exhausted?: boolean
  /** Whether the text is deleted once the run is over. */
  passing?: boolean
  /** Found with the asker's own rights. Others may see neither the text nor an answer that is based on it. */
  forAsker?: boolean
  /** Whether the text is the operator's instructions, at most `SKILL_CHARS` of them. All other text is data. */
  instructions?: boolean
  /** Sent into the thread before the answer, only if the context has `sendsFiles`. */
  file?: MadeFile
  /**
   * Tables that `query_table` can ask later in the run. Absent: those in the text, which is then all there is of them.
   */
  tables?: OutputTable[]
}

/** An error in an input: where it is, the message, and the expected JSON type if the type is wrong. */
export interface InputIssue {
  path: (string | number)[]
  message: string
  expected?: string
}

/** An input as the tool will get it, or why the tool does not accept it. */
export type ParsedInput<Input = unknown> = { ok: true; value: Input } | { ok: false; issues: InputIssue[] }

/**
 * A question of a tool to the asker, before it can return its output (MCP's elicitation): a form, whose `schema` is an
 * object of plain fields as in MCP, or a page to visit. `state` comes back to the tool with the answer, possibly in
 * another process.
 */
export const toolQuestion = z.object({
  server: z.string(),
  message: z.string(),
  schema: z.record(z.string(), z.unknown()).optional(),
  url: z.string().optional(),
  /** The asker must log in to the server first. `message` is then the tool's name for people. */
  login: z.literal(true).optional(),
  /** The server asks what only the asker may see. */
  forAsker: z.literal(true).optional(),
  /** The call is repeated from its beginning with the answer, so everything it did before it asked is done twice. */
  remakes: z.literal(true).optional(),
  state: z.unknown(),
})
export type ToolQuestion = z.infer<typeof toolQuestion>

/** The asker's answer. `content`: a form's fields. */
export const personsAnswer = z.object({
  state: z.unknown(),
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).optional(),
})
export type PersonsAnswer = z.infer<typeof personsAnswer>

/** Returned instead of an output. The run waits for the asker, then calls the tool again with the answer. */
export interface ToolAsks {
  asks: ToolQuestion
}

/**
 * The input that a tool accepts: the JSON Schema that the model sees, and the check behind it. `zodInput`
 * (agent/tool-input.ts) derives both from a zod schema. A tool of an MCP server uses its server's schema.
 */
export interface ToolInput<Input = unknown> {
  parameters: Record<string, unknown>
  /** Never throws. */
  parse(value: unknown): ParsedInput<Input>
}

/**
 * A tool. If `parameters` is an object with one field, plain text is accepted too. `run` gets checked input. `effects:
 * 'write'` marks a tool that changes something. `returnDirect` ends the run with the tool's output.
 */
export interface Tool<Input = unknown> extends ToolInput<Input> {
  name: string
  /** The name that people see. Default: `name`, made readable (agent/tool-title.ts). */
  title?: string
  description: string
  effects: 'read' | 'write'
  returnDirect?: boolean
  /** A person must allow each call. The run is suspended until somebody decides. */
  needsApproval?: boolean
  /** For `effects: 'write'`: a repeated call has no further effect, so it may be made again after a crash. */
  idempotent?: boolean
  /** The name in MCP_CONFIG of the MCP server that provides the tool. */
  server?: string
  /** Its output quotes pages, files or messages, so the addresses in it count as named (`ToolContext.isNamed`). */
  quotes?: true
  /** It opens addresses that people write in a question, which the model is told. */
  opensLinks?: true
  /** It is called with the asker's own login at the server. */
  asAsker?: true
  /** The original name, `server__tool`. Operators' rules match it, whatever name models use. */
  ruleName?: string
  /** A hash of the server's identity and the tool's description. An approval is valid only for this version. */
  version?: string
  /**
   * One line that replaces the description and parameters in prompts with many tools. `tool_details` returns the rest.
   */
  brief?: string
  /** Works only if the workspace lets apps search. */
  needsSearch?: boolean
  /** How long one call may take, in ms. Default: TOOL_TIMEOUT_MS. */
  timeoutMs?: number
  /** Characters of an output that the model reads, if they are more than TOOL_OUTPUT_CHARS. */
  outputChars?: number
  /** The output is a file (`ToolOutput.file`). Offered to the model only if files can be sent. */
  makesFiles?: true
  /** Offered to the model only once a step's output has a table. */
  needsTables?: true
  /** It only opens a card for the asker, and its output is the bot's own. Prompts that list no tools name it. */
  proposes?: true
  /** A repeated call with the same input returns something new (a lookup's next hit), so it is not a loop. */
  repeatable?: boolean
  /** @throws ToolError (or anything else): its message becomes the observation. */
  run(input: Input, context: ToolContext): Promise<ToolOutput | ToolAsks | string>
}

/**
 * The memory of tools between the steps of a run, by keys of their choice. JSON only, because it is saved with the run.
 */
export type ToolMemory = Record<string, unknown>
