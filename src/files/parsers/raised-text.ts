/** Raised and lowered text: 10⁶ and CO₂ must not read as 106 and CO2. */

const RAISED = new Map([...'0123456789+-−=()n'].map((character, i) => [character, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ'][i]!]))
const LOWERED = new Map([...'0123456789+-−=()'].map((character, i) => [character, [...'₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎'][i]!]))

/** Returns the text in characters that show its place, else behind `^` or `_`. Words stay. */
export function raisedText(text: string, isRaised: boolean): string {
  const plain = text.trim()
  // A reference in brackets cannot be mistaken for a part of the number before it.
  if (
    !/\d|^[+−\-iknTxy]$|^\p{L}(?:\s?[-+−=*/]\s?\p{L}){1,9}$/u.test(plain) ||
    /^\[[^\]]*\]/.test(plain) ||
    plain.length > 40
  )
    return text
  const characters = isRaised ? RAISED : LOWERED
  const all = [...plain]
  if (all.every((one) => characters.has(one) || one === ',' || one === ' '))
    return all.map((one) => characters.get(one) ?? one).join('')
  return `${isRaised ? '^' : '_'}(${plain})`
}
