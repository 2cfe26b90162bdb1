/** The few errors that this house throws on purpose. Each says, in a sentence fit for a person, what happened and what to do. */

const TOOL_ERROR = Symbol.for('thinkaloud.ToolError')

/** A setting is missing or impossible. The start ends with this sentence and exit code 1. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * A tool could not do what it was asked. The sentence becomes the observation that the model reads.
 *
 * People's own tools are loaded by jiti, which gives them a copy of this module with a class of its own. So what makes an error a
 * ToolError is a mark that all copies share, and `instanceof` looks for that.
 */
export class ToolError extends Error {
  override name = 'ToolError'
  readonly [TOOL_ERROR] = true
  /** What the tool asks could not be reached, or was too slow: nothing is wrong with what was asked of it. */
  readonly isDown: boolean

  constructor(message: string, { isDown = false } = {}) {
    super(message)
    this.isDown = isDown
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && TOOL_ERROR in value
  }
}

/** The model could not be had: down, slow, refused. `hint` is the sentence that a person in Slack reads. */
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

/** The model did not say in time what was to be said. `message` tells the log whose time it was. */
export function tooSlow(message: string, cause?: unknown): ModelError {
  const hint = 'The model takes too long to answer right now. Please ask again in a few minutes.'
  return new ModelError(message, { hint, retryable: true, cause })
}

/** A store or a service is away for now: trying again later helps, and what was asked for is not at fault. */
export class TransientError extends Error {
  override name = 'TransientError'
}

/** This process no longer owns the run it works on: another worker has taken it. Whoever meets it stops, silently. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** Whether a signal was aborted because a time was up: by a time-out, or for a model that was silent for too long. */
export function isTimeUp(signal: AbortSignal): boolean {
  const { aborted, reason }: { aborted: boolean; reason: unknown } = signal
  return aborted && (reason instanceof ModelError || (reason instanceof Error && reason.name === 'TimeoutError'))
}

/** An error and what it wraps, the outermost first. Nothing for what is no error. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause
}

/** The text of whatever was thrown, for a log line or an observation. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
