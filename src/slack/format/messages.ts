import type { Config } from '../../config.ts'
import type { StopReason } from '../../agent/types.ts'
import type { Refusal } from '../../stores/limits/usage-limits.ts'
import { escapeText } from './escape.ts'

/** The bot's own sentences, as mrkdwn. None of their text comes from a person or a model. */

/** The slash command, as named in the manifest. */
export const COMMAND = '/ask'

/** The settings that the help depends on: how to ask the bot, and how it shows its work. */
export interface HelpOptions {
  /** `mention`: a follow-up must name the bot again. */
  followUps: 'thread' | 'mention'
  /** How far apart the messages of one conversation in a direct message may be; 0 if each starts its own. */
  dmMemoryMinutes: number
  /** How a run is shown. */
  steps: Config['STEPS']
}

/** How the bot shows its work. A stream falls back to a card, so both share one sentence. */
const SEEN = {
  replies:
    'I answer questions, and I show how I got there: each step of my reasoning is a reply in the thread, then comes the answer.',
  card: 'I answer questions, and I show how I got there: one message in the thread shows each step of my reasoning as it happens, then comes the answer.',
  hidden: 'I answer questions. *Show work* below an answer shows you how I got there.',
}

/** Explains how to ask the bot in each place. */
export function helpText({ steps, followUps, dmMemoryMinutes }: HelpOptions): string {
  const again = followUps === 'mention' ? 'mention me again' : 'just write on, without mentioning me'
  const memory =
    dmMemoryMinutes > 0
      ? `just write. Messages within ${count(dmMemoryMinutes, 'minute')} of each other are one conversation, and so are replies.`
      : 'just write. To ask on, reply in the thread of the answer.'
  return [
    SEEN[steps === 'stream' ? 'card' : steps],
    `• In a channel: mention me with your question, or type \`${COMMAND} What is 15% of 240?\``,
    `• In the thread of an answer: ${again}. I know what was said before.`,
    `• In a direct message to me: ${memory}`,
    `• For your eyes only: \`${COMMAND} private: my question\`. About a message: its menu, *Ask about this message*`,
    '• With files and pictures, up to five: I read PDFs, Office documents, tables and text, and look at pictures where my model can',
    '• Alone in a thread: `stop` ends what I am doing, `mute` has me answer mentions only, `unmute` takes that back',
    `• \`${COMMAND} settings\` sets how I work where you type it, \`${COMMAND} forget\` has me forget what was said there, or with me in a direct message`,
    `• For this help: mention me with \`help\`, write \`help\` to me in a direct message, or type \`${COMMAND} help\``,
  ].join('\n')
}

/** Answers a question that `needsNoModel`: the help, or a note that there is no question. */
export function cannedReply({ text }: { text: string }, options: HelpOptions): string {
  return text === '' ? EMPTY_QUESTION : helpText(options)
}

/** Ephemeral replies about stopping a question. `withdrawn…`: it had not begun, so the thread shows nothing of it. */
export const STOP_WORDS = {
  nothing: 'Nothing of yours is running here. To stop a question, write `stop` in its thread.',
  forbidden: 'Only the person who asked can stop this question.',
  withdrawn: 'I had not begun with your question, and I will not: it is out of the line.',
  withdrawnByOther:
    'I had not begun with your question, and somebody has taken it out of the line: I will not answer it.',
  withdrawnOthers: 'I had not begun with this question, and I will not: it is out of the line.',
}

/** The answer to `/ask` in a workspace that has no installation. */
export const NOT_INSTALLED = 'I am not set up in this workspace. Please tell whoever runs me.'

/**
 * Shown above an answer that the model was forced to give; agent/budget.ts decides when. "How I worked" shows
 * `WHY` (views/work-view.ts); the model sees `REASONS` (agent/dialects/text.ts).
 */
