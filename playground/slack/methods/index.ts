import { chatMethods } from './chat.ts'
import { conversationMethods } from './conversations.ts'
import { fileMethods } from './file-methods.ts'
import type { Method } from './method.ts'
import { otherMethods } from './others.ts'
import { reactionMethods } from './reaction-methods.ts'
import { searchMethods } from './search-methods.ts'
import { sessionMethods } from './session-methods.ts'
import { streamMethods } from './stream.ts'
import { uploadMethods } from './upload-methods.ts'
import { viewMethods } from './view-methods.ts'

/** The Web API methods of the local Slack, by name. */
export const methods = new Map<string, Method>(
  Object.entries({
    ...{ ...chatMethods, ...streamMethods, ...conversationMethods, ...otherMethods },
    ...{ ...reactionMethods, ...sessionMethods, ...fileMethods, ...uploadMethods, ...viewMethods },
    ...searchMethods,
  }),
)

/** The scopes of a bot token that are for deliveries: mentions and commands. */
const OF_DELIVERIES = ['app_mentions:read', 'commands']

/**
 * The scopes of which a method needs at least one, from its page under https://docs.slack.dev/reference/methods.
 * Methods that are absent need none.
 */
export const scopesOf = new Map<string, string[]>(
  Object.entries({
    'chat.postMessage': ['chat:write'],
    'chat.update': ['chat:write'],
    'chat.delete': ['chat:write'],
    'chat.postEphemeral': ['chat:write'],
    'chat.startStream': ['chat:write'],
    'chat.appendStream': ['chat:write'],
    'chat.stopStream': ['chat:write'],
    'assistant.threads.setStatus': ['chat:write', 'assistant:write'],
    'assistant.threads.setTitle': ['chat:write', 'assistant:write'],
    'assistant.threads.setSuggestedPrompts': ['chat:write', 'assistant:write'],
    'assistant.search.info': ['search:read.public'],
    'assistant.search.context': ['search:read.public', 'search:read.files', 'search:read.users'],
    'agents.sessions.setStatus': ['chat:write'],
    'agents.sessions.rename': ['chat:write'],
    'conversations.members': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
    'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
    'conversations.replies': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
    'conversations.info': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
    'conversations.join': ['channels:join'],
    'conversations.open': ['channels:manage', 'groups:write', 'im:write', 'mpim:write'],
    'reactions.add': ['reactions:write'],
    'reactions.remove': ['reactions:write'],
    'reactions.get': ['reactions:read'],
    'reactions.list': ['reactions:read'],
    'files.info': ['files:read'],
    'files.getUploadURLExternal': ['files:write'],
    'files.completeUploadExternal': ['files:write'],
    'users.conversations': ['channels:read', 'groups:read'],
    'users.info': ['users:read'],
    'users.list': ['users:read'],
    'users.lookupByEmail': ['users:read.email'],
    'bots.info': ['users:read'],
    'usergroups.list': ['usergroups:read'],
    'usergroups.users.list': ['usergroups:read'],
  }),
)

/** All known scopes, for a bot token that has every scope. */
export const everyScope = [...new Set([...[...scopesOf.values()].flat(), ...OF_DELIVERIES])].sort()
