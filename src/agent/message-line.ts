import { defuseLabels } from './observation.ts'
import { defuseTokens } from './parser/special-tokens.ts'
import type { MessageStep } from './types.ts'

const LABEL = 'Message from the person:'

/**
 * What a person added while the run was under way, as a line of the text that the model goes on with. It is the person's word,
 * so it stands without the marks that an observation gets; but it cannot pass for another part of the prompt.
 */
export function messageLine(step: MessageStep): string {
  return `${LABEL} ${personsWords(step)}\n`
}

/** The same for a dialect that has a role for what people say. */
export function personsWords({ text }: MessageStep): string {
  return defuseTokens(defuseLabels(text.trim()))
}

/** Whether a line of model output begins a person's message that the model invented, as models do with observations. */
export function beginsMessage(line: string): boolean {
  return line.trimStart().toLowerCase().startsWith(LABEL.toLowerCase())
}