export const STOPPED: Record<StopReason, string> = {
  steps: 'I reached the limit of steps.',
  time: 'I reached the time limit.',
  tokens: 'I reached the token limit.',
  cost: 'I reached the cost limit.',
  loop: 'I was repeating myself and stopped.',
  unreadable: 'The model did not keep to its format and I stopped.',
  stopped: 'I was asked to stop.',
}

export const BEST_ANSWER = 'This is my best answer from what I found.'

const EMPTY_QUESTION =
  'You called, but I found no question. Please write it in the message itself, or send the file that it is about.'

export const FAILED =
  'Something went wrong on my side and I could not answer. Please ask again; if it stays so, tell whoever runs me.'

export const GIVEN_UP =
  'I tried this question several times and something on my side broke each time, so I have stopped trying. Please tell whoever runs me.'

export const RESTARTED = 'I am being restarted and could not finish this. Please ask again in a minute.'

const GONE = new Set(['thread_not_found', 'message_not_found', 'invalid_thread_ts', 'cannot_reply_to_message'])
const NOT_IN = new Set(['not_in_channel', 'channel_not_found', 'method_not_supported_for_channel_type'])

/** Explains by Slack's error code why there is no answer in this conversation, and what to do. */
export function cannotPost(code: string): string {
  const invite =
    'Invite me with `/invite @thinkaloud` and ask again, or ask me in a public channel or a direct message.'
  if (code === 'is_archived') return 'This channel is archived, so I cannot answer here. Please ask in another one.'
  if (code.startsWith('restricted_action'))
    return 'I am not allowed to post in this channel. Please ask in another one.'
  if (GONE.has(code)) return 'The message that I was to answer under is gone, so I have not answered.'
  if (NOT_IN.has(code)) return `I am not a member of this conversation and cannot join it by myself. ${invite}`
  return `Slack does not let me answer here (${code}). Please tell whoever runs me.`
}

/** Replies to `/ask forget`. */
export const FORGET = {
  person:
    'Done: I have forgotten our direct messages, what you asked me elsewhere in this workspace with my answers, what I had read of you ' +
    'in threads, and what you said of my answers. What others asked stays, and so do the messages in Slack itself: where I am asked in a ' +
    'thread, I read what stands there.',
  channel: 'Done: I have forgotten what was asked and answered in this channel. The messages in Slack stay.',
  notAdmin:
    'Only an admin can have a channel forgotten. Ask one to do it, or to allow everyone here with `/ask settings`.',
  notMember:
    'Only members of this workspace may have a channel forgotten, and no guests. Please ask one; whoever runs me can change it with ALLOW_EXTERNAL.',
  untold:
    'Slack does not tell me who you are, so I have forgotten nothing. Please try again in a minute; if it stays so, tell whoever runs me.',
  failed: 'I could not forget it just now. Please try again in a minute; if it stays so, tell whoever runs me.',
}

/** Shown below the first answer in a thread of a channel, if the bot answers follow-ups there. */
export const HOW_TO_GO_ON = 'Reply to ask on; write `mute` and I answer mentions only'

/** Replies that only the asker of a private question sees. */
export const PRIVATE = {
  working: `I am working on it. Only you will see the answer. \`${COMMAND} stop\` ends it.`,
  gone: 'I do not have this answer any more, so I cannot share it.',
  shared: 'Shared with the channel.',
}

/** Replies to `/ask settings`. */
export const SETTINGS_WORDS = {
  notAdmin:
    'Only an admin of this workspace may change my settings. Please ask one; whoever runs me can change it with SETTINGS_BY.',
  notMember:
    'Only members of this workspace may change my settings, and no guests. Please ask one; whoever runs me can change it with ALLOW_EXTERNAL.',
  notAllowed: 'You are not among the people whose questions I take. Whoever runs me can add you to ALLOW_USERS.',
  notHere: 'You are not a member of this channel, so you cannot change its settings.',
  untold: 'Slack does not tell me who you are, so I have changed nothing. Please try again in a minute.',
  failed: 'I could not do that just now, so nothing is changed. Please try again in a minute.',
  unchanged: 'Nothing is changed.',
}

