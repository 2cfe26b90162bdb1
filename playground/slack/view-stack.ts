/** The open views of people: stacked modals and Homes. */
import type { Store } from './store.ts'
import { APP, BOT, TEAM } from './store.ts'
import { declined, Refusal, type Json } from './types.ts'

/** The maximum number of stacked modals. */
const MAX_MODALS = 3

/** A known view, and the person who sees it. */
export interface OpenView {
  user: string
  view: Json
}

/** The open views of all people. Every change is reported to the store's watchers. */
export class Views {
  private readonly stacks = new Map<string, Json[]>()
  private readonly homes = new Map<string, Json>()
  private readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  /** Returns a person's open modals, the uppermost last. */
  modals(user: string): Json[] {
    return this.stacks.get(user) ?? []
  }

  home(user: string): Json | undefined {
    return this.homes.get(user)
  }

  /** Opens a modal in place of the open ones. */
  open(user: string, view: Json): Json {
    this.stacks.set(user, [])
    return this.push(user, view)
  }

  /** Opens a modal over the open ones. @throws Refusal `push_limit_reached` after the third */
  push(user: string, view: Json): Json {
    const stack = this.modals(user)
    if (stack.length >= MAX_MODALS) throw new Refusal('push_limit_reached', { why: `${MAX_MODALS} modals are open` })
    const id = this.store.id('V')
    const root = stack[0]?.['id'] ?? id
    const shown = this.keep({ ...signed(view), id, root_view_id: root, previous_view_id: stack.at(-1)?.['id'] ?? null })
    this.stacks.set(user, [...stack, shown])
    this.tell(user, shown)
    return shown
  }

  publish(user: string, view: Json): Json {
    const id = this.homes.get(user)?.['id'] ?? this.store.id('V')
    const shown = this.keep({ ...signed(view), id, user_id: user })
    this.homes.set(user, shown)
    this.tell(user, shown)
    return shown
  }

  /** Updates an open view. @throws Refusal `not_found` if it is closed, `hash_conflict` if it has changed since */
  update(
    which: { id?: string | undefined; external?: string | undefined; hash?: string | undefined },
    view: Json,
  ): Json {
    const { id, external, hash } = which
    const found = this.find((one) => (id === undefined ? one['external_id'] === external : one['id'] === id))
    if (!found) throw declined('not_found')
    if (hash !== undefined && hash !== found.view['hash']) throw declined('hash_conflict')
    const { id: own, root_view_id, previous_view_id } = found.view
    const fresh = this.keep({ ...signed(view), id: own, root_view_id, previous_view_id })
    const stack = this.modals(found.user).map((one) => (one === found.view ? fresh : one))
    this.stacks.set(found.user, stack)
    if (this.homes.get(found.user) === found.view) this.homes.set(found.user, fresh)
    this.tell(found.user, fresh)
    return fresh
  }

  /** Closes the uppermost modal, or all of them. */
  close(user: string, all = false) {
    this.stacks.set(user, all ? [] : this.modals(user).slice(0, -1))
    this.tell(user)
  }

  /** Returns an open view, and the person who sees it. */
  find(is: (view: Json) => boolean): OpenView | undefined {
    const open = [...this.stacks].flatMap(([user, views]) => views.map((view) => ({ user, view })))
    const homes = [...this.homes].map(([user, view]) => ({ user, view }))
    return [...open, ...homes].find(({ view }) => is(view))
  }

  private keep(view: Json): Json {
    const kept = { ...view, hash: this.store.id('h'), blocks: withIds(this.store, view['blocks']) }
    this.store.views.push(kept)
    return kept
  }

  private tell(user: string, view?: Json) {
    this.store.tell({ type: 'view', user, ...(view && { view }) })
  }
}

function signed(view: Json): Json {
  const plain = {
    private_metadata: '',
    callback_id: '',
    external_id: '',
    clear_on_close: false,
    notify_on_close: false,
  }
  return { ...plain, ...view, team_id: TEAM, app_id: APP, bot_id: BOT }
}

/** Gives ids to blocks without a `block_id`, as Slack does. */
function withIds(store: Store, blocks: unknown): Json[] {
  const list: Json[] = Array.isArray(blocks) ? blocks : []
  return list.map((block) => ({ ...block, block_id: block['block_id'] ?? store.id('b') }))
}
