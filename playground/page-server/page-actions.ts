import { isObject, optional, required } from '../slack/args.ts'
import type { FormValues } from '../slack/events/form-state.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import { pendingFiles } from './page-files.ts'
import * as rules from './page-rules.ts'
import { tableAttachments } from '../slack/pasted-table.ts'
import { forwarded, sampleMessage } from './shared-messages.ts'
import type { Channel, Json } from '../slack/types.ts'

/** The maximum length of a message. Slack's own editor stops at 12,000. */
const MAX_CHARS = 12_000

/** An action of the person at the page, with the body of the page's request. The page gets the result. */
type PageAction = (slack: LocalSlack, body: Json, you: string) => Json | void | Promise<Json | void>

/**
 * The actions of the person at the page, by path. Only a form waits for the app. The page sees the other effects as
 * changes.
 */
const ACTS: Record<string, PageAction> = {
  '/say': say,
  '/press': press,
  '/react': react,
  '/edit': edit,
  '/delete': remove,
  '/forward': (slack, body, user) =>
    background(slack.say(forwarded(slack, body, { user, text: typed(slack, commentIn(body)) }))),
  '/sample': (slack, body, user) => background(slack.say(sampleMessage(slack, body, user))),
  '/shortcut': shortcut,
  '/stop': (slack, body, user) => background(slack.people.stopSession({ ...ownThread(slack, body, user), user })),
  '/rename': (slack, body, user) =>
    background(slack.people.renameSession({ ...ownThread(slack, body, user), user }, required(body, 'title'))),
  '/home': openHome,
  '/submit': submit,
  '/close': (slack, body, user) => background(slack.closeView(ownView(slack, body, user))),
}

/** Called before an action (`say`, …). The returned function is called if the action is refused. */
export type OnAct = (act: string, body: Json, you: string) => () => void

export function pageActions(
  slack: LocalSlack,
  onAct?: OnAct,
): Map<string, (body: Json, you: string) => ReturnType<PageAction>> {
  const heard = (path: string, act: PageAction) => (body: Json, you: string) => {
    const refused = onAct?.(path.slice(1), body, you)
    try {
      return act(slack, body, you)
    } catch (error) {
      refused?.()
      throw error
    }
  }
  return new Map(Object.entries(ACTS).map(([path, act]) => [path, heard(path, act)]))
}

function place(body: Json): { channel: string; ts: string } {
  return { channel: required(body, 'channel'), ts: required(body, 'ts') }
}

/** Returns a thread that the person sees. */
function ownThread(slack: LocalSlack, body: Json, user: string): { channel: string; thread: string } {
  const [channel, thread] = [required(body, 'channel'), required(body, 'thread')]
  rules.seenMessage(slack, { channel, ts: thread }, user)
  return { channel, thread }
}

/** Returns an open view of this person. */
function ownView(slack: LocalSlack, body: Json, user: string): string {
  const view = required(body, 'view')
  rules.checkOwnView(slack, view, user)
  return view
}

/** Sends a message, or a command if the text starts like one. */
function say(slack: LocalSlack, body: Json, user: string) {
  const channel = rules.writableChannel(slack, required(body, 'channel'), user)
  const files = pendingFiles(slack, body['files'], user)
  const attachments = tableAttachments(body['tables'])
  const text =
    files.length + attachments.length > 0 ? commentIn(body) : required(body, 'text').slice(0, MAX_CHARS).trim()
  const thread = optional(body, 'thread_ts')
  const command = /^(\/[a-z-]+)(?:\s+([\s\S]*))?$/.exec(text)
  if (command && files.length + attachments.length > 0)
    throw new Error(`A command takes no ${files.length > 0 ? 'files' : 'tables'}. Mention the bot instead.`)
  if (command) return runCommand(slack, { channel, command: command[1] ?? '', text: command[2] ?? '', thread, user })
  const attached = files.length > 0 && { files: files.map(({ id }) => ({ id })) }
  background(
    slack.say({
      channel: channel.id,
      user,
      text: typed(slack, text),
      ...attached,
      ...(attachments.length > 0 && { extra: { attachments } }),
      ...(thread && { thread_ts: thread }),
    }),
  )
}

