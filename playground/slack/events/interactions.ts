/** People's presses, forms and commands, and their delivery to the app. */
import { commandText } from './command-text.ts'
import { formState, messageState, type FormValues } from './form-state.ts'
import type { AckResult, HandOver } from './hand-over.ts'
import { checkView } from '../methods/view-methods.ts'
import { actionOf, findAction, parsed, type ElementChoice } from './payloads.ts'
import type { MessagePlace } from '../people.ts'
import { ALICE, APP, GENERAL, TEAM } from '../store.ts'
import { Refusal, type Channel, type Ephemeral, type Json, type StoredMessage } from '../types.ts'
import type { OpenView } from '../view-stack.ts'

interface ActedPlace extends MessagePlace {
  /** The person who acts; Alice unless given. */
  user?: string
}

/** `values`: what was typed or picked before, by `action_id` or `block_id`. */
interface PressPlace extends ActedPlace {
  values?: FormValues
}

/** An open view, or its id, and the values filled in so far. */
interface ViewPlace {
  view: Json | string
  values?: FormValues
}

/** The result of a form: closed, or still open with errors by block. */
export interface SubmitResult extends AckResult {
  errors?: Record<string, string>
}

/** People's presses, forms and commands. Every method resolves after the app had the chance to ack. */
export class Interactions {
  private readonly handOver: HandOver

  constructor(handOver: HandOver) {
    this.handOver = handOver
  }

  /** Sends a person's slash command. The person sees the message of its ack, or a failure. */
  async slash(text: string, options: { channel?: string; user?: string; command?: string } = {}): Promise<AckResult> {
    const { store, responseUrls, base, shouldEscape } = this.handOver.with
    const { user = ALICE, command = '/ask' } = options
    const channel = this.handOver.channel(options.channel ?? GENERAL)
    const to: Parameters<typeof responseUrls.issue>[1] = { channel, user }
    const payload = {
      token: 'local',
      team_id: TEAM,
      team_domain: 'local',
      channel_id: channel.id,
      channel_name: channel.kind === 'group' ? 'privategroup' : channel.name,
      user_id: user,
      user_name: store.users.get(user)?.name ?? user,
      command,
      text: commandText(store, text, shouldEscape),
      api_app_id: APP,
      is_enterprise_install: 'false',
      response_url: responseUrls.issue(base(), to),
      trigger_id: this.handOver.with.trigger(user),
    }
    const done = await this.handOver.hand('slash_commands', payload)
    if (!done.ok) store.sendEphemeral(channel, { user, text: `${command} failed with the error "operation_timeout"` })
    const answer = parsed(done.body)
    if (done.ok && (answer['text'] || answer['blocks'])) responseUrls.show(to, answer)
    return done
  }

  /**
   * Presses a button, or chooses from another element with an `action_id`, in a message or a view.
   */
  async press(where: PressPlace | ViewPlace, action: ElementChoice): Promise<AckResult> {
    return 'view' in where ? this.pressInView(where, action) : this.pressInMessage(where, action)
  }

  private async pressInMessage(where: PressPlace, action: ElementChoice): Promise<AckResult> {
    const { store, responseUrls, base } = this.handOver.with
    const { user = ALICE, values = {} } = where
    const channel = this.handOver.channel(where.channel)
    const sendEphemeral = channel.ephemerals.find((one) => one.ts === where.ts && one.user === user)
    const message = sendEphemeral ?? store.message(channel, where.ts)
    const found = findAction(message.blocks, action)
    if (!found) throw new Error(`Message ${where.ts} has no element with the action_id ${action.action_id}.`)
    const { thread_ts: thread, ts } = message
    return this.handOver.hand('interactive', {
      ...this.handOver.interaction('block_actions', user),
      channel: { id: channel.id, name: channel.name },
      container: { ...container(channel, message), is_ephemeral: sendEphemeral !== undefined },
      // Slack does not store ephemeral messages, so the app does not get the message back.
      ...(!sendEphemeral && { message }),
      state: messageState(message.blocks, values),
      response_url: responseUrls.issue(base(), { channel, user, message: ts, ...(thread && { thread }) }),
      actions: [actionOf(found, action, store.ts())],
    })
  }

  private async pressInView(where: ViewPlace, action: ElementChoice): Promise<AckResult> {
    const { user, view } = this.open(where.view)
    const found = findAction(blocksOf(view), action)
    if (!found) throw new Error(`The view ${String(view['id'])} has no element with the action_id ${action.action_id}.`)
    return this.handOver.hand('interactive', {
      ...this.handOver.interaction('block_actions', user),
      container: { type: 'view', view_id: view['id'] },
      view: { ...view, state: formState(view, where.values ?? {}).state },
      actions: [actionOf(found, action, this.handOver.with.store.ts())],
    })
  }

