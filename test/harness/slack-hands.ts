import { ALICE, TEAM, type Json, type LocalSlack, type SubmitResult } from '../../playground/slack/slack.ts'

/** A modal or a Home, as a person sees and uses it. */
export class ViewInHand {
  readonly user: string
  readonly #slack: LocalSlack
  readonly #kind: 'modal' | 'home'

  constructor(slack: LocalSlack, kind: 'modal' | 'home', user: string) {
    this.#slack = slack
    this.#kind = kind
    this.user = user
  }

  /** Returns the current view. @throws if there is none */
  view(): Json {
    const view = this.#slack[this.#kind](this.user)
    if (!view) throw new Error(`No ${this.#kind} stands before ${this.user}.`)
    return view
  }

  /** Returns its text. */
  shown(): string {
    return this.#slack.shownView(this.view())
  }

  /** Fills the form in, by `action_id` or `block_id`, and submits it. Returned `errors` belong to its inputs. */
  submit(values: Record<string, string | string[]> = {}): Promise<SubmitResult> {
    return this.#slack.submit(this.view(), values)
  }

  press(actionId: string, value?: string): Promise<unknown> {
    return this.#slack.press({ view: this.view() }, { action_id: actionId, ...(value !== undefined && { value }) })
  }

  close(): Promise<unknown> {
    return this.#slack.closeView(this.view())
  }

  isOpen(): boolean {
    return this.#slack[this.#kind](this.user) !== undefined
  }
}

/** Resolves with a person's open modal, or with the next one that opens. */
export async function modalOf(slack: LocalSlack, user: string = ALICE): Promise<ViewInHand> {
  await slack.until(() => slack.modal(user), `a modal before ${user}`)
  return new ViewInHand(slack, 'modal', user)
}

/** Opens the app's Home, which is then published again. */
export async function openHome(slack: LocalSlack, user: string = ALICE): Promise<ViewInHand> {
  const before = slack.home(user)?.['hash']
  await slack.people.openHome(user)
  await slack.until(() => slack.home(user) && slack.home(user)?.['hash'] !== before, `the Home of ${user}`)
  return new ViewInHand(slack, 'home', user)
}

/** People who are not full members of the workspace, and another bot. Each call returns the id of a new one. */
export const strangers = {
  /** A person of a workspace connected by Slack Connect. */
  outsider: (slack: LocalSlack) => add(slack, 'OUTER', { team_id: 'T0OTHER0001', is_stranger: true }),
  guest: (slack: LocalSlack) => add(slack, 'GUEST', { is_restricted: true }),
  singleChannelGuest: (slack: LocalSlack) => add(slack, 'SCGST', { is_restricted: true, is_ultra_restricted: true }),
  unconfirmed: (slack: LocalSlack) => add(slack, 'UNCNF', { is_email_confirmed: false }),
  admin: (slack: LocalSlack) => add(slack, 'ADMIN', { is_admin: true }),
  otherBot: (slack: LocalSlack) => add(slack, 'ROBOT', { is_bot: true }),
}

function add(slack: LocalSlack, kind: string, extra: Parameters<LocalSlack['addUser']>[1]): string {
  const id = `U0${kind}${String(slack.store.users.size).padStart(4, '0')}`
  const name = `${kind.toLowerCase()}${slack.store.users.size}`
  slack.addUser(id, { name, real_name: name, team_id: TEAM, ...extra })
  for (const channel of slack.store.channels.values()) if (channel.kind === 'channel') channel.members.add(id)
  return id
}
