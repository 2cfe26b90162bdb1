/** Compares the messages of a call with those of the previous call, in linear time. */

/** Returns everything that a provider reads of a message. */
export function contentOf({ content, unseen, toolCalls }) {
  const calls = (toolCalls ?? []).map(({ name, arguments: written }) => `${name}(${written})`)
  return [unseen, content, ...calls].filter(Boolean).join('\n')
}

/**
 * @param {object[] | undefined} before the messages of the previous call, if there was one
 * @param {object[]} now
 * @returns {{ messages: { message: object, same: boolean, prefix: string, added: string, suffix: string, removed:
 * string }[], gone: object[], kept: number, all: number }} the first `kept` of `all` characters are unchanged
 */
export function compareMessages(before = [], now) {
  let [kept, isSame] = [0, before.length > 0]
  const messages = now.map((message, i) => {
    const [text, old] = [contentOf(message), before[i]?.role === message.role ? contentOf(before[i]) : undefined]
    const change = changeOf(old, text)
    if (isSame) kept += change.same ? text.length : change.prefix.length
    isSame &&= change.same
    return { message, ...change }
  })
  const all = now.reduce((sum, message) => sum + contentOf(message).length, 0)
  return { messages, gone: before.slice(now.length), kept, all }
}

function changeOf(old, text) {
  if (old === text) return { same: true, prefix: text, added: '', suffix: '', removed: '' }
  const prefix = old === undefined ? 0 : commonBeginning(old, text)
  const most = Math.min(text.length, old?.length ?? 0) - prefix
  const suffix = old === undefined ? 0 : commonEnd(old, text, most)
  return {
    same: false,
    prefix: text.slice(0, prefix),
    added: text.slice(prefix, text.length - suffix),
    suffix: text.slice(text.length - suffix),
    removed: old?.slice(prefix, old.length - suffix) ?? '',
  }
}

function commonBeginning(one, other) {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}

function commonEnd(one, other, most) {
  let at = 0
  while (at < most && one.charCodeAt(one.length - 1 - at) === other.charCodeAt(other.length - 1 - at)) at += 1
  return at
}