/** The names of a channel's settings, for people. */
const SETTING_NAMES: Record<string, string> = {
  followUps: 'follow-ups',
  whoMayStop: 'who may stop me',
  whoMayForget: 'who may have me forget',
  instructions: 'extra instructions',
}

export function settingsSaved(changed: string[]): string {
  return `Saved: ${changed.map((name) => SETTING_NAMES[name] ?? name).join(', ')}. This holds here from the next question on.`
}

/** Why a question is refused; the keys are those of `Denial`. */
const DENIALS = {
  channel:
    'I do not answer in this channel. Please ask in one that I am set up for; whoever runs me can add this one to ALLOW_CHANNELS.',
  person: 'You are not among the people whose questions I take. Whoever runs me can add you to ALLOW_USERS.',
  external:
    'I take questions from the people of my own workspace only, and you belong to another. Please ask a colleague there; whoever runs me can change it with ALLOW_EXTERNAL.',
  guest:
    'I take no questions from guests of this workspace. Please ask a full member; whoever runs me can change it with ALLOW_EXTERNAL.',
  emailUnconfirmed:
    'Your e-mail address is not confirmed in Slack, and I go by it. Please confirm it in your account’s settings, then ask again.',
  emailUntold:
    'Slack does not show me your e-mail address, and I go by it. Whoever runs me should grant the app users:read.email.',
  personUntold:
    'Slack does not tell me who you are, so I cannot take your question. Whoever runs me should install the app again with users:read, or change ALLOW_EXTERNAL.',
  personUnreachable:
    'Slack does not tell me who you are just now, so I cannot take your question. Please ask again in a minute.',
  botTurns: 'Bots have asked three times in a row here. I go on when a person asks.',
}

/** Explains why a question is refused, and what to do. */
export function denialText(denial: keyof typeof DENIALS): string {
  return DENIALS[denial]
}

const LIMITS: Record<Refusal['limit'], (allowed: number) => string> = {
  userHour: (n) => `${count(n, 'question')} an hour for one person`,
  channelHour: (n) => `${count(n, 'question')} an hour for one channel`,
  userDayTokens: (n) => `${count(n, 'token')} a day for one person`,
  teamDayTokens: (n) => `${count(n, 'token')} a day for the workspace`,
  teamDayUsd: (n) => `$${n} a day for the workspace`,
  teamRuns: (n) => `${count(n, 'question')} of the workspace at once`,
}

/** Explains which limit a question exceeds, and when the next one is allowed. */
export function refusalText({ limit, allowed, resetsInMs }: Refusal): string {
  const when =
    resetsInMs === undefined
      ? 'Please ask again when one of them is done.'
      : `It resets bit by bit: please ask again in ${inWords(resetsInMs)}.`
  return `The limit here is ${LIMITS[limit](allowed)}, and it is reached. ${when} This question was not counted.`
}

/** `1 question`, `1,234 questions`. */
export function count(n: number, what: string): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? what : `${what}s`}`
}

/** A duration in whole minutes or hours, rounded up. */
export function inWords(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000))
  return minutes < 120 ? count(minutes, 'minute') : count(Math.ceil(minutes / 60), 'hour')
}

/** Shown below an answer whose model does not accept pictures. Plain text. */
export const PICTURES_UNSEEN = '🙈 My model could not see the pictures: this answer is made without them.'

/** The line below an answer that was made without tools that are down. Plain text. */
export function toolsDownText(tools: string[], reference: string): string {
  const [names, are] = [tools.join(', '), tools.length === 1 ? 'is' : 'are']
  return `⚠️ ${names} ${are} down, so this may be incomplete. Please ask again later; if it stays so, tell whoever runs me. Reference: ${reference}`
}

/** A sentence for the person, and the reference for finding the details in the log. */
export function withReference(sentence: string, reference: string): string {
  return `${escapeText(sentence)}\n_Reference: ${reference}_`
}
