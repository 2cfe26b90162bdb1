/**
 * Tolerant reading of what models write, by dialect. The readers are tolerant of form and strict about one thing: only
 * what the model wrote in this turn, up to its first invented observation, is read. None throws on any text, none takes
 * more than linear time, and what is cut off is unreadable, never guessed.
 */
export { beginsObservation, cutAtObservation } from './reading/cut.ts'
export { stripThinking } from './reading/thinking.ts'
export { listedTool } from './reading/names.ts'
export { readLeakedCalls, spokenWords } from './reading/native-text.ts'
export { readText } from './reading/text.ts'
export { readJson } from './reading/json.ts'
export { readBracket } from './reading/bracket.ts'
export { beginsIntermediateAnswer, readSelfAsk } from './reading/self-ask.ts'
export { readConversational } from './reading/conversational.ts'
