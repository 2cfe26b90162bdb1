/** Names that people may take for another person's. */

/** Letters of other scripts, and the Latin ones that they look like. */
const FOREIGN = 'аеорсухіјѕһԁοαρνιıкмтвн'
const LATIN = 'aeopcyxijshdoapviikmtbh'
const LOOKALIKES = new Map([...FOREIGN].map((letter, i) => [letter, LATIN[i]]))

/**
 * Returns a name without what could pass for a fact about its owner: parts in parentheses, and words that look like an
 * id of Slack.
 */
export function bareName(name: string): string {
  const bare = name
    .replace(/\([^)]*\)?|\)/g, ' ')
    .replace(/\bmember id\b/giu, ' ')
    .replace(/\b[uw](?=[a-z\d]*\d)[a-z\d]{6,}\b/giu, ' ')
  return bare.replace(/\s+/g, ' ').trim()
}

/** Returns whether two names look alike: in another case, with other accents, spaces, signs or similar letters. */
export function areAlike(one: string, other: string): boolean {
  const seen = skeleton(one)
  return one.trim() === other.trim() || (seen !== '' && seen === skeleton(other))
}

function skeleton(name: string): string {
  const plain = bareName(name).normalize('NFKD').toLowerCase()
  const letters = plain.replace(/[\u0300-\u036f]|[^\p{L}\p{M}\p{N}]+/gu, '')
  return [...letters].map((letter) => LOOKALIKES.get(letter) ?? letter).join('')
}
