import { methods } from './methods/index.ts'

/** Of Slack's methods those that this one does not have: each answers `unknown_method`. */
export function unknownMethods(all: string[]): string[] {
  return all.filter((name) => !methods.has(name))
}

/**
 * All of them in a sentence: a family that is missing whole by its first name and its size, of the others each method.
 */
export function tellUnknown(all: string[]): string {
  const missing = unknownMethods(all)
  const families = [...new Set(missing.map(familyOf))].map((family) => {
    const gone = missing.filter((name) => familyOf(name) === family)
    const isWhole = gone.length > 1 && ![...methods.keys()].some((name) => familyOf(name) === family)
    return isWhole ? `${family}.* (${gone.length})` : gone.join(', ')
  })
  return (
    `Not simulated: ${missing.length} of the ${new Set([...all, ...methods.keys()]).size} methods of Slack’s Web API. ` +
    `Each answers unknown_method, never a success: ${families.join(', ')}.`
  )
}

function familyOf(name: string): string {
  return name.split('.')[0] ?? name
}
