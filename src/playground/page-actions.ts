import { isObject, optional, required } from './args.ts'
import type { Values } from './form-state.ts'
import type { LocalSlack } from './local-slack.ts'
import { pendingFiles } from './page-files.ts'
import type { Json } from './types.ts'

/** Longer messages are not taken; Slack's own editor stops at 12,000. */
const MOST_CHARS = 12_000

/** What somebody at a page did, from the page's body; what comes back is told to the page. */
type Act = (slack: LocalSlack, body: Json, you: string) => Json | void | Promise<Json | void>

/** What the person at the page can do, by address. Only a form waits for the app: the rest is seen on the page. */
const ACTS: Record<string, Act> = {
  '/say': say,
  '/press': press,
  '/react': react,
  '/edit': edit,
  '/delete': (slack, body, user) => background(slack.people.remove(ownMessage(slack, body, user))),
  '/shortcut': (slack, body, user) =>
    background(slack.shortcut({ ...place(body), user }, required(body, 'callback_id'))),
  '/stop': (slack, body, user) => background(slack.people.stopSession({ ...threadOf(body), user })),
  '/rename': (slack, body, user) =>
    background(slack.people.renameSession({ ...threadOf(body), user }, required(body, 'title'))),
  '/home': (slack, body, you) =>
    background(slack.people.openHome(you, body['tab'] === 'messages' ? 'messages' : 'home')),
  '/submit': submit,
  '/close': (slack, body) => background(slack.closeView(required(body, 'view'))),
}

export function pageActions(slack: LocalSlack): Map<string, (body: Json, you: string) => ReturnType<Act>> {
  return new Map(Object.entries(ACTS).map(([path, act]) => [path, (body, you) => act(slack, body, you)]))
}

function place(body: Json): { channel: string; ts: string } {
  return { channel: required(body, 'channel'), ts: required(body, 'ts') }
}

function threadOf(body: Json): { channel: string; thread: string } {
  return { channel: required(body, 'channel'), thread: required(body, 'thread') }
}

/** A message, or a command where the text begins like one. */
function say(slack: LocalSlack, body: Json, user: string) {
  const channel = required(body, 'channel')
  const files = pendingFiles(slack, body['files'], user)
  const text = (files.length > 0 ? (optional(body, 'text') ?? '') : required(body, 'text')).slice(0, MOST_CHARS).trim()
  const thread = optional(body, 'thread_ts')
  const command = /^(\/[a-z-]+)(?:\s+([\s\S]*))?$/.exec(text)
  if (command && files.length > 0) throw new Error('A command takes no files. Mention the bot instead.')
  if (command) return runCommand(slack, { channel, command: command[1] ?? '', text: command[2] ?? '', thread, user })
  const attached = files.length > 0 && { files: files.map(({ id }) => ({ id })) }
  background(slack.say({ channel, user, text: typed(slack, text), ...attached, ...(thread && { thread_ts: thread }) }))
}

/** As in Slack, commands are known by name and cannot be used in threads. */
function runCommand(
  slack: LocalSlack,
  given: { channel: string; command: string; text: string; thread: string | undefined; user: string },
) {
  const { channel: id, command, text, thread, user } = given
  const channel = slack.store.channels.get(id)
  if (!channel) throw new Error(`There is no channel ${id}.`)
  if (command === '/ask' && !thread) return background(slack.slash(text, { channel: id, user, command }))
  const why =
    command === '/ask' ? `${command} is not supported in threads. Sorry!` : `${command} is not a valid command.`
  slack.store.whisper(channel, { user, text: why, ...(thread && { thread_ts: thread }) })
}

/** Something in a message or in a view. Thumbs and options are told by the value that was chosen. */
function press(slack: LocalSlack, body: Json, user: string) {
  const view = optional(body, 'view')
  const values = valuesOf(body)
  const where = view === undefined ? { ...place(body), user, values } : { view, values }
  const value = optional(body, 'value')
  const several = Array.isArray(body['chosen']) ? body['chosen'].map(String) : undefined
  const chosen = { action_id: required(body, 'action_id'), ...(several && { values: several }) }
  background(slack.press(where, { ...chosen, ...(value !== undefined && { value }) }))
}

/** Adds your reaction, or takes it back. */
function react(slack: LocalSlack, body: Json, user: string) {
  const where = { ...place(body), name: required(body, 'name') }
  background(slack.people.react({ ...where, user, removed: body['removed'] === true }))
}

function edit(slack: LocalSlack, body: Json, user: string) {
  const text = required(body, 'text').slice(0, MOST_CHARS).trim()
  background(slack.people.edit(ownMessage(slack, body, user), typed(slack, text)))
}

/** What people write themselves; the lines that say who joined, and what is left of a deleted message, are nobody's. */
const OWN_KINDS = [undefined, 'file_share', 'thread_broadcast', 'me_message']

/** The place of a message that the person wrote. @throws where it is another's: nobody changes or deletes that. */
function ownMessage(slack: LocalSlack, body: Json, user: string): { channel: string; ts: string } {
  const { channel, ts } = place(body)
  const message = slack.store.channels.get(channel)?.messages.find((one) => one.ts === ts)
  if (message?.user !== user || !OWN_KINDS.includes(message.subtype))
    throw new Error('Only your own messages can be edited and deleted.')
  return { channel, ts }
}

/** A form is sent, and what is wrong with it comes back to stand at its inputs. */
async function submit(slack: LocalSlack, body: Json): Promise<Json> {
  const { ok, errors } = await slack.submit(required(body, 'view'), valuesOf(body))
  return { ok, errors: errors ?? (ok ? undefined : { '': 'The app did not answer in time.' }) }
}

function valuesOf(body: Json): Values {
  const values = isObject(body['values']) ? body['values'] : {}
  const entries = Object.entries(values).map(([name, value]): [string, string | string[]] => {
    return [name, Array.isArray(value) ? value.map(String) : String(value)]
  })
  return Object.fromEntries(entries)
}

/** An address, up to a sign that ends the sentence and not it. */
const ADDRESS = /\bhttps?:\/\/(?:(?!&[lg]t;)[^\s`])+(?<![.,;:!?'")\]*_~])/g

/** What somebody typed, as Slack carries it: signs escaped, addresses in angle brackets, `@name` made a mention. */
export function typed(slack: LocalSlack, text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const linked = escaped
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(ADDRESS, '<$&>')))
    .join('')
  const users = [...slack.store.users.values()]
  return linked.replace(/(?<![\w.\/])@([\w-]+)/g, (whole, name: string) => {
    const user = users.find((one) => one.name.toLowerCase() === name.toLowerCase())
    return user ? `<@${user.id}>` : whole
  })
}

/** The page does not wait for the app; what goes wrong there shows in the thread or as a whisper. */
function background(work: Promise<unknown>) {
  work.catch(() => undefined)
}
