/** A tool: what it is made of, what it may use, and what it gives back. */
import type { z } from 'zod'

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

/** The answer to a tool's fetch: the body as text, already capped in size. */
export interface Fetched {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * The only way a tool reaches the network: a GET. A 4xx is an answer like any other.
 * @throws ToolError with a sentence when the host is refused, slow or broken.
 */
export type ToolFetch = (
  url: string | URL,
  options?: { headers?: Record<string, string>; signal?: AbortSignal },
) => Promise<Fetched>

/** What a tool may use. Everything it reaches comes through here. */
export interface ToolContext {
  /** Aborted when the tool's time is up or the run is stopped. */
  signal: AbortSignal
  fetch: ToolFetch
  now(): Date
  /** Asks the model one thing, without tools; for tools such as llm_math. */
  ask(prompt: string): Promise<string>
  /** A tool may change it in place; it is saved with the step's observation and may come back in another process. */
  memory: ToolMemory
}

/**
 * What a tool returns: text for the model, the pages it came from, and a series for people to see. With `exhausted` a repeatable tool
 * says that it has nothing more: from then on the same input is a repetition, until another tool has run.
 */
export interface ToolOutput {
  text: string
  sources?: Source[]
  /** At most 100 points; the labels and the title are cut at 200 characters. */
  series?: Series
  exhausted?: boolean
}

/**
 * A tool. `schema` is a zod object; a tool with one field also takes plain text. `run` gets checked input.
 * `effects: 'write'` marks what changes the world. `returnDirect` ends the run with the tool's output.
 */
export interface Tool<Input = unknown> {
  name: string
  description: string
  schema: z.ZodType<Input>
  effects: 'read' | 'write'
  returnDirect?: boolean
  /** A person must allow each call: the run waits until somebody does. */
  needsApproval?: boolean
  /** Called again with the same input it gives something new (a lookup's next hit): no loop. */
  repeatable?: boolean
  /** @throws ToolError (or anything else): its message becomes the observation. */
  run(input: Input, context: ToolContext): Promise<ToolOutput | string>
}

/** What tools remember between the steps of a run, by key of their choosing. JSON only: it is saved with the run. */
export type ToolMemory = Record<string, unknown>
