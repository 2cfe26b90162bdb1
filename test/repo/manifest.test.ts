import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { load } from 'js-yaml'
import { z } from 'zod'
import { SCOPES } from '../../src/slack/client/search-grant.ts'
import { scopesOf } from '../../playground/slack/methods/index.ts'
import { COMMAND } from '../../src/slack/format/messages.ts'
import { textOf } from '../harness/project-files.ts'
import { sourcesIn, visit, type SourceFile } from '../harness/source.ts'

const scopeList = z.array(z.string().max(50)).max(255)

/**
 * The part of the manifest's schema that we use: slackapi/manifest-schema, schemas/manifest.schema.1.0.0.json and
 * 2.0.0.json, which agree on it. Like Slack, it refuses unknown keys.
 */
const manifestSchema = z.strictObject({
  display_information: z.strictObject({
    name: z.string().min(1).max(35),
    description: z.string().min(1).max(140),
    long_description: z.string().min(175).max(4000),
    background_color: z.string().regex(/^#[0-9a-fA-F]{6}$/),
  }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.literal(true),
      messages_tab_read_only_enabled: z.literal(false),
    }),
    agent_view: z
      .strictObject({
        agent_description: z.string().min(1).max(300),
        suggested_prompts: z.array(z.strictObject({ title: z.string(), message: z.string() })).max(4),
      })
      .optional(),
    bot_user: z.strictObject({ display_name: z.string().regex(/^[a-z0-9._-]{1,80}$/), always_online: z.boolean() }),
    slash_commands: z.array(
      z.strictObject({
        command: z.string().regex(/^\/\S{1,31}$/),
        description: z.string().min(1).max(2000),
        usage_hint: z.string().min(1).max(1000),
        should_escape: z.boolean(),
      }),
    ),
    shortcuts: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(24),
          type: z.enum(['message', 'global']),
          callback_id: z.string().min(1).max(255),
          description: z.string().min(1).max(150),
        }),
      )
      .min(1)
      .max(10),
  }),
  oauth_config: z.strictObject({
    scopes: z.strictObject({ bot: scopeList, bot_optional: scopeList, user: scopeList, user_optional: scopeList }),
  }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({ bot_events: z.array(z.string().max(50)).max(100) }),
    interactivity: z.strictObject({ is_enabled: z.boolean() }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.literal(true),
    token_rotation_enabled: z.literal(false),
  }),
})

