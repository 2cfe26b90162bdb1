/** A file that cannot be turned into text. The message is the sentence that people and the model read. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}
