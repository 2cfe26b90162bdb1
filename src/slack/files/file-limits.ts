import { MEBIBYTE } from '../../files/types.ts'

/** The maximum number of a question's files, and their maximum sizes in bytes. `parse-file.ts` limits a file's text. */
export const MAX_FILES = 5
export const MAX_BYTES = { file: 20 * MEBIBYTE, question: 40 * MEBIBYTE, recording: 25 * MEBIBYTE }
/** The maximum length of a recording that is transcribed. */
export const MAX_RECORDING_MS = 600_000
