/** A tool: what it is made of, what it may use, and what it gives back. */
import type { ToolFetch } from '../../base/http/tool-fetch.ts'

export type { Fetched, ToolFetch } from '../../base/http/tool-fetch.ts'

/** A page or record that an observation came from. `url` is absolute http(s). */
export interface Source {
  title: string
  url: string
}

/** Numbers in their order, such as amounts by company or values by year: a reader may draw them. The text says them too. */
export interface Series {
  title: string
  points: { label: string; value: number }[]
}

/** What is looked for in a workspace: one kind at a time. */
export type FindKind = 'messages' | 'files' | 'channels' | 'users'

/** Something found. Names stand in the place of ids; `text` is as somebody wrote it, cut. `at`: a Slack ts, in seconds since the epoch. */
export interface Find {
  who?: string
  where?: string
  at?: number
  text: string
  /** Its address in Slack. */
  url?: string
}

export interface FindOptions {
  kind: FindKind
  /** Where an earlier search of the same words and kind ended. */
  cursor?: string | undefined
  signal: AbortSignal
}

/** A thread as it reads: a line for each message, beginning with who wrote it. */
export interface ReadThread {
  text: string
  /** Where it stands, in words, for a source. */
  title: string
  url: string
}

/** What is written in the asker's workspace, as far as the asker may read it where the answer is shown. Nothing is kept. */
export interface WorkspaceReader {
  /** @throws ToolError with a sentence: what was refused, and what to do. */
  search(query: string, options: FindOptions): Promise<{ finds: Find[]; cursor?: string }>
  /** The thread of the message at this address. @throws ToolError likewise */
  readThread(url: string, signal: AbortSignal): Promise<ReadThread>
}

/** A part of a file as a model names it, and nothing of it is trusted: pages or slides, a sheet and cells of it, lines. */
export interface FilePart {
  pages?: string | number
  sheet?: string | number
  range?: string
  lines?: string | number
}

/**
 * The files of a conversation as text. A file is meant by its name; where there is one alone, that may be left out. What is not there
 * is said in the output, together with what is.
 */
export interface RunFiles {
  read(file: string | undefined, part: FilePart): Promise<ToolOutput>
  search(query: string, file?: string): Promise<ToolOutput>
}

/** A text that goes out with the answer as a file of its own. */
export interface MadeFile {
  name: string
  text: string
}

/** What a tool may use. Everything it reaches comes through here. */
export interface ToolContext {
  /** Aborted when the tool's time is up or the run is stopped. */
  signal: AbortSignal
  fetch: ToolFetch
  now(): Date
  /** Asks the model one thing, without tools; for tools such as llm_math. */
  ask(prompt: string): Promise<string>
  /** Opens what is written in the workspace; absent where the question comes from none. */
  workspace?: (() => Promise<WorkspaceReader>) | undefined
  /** What the asker has answered to what this call asked so far; see `ToolAsks`. */
  answers?: readonly PersonsAnswer[]
  /** Absent where the conversation has none. */
  files?: RunFiles
  /** An output's `file` reaches the asker. */
  sendsFiles?: true
  /** A tool may change it in place; it is saved with the step's observation and may come back in another process. */
  memory: ToolMemory
}

/**
 * What a tool returns: text for the model, the pages it came from, a series and a file for people to see. With `exhausted` a repeatable tool
 * says that it has nothing more: from then on the same input is a repetition, until another tool has run.
 */
export interface ToolOutput {
  text: string
  sources?: Source[]
  /** At most 100 points; the labels and the title are cut at 200 characters. */
  series?: Series
  exhausted?: boolean
  /** The text is not to be kept once the run is over. */
  passing?: boolean
  /** Sent into the thread before the answer; only where the context `sendsFiles`. */
  file?: MadeFile
}

/** What is wrong with an input: where, in words, and the JSON type that is wanted there if another one came. */
export interface InputIssue {
  path: (string | number)[]
  message: string
  expected?: string
}

/** An input that a tool takes, as it will get it, or why it does not take it. */
export type ParsedInput<Input = unknown> = { ok: true; value: Input } | { ok: false; issues: InputIssue[] }

/**
 * What a tool asks the asker before it can give its output (MCP's elicitation): a form, whose `schema` is an object of plain
 * fields as MCP has it, or a page to visit. `state` comes back to the tool with the answer, in whichever process.
 */
export interface ToolQuestion {
  server: string
  message: string
  schema?: Record<string, unknown>
  url?: string
  /** With the answer the call is made anew, from its beginning: what it did before it asked is done twice. */
  remakes?: true
  state: unknown
}

/** What the asker said to it. `content`: a form's fields. */
export interface PersonsAnswer {
  state: unknown
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, unknown>
}

/** Returned in place of an output: the run waits for the asker, and then calls the tool again with the answer. */
export interface ToolAsks {
  asks: ToolQuestion
}

/**
 * What a tool takes: a JSON Schema, which the model is shown, and the check that stands behind it. `zodInput`
 * (agent/tool-input.ts) makes both from a zod schema; a tool of an MCP server has its server's schema.
 */
export interface ToolInput<Input = unknown> {
  parameters: Record<string, unknown>
  /** Never throws. */
  parse(value: unknown): ParsedInput<Input>
}

/**
 * A tool. One whose `parameters` are an object with one field also takes plain text. `run` gets checked input.
 * `effects: 'write'` marks what changes the world. `returnDirect` ends the run with the tool's output.
 */
export interface Tool<Input = unknown> extends ToolInput<Input> {
  name: string
  description: string
  effects: 'read' | 'write'
  returnDirect?: boolean
  /** A person must allow each call: the run waits until somebody does. */
  needsApproval?: boolean
  /** Of a tool with `effects: 'write'`: the same call made twice does what it does once, so that it may be made again after a crash. */
  idempotent?: boolean
  /** The MCP server that the tool is of, by its name in MCP_CONFIG. */
  server?: string
  /** The server's own name for it behind the server's, `server__tool`: what operators' rules are about, whatever models call it by. */
  ruleName?: string
  /** What the server is and what the tool says of itself, hashed: an approval counts for this version alone. */
  version?: string
  /** One line that stands for the description and the parameters in a prompt where there are many tools; `tool_details` gives the rest. */
  brief?: string
  /** It works only where the workspace lets apps search. */
  needsSearch?: boolean
  /** How long one use may take, in ms; TOOL_TIMEOUT_MS where left out. */
  timeoutMs?: number
  /** Its output is a file (`ToolOutput.file`): the model sees it only where that can be sent. */
  makesFiles?: true
  /** Called again with the same input it gives something new (a lookup's next hit): no loop. */
  repeatable?: boolean
  /** @throws ToolError (or anything else): its message becomes the observation. */
  run(input: Input, context: ToolContext): Promise<ToolOutput | ToolAsks | string>
}

/** What tools remember between the steps of a run, by key of their choosing. JSON only: it is saved with the run. */
export type ToolMemory = Record<string, unknown>
