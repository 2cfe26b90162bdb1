import { methods } from './methods/index.ts'

/** Returns Slack's methods that the local Slack does not have. Each answers `unknown_method`. */
export function unknownMethods(all: string[]): string[] {
  return all.filter((name) => !methods.has(name))
}

/** Returns a sentence with all missing methods. A family that is missing entirely is given by its name and size. */
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
