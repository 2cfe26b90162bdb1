/** Finds words for a factor or a divisor: `half`, `a third`, `doppelt`. */

/** An ordinal (`the third quarter`) is none. */
const FRACTIONS: [words: RegExp, value: number][] = [
  [
    /(?<!\p{L})(?:half|halves|twice|hälfte|halb(?:e[nmrs]?)?|moitié|mitad|dobles?|metà|doubl(?:e[ds]?|é\p{L}*|er)|(?:doppelt|verdoppel|doppi)\p{L}*)(?!\p{L})|半分|一半|[2二两]倍|절반|두 배/iu,
    2,
  ],
  [
    /(?<!\p{L})(?:(?:a|one|two) thirds?|thirds of|triple[ds]?|drittel|dreifach\p{L}*|(?:un|deux|le) tiers|tercios?|terzo)(?!\p{L})|[3三]倍/iu,
    3,
  ],
  [
    /(?<!\p{L})(?:(?:a|one|three) quarters?|quarters of|viertel|vierfach\p{L}*|(?:un|trois) quarts?|quadruple[ds]?)(?!\p{L})|[4四]倍/iu,
    4,
  ],
]

/** Returns the factors that a text names. */
export function factorsIn(text: string): number[] {
  return FRACTIONS.flatMap(([words, value]) => (words.test(text) ? [value] : []))
}
