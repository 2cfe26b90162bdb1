import { flag, invalid, isObject, optional, required } from '../args.ts'
import { checkBlocks, VIEW_BLOCKS } from '../block-rules.ts'
import { APP, BOT, BOT_USER, TEAM } from '../store.ts'
import { declined, Refusal, type Json } from '../types.ts'
import type { Method, Workspace } from './method.ts'

/** Everything that is neither chat nor conversation. */
export const otherMethods: Record<string, Method> = {
  'api.test': (args) => {
    if (args['error']) throw declined(String(args['error']))
    return { args }
  },

  'auth.test': (_args, { base }) => ({
    url: `${base()}/`,
    team: 'Local Slack',
    team_id: TEAM,
    user: 'thinkaloud',
    user_id: BOT_USER,
    bot_id: BOT,
    app_id: APP,
    is_enterprise_install: false,
  }),

  'users.info': (args, { store }) => {
    const user = store.users.get(required(args, 'user'))
    if (!user) throw declined('user_not_found')
    return { user }
  },

  'bots.info': (args) => {
    if (optional(args, 'bot') !== BOT) throw declined('bot_not_found')
    return { bot: { id: BOT, app_id: APP, user_id: BOT_USER, name: 'Thinkaloud', deleted: false } }
  },

  'reactions.add': (args, { store }) => {
    const { channel, message, name } = reacted(args, store)
    const reactions = (message.reactions ??= [])
    const reaction = reactions.find((one) => one.name === name)
    if (reaction?.users.includes(BOT_USER)) throw declined('already_reacted')
    if (reaction) reaction.users.push(BOT_USER)
    else reactions.push({ name, users: [BOT_USER], count: 0 })
    for (const one of reactions) one.count = one.users.length
    store.changed(channel, message)
    return {}
  },

  'reactions.remove': (args, { store }) => {
    const { channel, message, name } = reacted(args, store)
    const reaction = message.reactions?.find((one) => one.name === name && one.users.includes(BOT_USER))
    if (!reaction) throw declined('no_reaction')
    reaction.users = reaction.users.filter((user) => user !== BOT_USER)
    reaction.count = reaction.users.length
    message.reactions = message.reactions?.filter((one) => one.count > 0) ?? []
    store.changed(channel, message)
    return {}
  },

  'assistant.threads.setStatus': (args, { store }) => {
    const channel = store.writable(required(args, 'channel_id'))
    const thread = required(args, 'thread_ts')
    store.message(channel, thread, 'invalid_thread_ts')
    if (typeof args['status'] !== 'string') throw invalid('[ERROR] missing required field: status')
    const loading = args['loading_messages'] ?? []
    if (!Array.isArray(loading) || loading.length > 10) throw invalid('[ERROR] no more than 10 loading_messages')
    store.setStatus(channel, thread, args['status'])
    return {}
  },

  'views.publish': (args, { store }) => {
    const user = required(args, 'user_id')
    if (!store.users.has(user)) throw new Refusal('user_not_found', { why: `There is no user ${user}.` })
    return { view: keepView(args['view'], 'home', { store, user }) }
  },

  'views.open': (args, { store, useTrigger }) => {
    useTrigger(required(args, 'trigger_id'))
    return { view: keepView(args['view'], 'modal', { store }) }
  },

  'apps.connections.open': (_args, { socketUrl }) => ({ url: socketUrl() }),
}

/** The message and the emoji that a reaction is about. */
function reacted(args: Json, store: Workspace['store']) {
  const channel = store.writable(required(args, 'channel'))
  const message = store.message(channel, required(args, 'timestamp'))
  const name = required(args, 'name')
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name))
    throw new Refusal('invalid_name', { why: `No emoji is called ${name}.` })
  return { channel, message, name }
}

/** Checks a modal or a Home view and keeps it. */
function keepView(view: unknown, type: 'home' | 'modal', options: { store: Workspace['store']; user?: string }): Json {
  if (!isObject(view) || view['type'] !== type) throw invalid(`[ERROR] a view of type ${type} is needed`)
  checkBlocks(view['blocks'], VIEW_BLOCKS)
  if (type === 'modal') checkModal(view)
  if (String(view['private_metadata'] ?? '').length > 3000)
    throw invalid('[ERROR] private_metadata is over 3000 characters')
  if (String(view['callback_id'] ?? '').length > 255) throw invalid('[ERROR] callback_id is over 255 characters')
  const { store, user } = options
  const kept = { id: store.id('V'), team_id: TEAM, app_id: APP, bot_id: BOT, ...(user && { user_id: user }), ...view }
  store.views.push(kept)
  store.tell({ type: 'view', view: kept })
  return kept
}

/** https://docs.slack.dev/reference/views/modal-views */
function checkModal(view: Json) {
  for (const name of ['title', 'submit', 'close']) {
    const text = view[name]
    if (text === undefined && name !== 'title') continue
    if (
      !isObject(text) ||
      text['type'] !== 'plain_text' ||
      typeof text['text'] !== 'string' ||
      text['text'].length > 24
    )
      throw invalid(`[ERROR] ${name} is a plain_text of at most 24 characters`)
  }
  const asks =
    Array.isArray(view['blocks']) && view['blocks'].some((block) => isObject(block) && block['type'] === 'input')
  if (asks && !view['submit'] && !flag(view, 'notify_on_close'))
    throw invalid('[ERROR] a modal with an input needs submit')
}
