/** The project's own errors. Each message is a sentence for a person: what happened and what to do. */

const TOOL_ERROR = Symbol.for('thinkaloud.ToolError')

/** A setting is missing or invalid. The start fails with this sentence and exit code 1. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * A tool could not do what it was asked. The message becomes the observation that the model reads.
 *
 * Custom tools are loaded by jiti, which gives them a separate copy of this module and class. A shared symbol marks
 * every ToolError, and `instanceof` checks that symbol.
 */
export class ToolError extends Error {
  override name = 'ToolError'
  readonly [TOOL_ERROR] = true
  /** The service behind the tool was unreachable or too slow. The input was not at fault. */
  readonly isDown: boolean
  /** The message holds what only the asker may see. */
  readonly isForAsker: boolean

  constructor(message: string, { isDown = false, isForAsker = false } = {}) {
    super(message)
    this.isDown = isDown
    this.isForAsker = isForAsker
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && TOOL_ERROR in value
  }
}

/** The model is unavailable: down, slow, or it refused. `hint` is the sentence for people in Slack. */
export class ModelError extends Error {
  override name = 'ModelError'
  readonly hint: string
  readonly retryable: boolean

  constructor(message: string, options: { hint: string; retryable?: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.hint = options.hint
    this.retryable = options.retryable ?? false
  }
}

/** The model did not answer in time. `message` is for the log and says which time limit it was. */
export function tooSlow(message: string, cause?: unknown): ModelError {
  const hint = 'The model takes too long to answer right now. Please ask again in a few minutes.'
  return new ModelError(message, { hint, retryable: true, cause })
}

/** A store or a service is temporarily unavailable. A retry helps; the request is not at fault. */
export class TransientError extends Error {
  override name = 'TransientError'
}

/** Another worker has taken the run over. The process that catches this stops silently. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** Returns whether a signal was aborted by a time limit: a timeout, or a model that was silent for too long. */
export function isTimeUp(signal: AbortSignal): boolean {
  const { aborted, reason }: { aborted: boolean; reason: unknown } = signal
  return aborted && (reason instanceof ModelError || (reason instanceof Error && reason.name === 'TimeoutError'))
}

/** Yields an error and its causes, outermost first. Yields nothing for a value that is not an error. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause
}

/** The text of a thrown value, for a log line or an observation. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
