/** A file that cannot be turned into text. The message is the sentence that people and the model read. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}

/** The sentence about a file whose reader ran out of memory. */
export const TOO_LARGE =
  'The file needs more memory than a file may take here, so it was not read. A part of it may be.'