  /** Uses a shortcut of a message's menu. */
  async shortcut(where: ActedPlace, callbackId: string): Promise<AckResult> {
    const { store, responseUrls, base } = this.handOver.with
    const { user = ALICE } = where
    const channel = this.handOver.channel(where.channel)
    const message = store.message(channel, where.ts)
    const { ts, thread_ts: thread } = message
    return this.handOver.hand('interactive', {
      ...this.handOver.interaction('message_action', user),
      callback_id: callbackId,
      action_ts: store.ts(),
      message_ts: ts,
      message,
      channel: { id: channel.id, name: channel.name },
      response_url: responseUrls.issue(base(), { channel, user, ...(thread && { thread }) }),
    })
  }

  /**
   * Submits a form, with its elements filled in by `action_id` or `block_id`. The ack closes it, shows errors, updates
   * it, or opens another.
   * @throws Error if Slack's own window would not send it: a required element is empty, or an option does not exist
   */
  async submit(which: Json | string, values: FormValues = {}): Promise<SubmitResult> {
    const shown = this.open(which)
    const { state, missing } = formState(shown.view, values)
    if (missing.length > 0) throw new Error(`The form is not sent: ${missing.join(', ')} is empty.`)
    const done = await this.handOver.hand('interactive', {
      ...this.handOver.interaction('view_submission', shown.user),
      view: { ...shown.view, state },
      response_urls: [],
    })
    if (!done.ok) return done
    const errors = this.answered(shown, parsed(done.body))
    return { ...done, ...(errors && { errors }) }
  }

  /** Closes a modal. The app is notified if it asked for that. */
  async closeView(which: Json | string): Promise<AckResult | undefined> {
    const { user, view } = this.open(which)
    this.handOver.with.views.close(user)
    if (view['notify_on_close'] !== true) return undefined
    const state = { values: {} }
    const closed = { ...this.handOver.interaction('view_closed', user), view: { ...view, state }, is_cleared: false }
    return this.handOver.hand('interactive', closed)
  }

  /** Applies the ack of a submitted form: https://docs.slack.dev/surfaces/modals#updating_response. */
  private answered({ user, view }: OpenView, answer: Json): Record<string, string> | undefined {
    const { views, refuse } = this.handOver.with
    try {
      switch (answer['response_action']) {
        case 'errors':
          return errorsOf(view, answer['errors'])
        case 'update':
          return void views.update({ id: String(view['id']) }, checkView(answer['view'], 'modal'))
        case 'push':
          return void views.push(user, checkView(answer['view'], 'modal'))
        case undefined:
        case 'clear':
          return views.close(user, answer['response_action'] === 'clear') ?? undefined
        default:
          throw new Refusal('invalid_response_action', { why: String(answer['response_action']) })
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refuse({ method: 'view_submission', error: error.error, why: error.message })
      return { '': 'We had some trouble connecting. Try again?' }
    }
  }

  private open(which: Json | string): OpenView {
    const id = typeof which === 'string' ? which : which['id']
    const shown = this.handOver.with.views.find((view) => view['id'] === id)
    if (!shown) throw new Error(`No view ${String(id)} is open.`)
    return shown
  }
}

function container(channel: Channel, { ts, thread_ts }: StoredMessage | Ephemeral): Json {
  return { type: 'message', message_ts: ts, channel_id: channel.id, ...(thread_ts && { thread_ts }) }
}

function blocksOf(view: Json): Json[] {
  return Array.isArray(view['blocks']) ? view['blocks'] : []
}

/** Checks that each error is at an input of the form. @throws Refusal if not */
function errorsOf(view: Json, errors: unknown): Record<string, string> {
  const inputs = new Set(blocksOf(view).flatMap((block) => (block['type'] === 'input' ? [block['block_id']] : [])))
  const given = Object.entries(typeof errors === 'object' && errors !== null ? errors : {})
  if (given.length === 0) throw new Refusal('invalid_errors', { why: 'errors of nothing' })
  for (const [id, text] of given)
    if (!inputs.has(id) || typeof text !== 'string') throw new Refusal('invalid_errors', { why: `no input ${id}` })
  return Object.fromEntries(given.map(([id, text]) => [id, String(text)]))
}