/** Without `im:read` and `mpim:read`: a message can name only public and private channels with `#`. */
const CHANNEL_NAMES = ['channels:read', 'groups:read']
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']
/** The scopes of Web API methods (https://docs.slack.dev/reference/methods). */
const METHOD_SCOPES: Record<string, string[]> = {
  'api.test': [],
  'auth.revoke': [],
  'auth.teams.list': [],
  'auth.test': [],
  'bots.info': ['users:read'],
  // It needs a scope of the app-level token.
  'apps.connections.open': [],
  'agents.sessions.rename': ['chat:write'],
  'agents.sessions.setStatus': ['chat:write'],
  'assistant.search.context': ['search:read.files', 'search:read.public', 'search:read.users'],
  'assistant.search.info': ['search:read.public'],
  'assistant.threads.setStatus': ['chat:write'],
  'assistant.threads.setSuggestedPrompts': ['chat:write'],
  'chat.appendStream': ['chat:write'],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'conversations.history': HISTORY,
  'conversations.info': CHANNEL_NAMES,
  'conversations.join': ['channels:join'],
  'conversations.members': CHANNEL_NAMES,
  'conversations.replies': HISTORY,
  'files.completeUploadExternal': ['files:write'],
  'files.info': ['files:read'],
  'files.getUploadURLExternal': ['files:write'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'users.conversations': ['channels:read', 'groups:read'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'views.open': [],
  'views.publish': [],
  'views.update': [],
}

/** The subscriptions behind a listener's event, and the scope of each (https://docs.slack.dev/reference/events). */
const EVENTS: Record<string, Record<string, string[]>> = {
  app_mention: { app_mention: ['app_mentions:read'] },
  message: {
    'message.channels': ['channels:history'],
    'message.groups': ['groups:history'],
    'message.im': ['im:history'],
    'message.mpim': ['mpim:history'],
  },
  reaction_added: { reaction_added: ['reactions:read'] },
  app_home_opened: { app_home_opened: [] },
  agent_session_stopped: { agent_session_stopped: ['chat:write'] },
  agent_session_title_changed: { agent_session_title_changed: ['chat:write'] },
  app_context_changed: { app_context_changed: [] },
  app_uninstalled: { app_uninstalled: [] },
  channel_deleted: { channel_deleted: ['channels:read'] },
  group_deleted: { group_deleted: ['groups:read'] },
  channel_id_changed: { channel_id_changed: ['channels:read'] },
  team_access_granted: { team_access_granted: [] },
  team_access_revoked: { team_access_revoked: [] },
  tokens_revoked: { tokens_revoked: [] },
  user_change: { user_change: ['users:read'] },
}

/** Slack sends these only to agent apps. */
const OF_AGENTS = ['agent_session_stopped', 'agent_session_title_changed', 'app_context_changed']
/** The scopes that a workspace may decline. Each must also be among the requested ones. */
const OPTIONAL = [
  'files:read',
  'files:write',
  'search:read.files',
  'search:read.public',
  'search:read.users',
  'usergroups:read',
  'users:read.email',
]

/** Matches the name of a Web API method, such as `chat.postMessage`. */
const METHOD =
  /^(agents|api|apps|assistant|auth|bots|chat|conversations|files|reactions|team|usergroups|users|views)(\.[a-zA-Z]+)+$/

const code = sourcesIn('src').filter(({ text }) => /["'`]\w+(\.\w+)+["'`]|\bapp\.|\bon[A-Z]\w+\(/.test(text))
const methods = distinct(code.flatMap(methodsCalled))
const events = distinct(
  code.flatMap((file) => [
    ...firstArguments(file, 'onEvent'),
    ...firstArguments(file, 'onMessage').map(() => 'message'),
  ]),
)
const commands = distinct(code.flatMap((file) => firstArguments(file, 'app.command')).map(() => COMMAND))
const plain = manifestSchema.parse(load(textOf('manifest.yml')))
const agent = manifestSchema.parse(load(textOf('manifest.agent.yml')))

describe('what the code needs', () => {
  test('is found in the code, not only listed here', () => {
    expect(methods).toContain('chat.postMessage')
    expect(events).toEqual(expect.arrayContaining(['app_mention', 'message']))
    expect(commands).toEqual([COMMAND])
  })

  test('is listed here and in the local Slack for every method and event', () => {
    expect(methods.filter((method) => !(method in METHOD_SCOPES))).toEqual([])
    expect(events.filter((event) => !(event in EVENTS))).toEqual([])
    const contradicted = methods.filter((method) =>
      METHOD_SCOPES[method]!.some((scope) => !scopesOf.get(method)?.includes(scope)),
    )
    expect(contradicted).toEqual([])
  })
})

describe('manifest.yml', () => {
  test('requests exactly the scopes that the code needs', () => {
    expect(plain.oauth_config.scopes.bot).toEqual(neededScopes())
  })

  test('marks scopes that the bot can do without as optional', () => {
    expect(plain.oauth_config.scopes.bot_optional).toEqual(OPTIONAL)
    expect(plain.oauth_config.scopes.bot).toEqual(expect.arrayContaining(OPTIONAL))
  })

  test('has the user scopes for search, as optional', () => {
    const { user, user_optional } = plain.oauth_config.scopes
    expect([user, user_optional]).toEqual([['openid', ...SCOPES].toSorted(), user])
    expect(agent.oauth_config.scopes).toMatchObject({ user, user_optional })
  })

  test('subscribes to exactly the events that the code handles', () => {
    expect(plain.settings.event_subscriptions.bot_events).toEqual(neededEvents())
  })

  test('has the command that the code handles', () => {
    expect(plain.features.slash_commands.map(({ command }) => command)).toEqual(commands)
  })

  test('turns interactivity and the Home tab on, and has the shortcuts of a message', () => {
    expect(plain.settings.interactivity.is_enabled).toBe(true)
    expect(plain.features.app_home.home_tab_enabled).toBe(true)
    expect(plain.features.shortcuts.map(({ type, callback_id }) => [type, callback_id])).toEqual([
      ['message', 'thinkaloud_ask_about'],
      ['message', 'thinkaloud_remember'],
    ])
  })
})

describe('manifest.agent.yml', () => {
  test('is manifest.yml with the agent view and its requirements', () => {
    const { agent_view, ...features } = agent.features
    expect(agent_view?.agent_description).toMatch(/^Answers questions .*\bstep by step\b.*\.$/)
    // Slack's own limit.
    expect(agent_view?.agent_description?.length).toBeLessThanOrEqual(300)
    expect(features).toEqual(plain.features)
    expect(agent.display_information).toEqual(plain.display_information)
    expect(agent.oauth_config.scopes.bot).toEqual(distinct([...plain.oauth_config.scopes.bot, 'assistant:write']))
    expect(agent.oauth_config.scopes.bot_optional).toEqual(OPTIONAL)
    const { event_subscriptions, ...settings } = agent.settings
    expect(event_subscriptions.bot_events).toEqual(distinct([...neededEvents(), ...OF_AGENTS]))
    expect({ ...settings, event_subscriptions: plain.settings.event_subscriptions }).toEqual(plain.settings)
  })
})

function neededEvents(): string[] {
  const heard = events.flatMap((event) => Object.keys(EVENTS[event] ?? {}))
  return distinct(heard).filter((event) => !OF_AGENTS.includes(event))
}

function neededScopes(): string[] {
  const ofMethods = methods.flatMap((method) => METHOD_SCOPES[method] ?? [])
  const ofEvents = events.flatMap((event) => Object.values(EVENTS[event] ?? {}).flat())
  return distinct([...ofMethods, ...ofEvents, 'users:read.email', ...(commands.length > 0 ? ['commands'] : [])])
}

/** Returns every method that a file names. */
function methodsCalled({ tree }: SourceFile): string[] {
  const found: string[] = []
  visit(tree, (node) => {
    if (ts.isStringLiteralLike(node) && METHOD.test(node.text)) found.push(node.text)
  })
  return found
}

/** Returns the first argument of each call of a function: the text or, of a list, the texts. */
function firstArguments({ tree }: SourceFile, name: string): string[] {
  const found: string[] = []
  visit(tree, (node) => {
    if (!ts.isCallExpression(node) || node.expression.getText() !== name) return
    const [first] = node.arguments
    const all = first && ts.isArrayLiteralExpression(first) ? first.elements : [first]
    for (const one of all) found.push(one && ts.isStringLiteral(one) ? one.text : (one?.getText() ?? ''))
  })
  return found
}

function distinct(values: string[]): string[] {
  return [...new Set(values)].sort()
}
