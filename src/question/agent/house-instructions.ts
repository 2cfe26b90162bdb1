import { readFileSync } from 'node:fs'
import { withInstructions } from '../../agent/dialects/instructions.ts'
import type { Dialect } from '../../agent/contracts/dialect.ts'
import { ConfigError, messageOf } from '../../base/errors.ts'
import type { Prompts } from '../../base/prompts.ts'

/** The maximum length of the instructions, in characters: they are part of every prompt. */
const MAX_CHARS = 10_000

/**
 * Returns a function that adds the operator's instructions to a dialect, before a channel's own. Without a file the
 * dialect stays as it is.
 * @throws ConfigError if INSTRUCTIONS_FILE cannot be read, is empty or too long
 */
export function houseInstructions(file: string | undefined, prompts: Prompts): (dialect: Dialect) => Dialect {
  if (file === undefined) return (dialect) => dialect
  const words = prompts['house-instructions']({ instructions: instructionsIn(file) })
  return (dialect) => withInstructions(dialect, words)
}

function instructionsIn(file: string): string {
  const text = read(file).trim()
  if (text === '')
    throw new ConfigError(`INSTRUCTIONS_FILE is empty: write your instructions into ${file}, or unset it.`)
  if (text.length > MAX_CHARS)
    throw new ConfigError(
      `INSTRUCTIONS_FILE is too long: shorten ${file} from ${text.length} to ${MAX_CHARS} characters.`,
    )
  return text
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`INSTRUCTIONS_FILE cannot be read: ${messageOf(error)}.`)
  }
}
