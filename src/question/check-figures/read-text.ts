/** A text that a run has read, and its place in words: `step 2`, `handbook.pdf, page 3`. */
export interface ReadText {
  place: string
  text: string
  /** It is a cell of a query's result. */
  isCell?: true
  /** It is the beginning of a file, which the prompt shows. */
  isOpening?: true
  /**
   * Its file was queried, so the opening is a source of the figures that stand there, and not of roundings and sums.
   */
  isQueried?: true
}
