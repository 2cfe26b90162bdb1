/** https://docs.slack.dev/reference/methods: reactions.* */
import { optional, required } from '../args.ts'
import { BOT_USER } from '../store.ts'
import { declined, Refusal, type Json } from '../types.ts'
import type { Method, Workspace } from './method.ts'

export const reactionMethods: Record<string, Method> = {
  'reactions.add': (args, { store }) => {
    const { channel, message, name } = reacted(args, store)
    if (message.reactions?.find((one) => one.name === name)?.users.includes(BOT_USER)) throw declined('already_reacted')
    store.react(channel, message, { name, user: BOT_USER })
    return {}
  },

  'reactions.remove': (args, { store }) => {
    const { channel, message, name } = reacted(args, store)
    if (!message.reactions?.some((one) => one.name === name && one.users.includes(BOT_USER)))
      throw declined('no_reaction')
    store.react(channel, message, { name, user: BOT_USER, removed: true })
    return {}
  },

  'reactions.get': (args, { store }) => {
    const channel = store.writable(required(args, 'channel'))
    const message = store.message(channel, required(args, 'timestamp'))
    return { type: 'message', channel: channel.id, message }
  },

  'reactions.list': (args, { store }) => {
    const user = optional(args, 'user') ?? BOT_USER
    const items = [...store.channels.values()].flatMap((channel) =>
      channel.messages
        .filter((message) => message.reactions?.some((one) => one.users.includes(user)))
        .map((message) => ({ type: 'message', channel: channel.id, message })),
    )
    return { items }
  },
}

/** Returns the message and the emoji of a reaction. */
function reacted(args: Json, store: Workspace['store']) {
  const channel = store.writable(required(args, 'channel'))
  const message = store.message(channel, required(args, 'timestamp'))
  const name = required(args, 'name')
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name))
    throw new Refusal('invalid_name', { why: `No emoji is called ${name}.` })
  return { channel, message, name }
}
