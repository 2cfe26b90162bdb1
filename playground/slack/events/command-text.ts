import type { Store } from '../store.ts'

/** Matches people and channels as Slack writes them, `<@U…>` and `<#C…|name>`. */
const BY_ID = /<([@#])([UWC][A-Z0-9]+)(?:\|[^<>|]*)?>/g
/**
 * Matches people and channels as a person types them, `@alice` and `#general`; not inside a word, such as an address.
 */
const BY_NAME = /(?<=^|[\s(])([@#])([a-z0-9][\w.-]*)/g

/**
 * Returns the text of a slash command as the app gets it. `escapes` is the manifest's `should_escape`. If it is on,
 * people and channels become `<@U…|name>` and `<#C…|name>`. Otherwise they are plain text: `@name` and `#name`.
 * https://docs.slack.dev/interactivity/implementing-slash-commands
 */
export function commandText({ users, channels }: Store, text: string, escapes: boolean): string {
  const named = text.replace(BY_ID, (typed, sign: string, id: string) => {
    const name = (sign === '@' ? users : channels).get(id)?.name
    if (name === undefined) return typed
    return escapes ? `<${sign}${id}|${name}>` : `${sign}${name}`
  })
  if (!escapes) return named
  const ids = {
    '@': new Map([...users.values()].map(({ id, name }) => [name, id])),
    '#': new Map([...channels.values()].map(({ id, name }) => [name, id])),
  }
  return named.replace(BY_NAME, (typed, sign: '@' | '#', name: string) => {
    const id = ids[sign].get(name)
    return id === undefined ? typed : `<${sign}${id}|${name}>`
  })
}
