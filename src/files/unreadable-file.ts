/** A file that cannot be turned into text. People and the model read the message. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}

/** The sentence about a file whose reader ran out of memory. */
export const TOO_LARGE = 'The file needs too much memory to read. Upload only the part that matters.'
