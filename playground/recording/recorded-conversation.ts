/**
 * Converts what a recorder collected into a conversation's file: names instead of ids, indexes instead of calls, and
 * only what is in scope.
 */
import { isObject } from '../slack/args.ts'
import { BOT_USER } from '../slack/store.ts'
import type { Json } from '../slack/types.ts'
import type { Act, RecordedConversation, RecordedProgress, RecordedCall, OngoingCall } from './conversation-file.ts'
import { askedIn, promptOf, seenIn } from './model-calls.ts'
import { isMeant, namedForReplay, type PlaceNames, type Places, type NameScope } from './place-names.ts'
import type { ObservedEvents, ObservedCall, ObservedTool, ObservedAct } from './heard.ts'
import { workspaceState } from './workspace-state.ts'

/** The conversation to save, and the threads of its tools. */
interface SaveRequest {
  name: string
  scope: NameScope
  settings: Record<string, string>
  threads: Map<ObservedTool, string>
  /** Removes secrets from a text. */
  clean: (text: string) => string
}

/** Returns the conversation in a recording. */
export function conversationOf(
  heard: ObservedEvents,
  { name, scope, settings, threads, clean }: SaveRequest,
): RecordedConversation {
  const { acts, modalsOf } = meantActs(heard, scope)
  const from = acts[0]?.at ?? Infinity
  const isIn = (thread: string | undefined) => isOfScope(thread, scope, heard.places)
  const models = heard.models.filter(({ entry }) => entry.at >= from && isIn(entry.thread))
  const tools = heard.tools.filter((tool) => tool.at >= from && isIn(threads.get(tool))).sort((a, b) => a.at - b.at)
  const names = heard.places.names(scope)
  const written = JSON.stringify(models.map(({ entry }) => entry.response))
  // A run with a tool that changes something says below its answer that it changed nothing. A replay needs that tool
  // too.
  const isKept = ([tool, spec]: [string, Json]) => written.includes(tool) || spec['effects'] === 'write'
  const offered = [...heard.offered].flatMap((one) => (isKept(one) ? [one[1]] : []))
  const within = { ...heard, models, tools }
  return {
    version: 1,
    name,
    settings,
    acts: acts.map((one) => actOf(one, within, names, scope)),
    models: models.map((_, i) => callOf(within, i)),
    tools: tools.map(({ tool, input, output, error }) => ({
      ...{ tool, input },
      ...(error ? { error } : { output }),
    })),
    ...(offered.length > 0 && { offered }),
    after: workspaceState(heard.places, { scope, modalsOf, clean }),
  }
}

/**
 * Returns whether a call for a thread, `channel:root ts`, is in scope. Direct messages within an hour are one
 * conversation.
 */
function isOfScope(thread: string | undefined, scope: NameScope, { slack }: Places): boolean {
  if (thread === undefined) return true
  const [channel = '', ts = ''] = thread.split(':')
  const isDirect = slack.store.channels.get(channel)?.kind === 'im'
  return isMeant({ channel, ts }, isDirect && scope.channel ? { channel: scope.channel } : scope)
}

/**
 * Returns the acts in scope, and each person's last act in scope, because the modals that they opened follow from it.
 */
function meantActs({ acts, places }: ObservedEvents, scope: NameScope): { acts: ObservedAct[]; modalsOf: Set<string> } {
  const modalsOf = new Set<string>()
  const meant = acts.filter((one) => {
    const isIn = scopeOf(one, places)
    // An act in a modal belongs to the person's previous act. An act on the Home belongs to no channel.
    const isWanted = !scope.channel || (isIn ? isMeant(isIn, scope) : one.act !== 'home' && modalsOf.has(one.user))
    modalsOf[isWanted ? 'add' : 'delete'](one.user)
    return isWanted
  })
  return { acts: meant, modalsOf }
}

/** Returns the scope of an act. Undefined for an act in a modal or on the Home. */
function scopeOf({ body, user, act, at }: ObservedAct, { placed }: Places) {
  const { channel, thread_ts, thread, ts } = body
  if (typeof channel !== 'string') return undefined
  const given = thread_ts ?? thread
  if (typeof given === 'string' && given !== '') return { channel, ts: given, thread: given }
  if (typeof ts === 'string') return { channel, ts, thread: placed.get(ts)?.thread ?? ts }
  // The act starts a thread. The root of a command's thread is the bot's message.
  const isCommand = act === 'say' && String(body['text']).startsWith('/')
  const by = isCommand ? BOT_USER : user
  const root = [...placed.values()].find(
    (one) =>
      one.channel === channel && one.by === by && !one.thread && !one.ephemeralTo && Number(one.ts) * 1000 >= at - 1,
  )
  return { channel, ts: root?.ts ?? '' }
}

