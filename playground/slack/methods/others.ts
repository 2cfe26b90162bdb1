import { optional, required } from '../args.ts'
import { APP, BOT, BOT_USER, TEAM } from '../store.ts'
import { declined, type Json, type User } from '../types.ts'
import { slice } from './conversations.ts'
import type { Method } from './method.ts'

/** The methods on people, and those without a family. */
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

  'auth.teams.list': () => ({ teams: [{ id: TEAM, name: 'Local Slack' }] }),

  'users.info': (args, { store, isGranted }) => {
    const user = store.users.get(required(args, 'user'))
    if (!user) throw declined('user_not_found')
    return { user: outward(user, isGranted('users:read.email')) }
  },

  'users.list': (args, { store, isGranted }) => {
    const all = [...store.users.values()]
    const { from, to, next } = slice(all.length, args, { normal: 100, max: 1_000 })
    const members = all.slice(from, to).map((user) => outward(user, isGranted('users:read.email')))
    return { members, response_metadata: { next_cursor: next } }
  },

  'users.lookupByEmail': (args, { store }) => {
    const email = required(args, 'email')
    const user = [...store.users.values()].find((one) => one.profile['email'] === email)
    if (!user) throw declined('users_not_found')
    return { user: outward(user, true) }
  },

  'usergroups.list': (_args, { store }) => ({
    usergroups: [...store.usergroups.keys()].map((id) => ({ id, handle: id.toLowerCase(), name: id })),
  }),

  'usergroups.users.list': (args, { store }) => {
    const users = store.usergroups.get(required(args, 'usergroup'))
    if (!users) throw declined('no_such_subteam')
    return { users: [...users] }
  },

  'bots.info': (args, { store }) => {
    const bot = optional(args, 'bot')
    if (bot === BOT) return { bot: { id: BOT, app_id: APP, user_id: BOT_USER, name: 'Thinkaloud', deleted: false } }
    const other = [...store.users.values()].find((one) => one.is_bot && one.profile['bot_id'] === bot)
    if (!other) throw declined('bot_not_found')
    return { bot: { id: bot, app_id: 'A0OTHER0001', user_id: other.id, name: other.real_name, deleted: false } }
  },

  'apps.connections.open': (_args, { socketUrl }) => ({ url: socketUrl() }),

  'chat.getPermalink': (args, { store, base }) => {
    const channel = store.channel(required(args, 'channel'))
    const { ts, thread_ts } = store.message(channel, required(args, 'message_ts'))
    const inThread = thread_ts && thread_ts !== ts ? `?thread_ts=${thread_ts}&cid=${channel.id}` : ''
    const permalink = `${base()}/archives/${channel.id}/p${ts.replace('.', '')}${inThread}`
    return { channel: channel.id, permalink }
  },
}

/**
 * Returns a person as the app may see them. The e-mail address needs its own scope, and is never shown for people of
 * other workspaces.
 */
function outward(user: User, withEmail: boolean): Json {
  const { email, ...profile } = user.profile
  const told = withEmail && !user.is_stranger && email !== undefined
  return { ...user, profile: { ...profile, team: user.team_id, ...(told && { email }) } }
}
