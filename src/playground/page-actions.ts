import { optional, required } from './args.ts'
import type { LocalSlack } from './local-slack.ts'
import { YOU } from './page-state.ts'
import type { Json } from './types.ts'

/** Longer messages are not taken; Slack's own editor stops at 12,000. */
const MOST_CHARS = 12_000

/** What the person at the page can do, by address. They begin it; how it goes on is seen on the page. */
export function pageActions(slack: LocalSlack): Map<string, (body: Json) => void> {
  return new Map([
    ['/say', (body: Json) => say(slack, body)],
    ['/press', (body: Json) => press(slack, body)],
    ['/react', (body: Json) => react(slack, body)],
  ])
}

/** A message, or a command where the text begins like one. */
function say(slack: LocalSlack, body: Json) {
  const channel = required(body, 'channel')
  const text = required(body, 'text').slice(0, MOST_CHARS).trim()
  const thread = optional(body, 'thread_ts')
  const command = /^(\/[a-z-]+)(?:\s+([\s\S]*))?$/.exec(text)
  if (command) return runCommand(slack, { channel, command: command[1] ?? '', text: command[2] ?? '', thread })
  background(slack.say({ channel, user: YOU, text: typed(slack, text), ...(thread && { thread_ts: thread }) }))
}

/** As in Slack, commands are known by name and cannot be used in threads. */
function runCommand(
  slack: LocalSlack,
  given: { channel: string; command: string; text: string; thread: string | undefined },
) {
  const { channel: id, command, text, thread } = given
  const channel = slack.store.channels.get(id)
  if (!channel) throw new Error(`There is no channel ${id}.`)
  if (command === '/ask' && !thread) return background(slack.slash(text, { channel: id, user: YOU, command }))
  const why =
    command === '/ask' ? `${command} is not supported in threads. Sorry!` : `${command} is not a valid command.`
  slack.store.whisper(channel, { user: YOU, text: why, ...(thread && { thread_ts: thread }) })
}

/** Feedback buttons carry the value of the side that was pressed; other buttons have their own. */
function press(slack: LocalSlack, body: Json) {
  const where = { channel: required(body, 'channel'), ts: required(body, 'ts'), user: YOU }
  const value = optional(body, 'value')
  background(
    slack.press(where, {
      action_id: required(body, 'action_id'),
      ...(value !== undefined && { value, extra: { value } }),
    }),
  )
}

/** Adds your reaction, or takes it back. */
function react(slack: LocalSlack, body: Json) {
  const where = { channel: required(body, 'channel'), ts: required(body, 'ts'), name: required(body, 'name') }
  background(slack.people.react({ ...where, user: YOU, removed: body['removed'] === true }))
}

/** What somebody typed, as Slack carries it: signs escaped, `@name` made a mention. */
export function typed(slack: LocalSlack, text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const users = [...slack.store.users.values()]
  return escaped.replace(/(?<![\w.])@([\w-]+)/g, (whole, name: string) => {
    const user = users.find((one) => one.name.toLowerCase() === name.toLowerCase())
    return user ? `<@${user.id}>` : whole
  })
}

/** The page does not wait for the app; what goes wrong there shows in the thread or as a whisper. */
function background(work: Promise<unknown>) {
  work.catch(() => undefined)
}