function actOf(said: ObservedAct, heard: ObservedEvents, names: PlaceNames, scope: NameScope): Act {
  const { act, body, user, files, atWork } = said
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'files'))
  const after = reached(said, heard, scope)
  const during = atWork.some((one) => isMeant(one, scope)) ? underway(said, heard, after) : []
  return {
    ...{ act, as: heard.places.nameOf(user), with: namedForReplay(rest, names) },
    ...(files.length > 0 && { files }),
    ...sinceLastHome(said, heard),
    after,
    ...(during.length > 0 && { during }),
  }
}

function sinceLastHome({ act, user, at }: ObservedAct, { acts }: ObservedEvents): Pick<Act, 'sinceMs'> {
  const before =
    act === 'home' ? acts.findLast((one) => one.act === 'home' && one.user === user && one.at < at) : undefined
  return before ? { sinceMs: at - before.at } : {}
}

function reached(
  { reached: { models, tools, placed, views } }: ObservedAct,
  heard: ObservedEvents,
  scope: NameScope,
): RecordedProgress {
  const stood = [...heard.places.placed.values()].slice(0, placed)
  return {
    models: models.filter((one) => heard.models.some(({ entry }) => entry === one)).length,
    tools: tools.filter((one) => heard.tools.includes(one)).length,
    // Views belong to no channel, and acts in a view wait for it.
    messages: stood.filter((one) => isMeant(one, scope)).length + (scope.channel ? 0 : views),
  }
}

/**
 * Returns the calls that a replay holds until the act is done. Between two calls, the next call is held at its start.
 */
function underway(
  { during, at, reached }: ObservedAct,
  { models, tools }: ObservedEvents,
  after: RecordedProgress,
): OngoingCall[] {
  const isUnderway = (one: ObservedTool) => one.at < at && !reached.tools.includes(one)
  const held = [
    ...tools.flatMap((one, tool) => (isUnderway(one) ? [{ tool }] : [])),
    ...during
      .map((one) => models.findIndex(({ entry }) => entry === one))
      .filter((model) => model >= 0)
      .map((model) => ({ model, chars: isCut(models[model]) ? outputOf(models[model]).text.length : 0 })),
  ]
  return held.length > 0 || !models[after.models] ? held : [{ model: after.models, chars: 0 }]
}

function isCut(call: ObservedCall | undefined): boolean {
  const { isCut: hungUp, finish } = call?.entry.response ?? {}
  return hungUp === true || (call !== undefined && finish === undefined && !refusalOf(call))
}

function outputOf(call: ObservedCall | undefined): Pick<RecordedCall, 'text'> {
  const { text } = call?.entry.response ?? {}
  return { text: typeof text === 'string' ? text : '' }
}

function callOf({ models, tools }: ObservedEvents, i: number): RecordedCall {
  const call = models[i]
  const { body = {}, entry } = call ?? {}
  const response = entry?.response ?? {}
  const refused = refusalOf(call)
  const { reasoning, toolCalls, usage, finish } = response
  return {
    ...askedIn(body),
    sees: seenIn(promptOf(body), { tools, models: models.map(outputOf) }),
    ...outputOf(call),
    ...(typeof reasoning === 'string' && reasoning !== '' && { reasoning }),
    ...(Array.isArray(toolCalls) && toolCalls.length > 0 && { toolCalls }),
    ...(isObject(usage) && { usage }),
    ...(typeof finish === 'string' && { finish }),
    ...(isCut(call) && { isCut: true as const }),
    ...(refused && { refused }),
  }
}

/** Returns the status that a call got instead of an answer. */
function refusalOf(call: ObservedCall | undefined): RecordedCall['refused'] {
  const { status } = call?.entry.response ?? {}
  if (typeof status !== 'number' || status < 400) return undefined
  return { status, message: call?.entry.error ?? '' }
}
