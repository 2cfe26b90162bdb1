import { MEBIBYTE } from '../../files/types.ts'

/**
 * How many files a question may have, and how large they may be. Bytes. `parse-file.ts` limits the text of one file.
 */
export const MAX_FILES = 5
export const MAX_BYTES = { file: 20 * MEBIBYTE, question: 40 * MEBIBYTE }