function commentIn(body: Json): string {
  return (optional(body, 'text') ?? '').slice(0, MAX_CHARS).trim()
}

/** Sends a command. As in Slack, only people of the workspace can use commands, and not in threads. */
function runCommand(
  slack: LocalSlack,
  given: { channel: Channel; command: string; text: string; thread: string | undefined; user: string },
) {
  const { channel, command, text, thread, user } = given
  const isKnown = command === '/ask' && rules.hasApp(slack, user)
  if (isKnown && !thread) return background(slack.slash(text, { channel: channel.id, user, command }))
  const why = isKnown ? `${command} is not supported in threads. Sorry!` : `${command} is not a valid command.`
  slack.store.sendEphemeral(channel, { user, text: why, ...(thread && { thread_ts: thread }) })
}

/** Presses an element of a message or a view. Thumbs and options are identified by the chosen value. */
function press(slack: LocalSlack, body: Json, user: string) {
  const view = body['view'] === undefined ? undefined : ownView(slack, body, user)
  if (view === undefined) rules.checkPressable(slack, place(body), user)
  const values = valuesOf(body)
  const where = view === undefined ? { ...place(body), user, values } : { view, values }
  const value = optional(body, 'value')
  const several = Array.isArray(body['chosen']) ? body['chosen'].map(String) : undefined
  const chosen = { action_id: required(body, 'action_id'), ...(several && { values: several }) }
  background(slack.press(where, { ...chosen, ...(value !== undefined && { value }) }))
}

/** Adds or removes your reaction. */
function react(slack: LocalSlack, body: Json, user: string) {
  rules.seenMessage(slack, place(body), user)
  const where = { ...place(body), name: required(body, 'name') }
  background(slack.people.react({ ...where, user, removed: body['removed'] === true }))
}

/** Edits one of the person's own messages. */
function edit(slack: LocalSlack, body: Json, user: string) {
  rules.checkOwn(slack, place(body), user)
  const text = required(body, 'text').slice(0, MAX_CHARS).trim()
  background(slack.people.edit(place(body), typed(slack, text)))
}

function remove(slack: LocalSlack, body: Json, user: string) {
  rules.checkOwn(slack, place(body), user)
  background(slack.people.remove(place(body)))
}

function shortcut(slack: LocalSlack, body: Json, user: string) {
  rules.checkHasApp(slack, user)
  rules.seenMessage(slack, place(body), user)
  background(slack.shortcut({ ...place(body), user }, required(body, 'callback_id')))
}

function openHome(slack: LocalSlack, body: Json, user: string) {
  rules.checkHasApp(slack, user)
  background(slack.people.openHome(user, body['tab'] === 'messages' ? 'messages' : 'home'))
}

/** Submits a form. Returns its errors by input. */
async function submit(slack: LocalSlack, body: Json, user: string): Promise<Json> {
  const { ok, errors } = await slack.submit(ownView(slack, body, user), valuesOf(body))
  return { ok, errors: errors ?? (ok ? undefined : { '': 'The app did not answer in time.' }) }
}

function valuesOf(body: Json): FormValues {
  const values = isObject(body['values']) ? body['values'] : {}
  const entries = Object.entries(values).map(([name, value]): [string, string | string[]] => {
    return [name, Array.isArray(value) ? value.map(String) : String(value)]
  })
  return Object.fromEntries(entries)
}

/** Matches an address without the punctuation at the end of a sentence. */
const ADDRESS = /\bhttps?:\/\/(?:(?!&[lg]t;)[^\s`])+(?<![.,;:!?'")\]*_~])/g

/** Returns typed text in Slack's form: escaped, addresses in angle brackets, `@name` as a mention. */
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

/** Runs an action without waiting for the app. Errors show in the thread or as an ephemeral message. */
function background(work: Promise<unknown>) {
  work.catch(() => undefined)
}
