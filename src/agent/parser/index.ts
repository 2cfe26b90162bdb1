/**
 * Tolerant reading of what models write, by dialect. The readers are tolerant of form and strict about one thing: only
 * what the model wrote in this turn, up to its first invented observation, is read. None throws on any text, none takes
 * more than linear time, and what is cut off is unreadable, never guessed.
 */
export { beginsObservation, cutAtObservation } from './invented-observation.ts'
export { isThinking, stripThinking } from './thinking.ts'
export { readText } from './read-text.ts'
export { readJson } from './read-json.ts'
export { readBracket } from './read-bracket.ts'
export { beginsIntermediateAnswer, readSelfAsk } from './read-self-ask.ts'
export { readConversational } from './read-conversational.ts'
