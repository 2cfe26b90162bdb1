/** The names of months in other languages than English, as Unicode's CLDR has them. */

const LANGUAGES =
  'fr es pt it de nl sv da nb fi pl cs sk sl hu ro tr ru uk bg el hr sr et lv lt ca id ms ar he fa th hi bn'.split(' ')

let names: Map<string, Set<number>> | undefined

/**
 * Returns the months that a name may mean, from 1: `lutego` is February, `listopad` is October or November. Short names
 * (`févr.`) are words too, so they count only with `isSure`.
 */
export function monthsNamed(name: string, isSure: boolean): number[] {
  names ??= readNames()
  // Hebrew writes `in` as a letter before the name.
  const lower = name
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^ב(?=[א-ת]{3})/, '')
  return [...(names.get(lower) ?? (isSure ? names.get(`${lower}.`) : undefined) ?? [])]
}

/** Short names end with a full stop here. */
function readNames(): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>()
  const add = (name: string, month: number) => {
    const bare = withoutAccents(name)
    for (const one of new Set([name, bare])) found.set(one, (found.get(one) ?? new Set()).add(month))
  }
  for (const language of LANGUAGES)
    for (const month of ['long', 'short'] as const)
      for (const day of ['numeric', undefined] as const) {
        const format = new Intl.DateTimeFormat(`${language}-u-nu-latn-ca-gregory`, { month, day, timeZone: 'UTC' })
        for (let m = 0; m < 12; m += 1) {
          const name = format.formatToParts(Date.UTC(2026, m, 15)).find(({ type }) => type === 'month')?.value ?? ''
          const lower = name.toLowerCase().replace(/\.$/, '')
          if (/^\p{L}/u.test(lower)) add(month === 'short' ? `${lower}.` : lower, m + 1)
        }
      }
  return found
}

/** `fevrier`, `aout`. */
function withoutAccents(name: string): string {
  return /^\p{Script=Latin}+\.?$/u.test(name) ? name.normalize('NFD').replace(/\p{M}/gu, '') : name
}
