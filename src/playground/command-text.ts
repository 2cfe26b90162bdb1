import type { Store } from './store.ts'

/** People and channels as Slack writes them, `<@U…>` and `<#C…|name>`, or as a person types them, `@alice` and `#general`. */
const NAMED = /<([@#])([UWC][A-Z0-9]+)(?:\|[^<>|]*)?>|(?<=^|[\s(])([@#])([a-z0-9][\w.-]*)/g

/**
 * What an app gets of what stands behind its slash command. `escapes` is the manifest's `should_escape`: with it every person and
 * channel comes as `<@U…|name>` and `<#C…|name>`, without it as `@name` and `#name`, plain text.
 * https://docs.slack.dev/interactivity/implementing-slash-commands
 */
export function commandText(store: Store, text: string, escapes: boolean): string {
  return text.replace(NAMED, (typed: string, sign: string, id: string, typedSign: string, name: string) => {
    const found = id ? [id, nameOf(store, id)] : idOf(store, typedSign, name)
    if (!found) return typed
    const [foundId, foundName] = found
    if (foundId === undefined || foundName === undefined) return typed
    const mark = id ? sign : typedSign
    return escapes ? `<${mark}${foundId}|${foundName}>` : `${mark}${foundName}`
  })
}

function nameOf({ users, channels }: Store, id: string): string | undefined {
  return users.get(id)?.name ?? channels.get(id)?.name
}

function idOf({ users, channels }: Store, sign: string, name: string): [string, string] | undefined {
  const named = [...(sign === '@' ? users : channels).values()].find((one) => one.name === name)
  return named && [named.id, name]
}
