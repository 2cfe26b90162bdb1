import { randomBytes } from 'node:crypto'
import type { Action, StopReason } from '../../agent/contracts/run-events.ts'
import { actionTitle } from '../../agent/tool-title.ts'
import type { Allowance, LimitRefusal } from '../../stores/limits/usage-limits.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import { escapeText } from './escape.ts'

/** The bot's own sentences, as mrkdwn. None of their text comes from a person or a model. */

/** The slash command, as named in the manifest. */
export const COMMAND = '/ask'

/** The settings that the help depends on: how to ask the bot, and how it shows its work. */
export type HelpSettings = Pick<Settings, 'followUps' | 'dmMemoryMinutes' | 'steps'>

/** How the bot shows its work. A stream falls back to a card, so both share one sentence. */
const SEEN = {
  replies:
    'I answer questions, and I show my work: each reasoning step is a reply in the thread, followed by the answer.',
  card: 'I answer questions, and I show my work: a message in the thread shows my reasoning as it happens, followed by the answer.',
  hidden: 'I answer questions. Press *Show work* below an answer to see how I got there.',
}

/** Explains how to ask the bot in each place. */
export function helpText({ steps, followUps, dmMemoryMinutes }: HelpSettings): string {
  const again = followUps === 'mention' ? 'mention me again' : 'just reply, no mention needed'
  const memory =
    dmMemoryMinutes > 0
      ? `just write. Messages sent within ${count(dmMemoryMinutes, 'minute')} of each other are one conversation, and so are replies in a thread.`
      : 'just write. To follow up, reply in the thread of the answer.'
  return [
    SEEN[steps === 'stream' ? 'card' : steps],
    `• In a channel: mention me with your question, or type \`${COMMAND} What is 15% of 240?\``,
    `• In the thread of an answer: ${again}. I remember what was said before.`,
    `• In a direct message to me: ${memory}`,
    `• Just for you: \`${COMMAND} private: my question\`. About a message: choose *Ask about this message* in its menu`,
    `• On a schedule: begin with the time, \`${COMMAND} every Monday at 9 what is new?\`; \`${COMMAND} schedules\` lists yours`,
    '• With files: attach up to five. I read PDFs, Office documents, tables and text, and pictures if my model can see them',
    '• In a thread: reply `stop` to stop me, `mute` to stop automatic replies, `unmute` to turn them back on',
    `• Tell me once: \`remember: our fiscal year starts in May\`. I will remember it here. \`${COMMAND} memory\` lists what I remember`,
    `• \`${COMMAND} settings\`: change how I work in this channel`,
    `• \`${COMMAND} connections\`: the services I can use with your own account`,
    `• \`${COMMAND} forget\`: delete what I remember here`,
    `• \`${COMMAND} help\`: show this help. Mentioning me with \`help\` works too`,
  ].join('\n')
}

/** What people see as the question if the asker sent only a file, a forward or a table. */
export const WITHOUT_WORDS = 'What about this?'

/** Answers a question that `needsNoModel`: the help, or a note that there is no question. */
export function cannedReply({ text }: { text: string }, options: HelpSettings): string {
  return text === '' ? EMPTY_QUESTION : helpText(options)
}

/** Ephemeral replies about stopping a question. `withdrawn…`: it had not begun, so the thread shows nothing of it. */
export const STOP_WORDS = {
  nothing: 'You have nothing running here. To stop a question, reply `stop` in its thread.',
  ended: 'There is nothing to stop: I have already finished.',
  forbidden: 'Only the person who asked can stop this question.',
  withdrawn: 'Your question was removed before I started on it.',
  withdrawnByOther: 'Somebody removed your question before I started on it.',
  withdrawnOthers: 'This question was removed before I started on it.',
}

/** The answer to `/ask` in a workspace that has no installation. */
export const NOT_INSTALLED = 'I am not set up in this workspace. Please tell the person who runs me.'

/**
 * Shown above an answer that the model was forced to give; agent/budget.ts decides when. "How I worked" shows
 * `WHY` (views/work-view.ts); the model sees `REASONS` (agent/dialects/text.ts).
 */
export const STOPPED: Record<StopReason, string> = {
  steps: 'I reached the step limit.',
  time: 'I reached the time limit.',
  tokens: 'I reached the token limit.',
  cost: 'I reached the cost limit.',
  loop: 'I was repeating myself and stopped.',
  unreadable: 'The model’s output could not be read, so I stopped.',
  stopped: 'I was asked to stop.',
}

export const BEST_ANSWER = 'This is my best answer so far.'

const EMPTY_QUESTION =
  'I found no question in your message. Please write it in the message itself, or attach the file it is about.'

export const FAILED =
  'Something went wrong and I could not answer. Please ask again. If it keeps happening, tell the person who runs me.'

export const GIVEN_UP =
  'I tried this question several times and something went wrong each time, so I stopped trying. Please tell the person who runs me.'

export const RESTARTED = 'I am restarting and could not finish this. Please ask again in a minute.'

const GONE = new Set(['thread_not_found', 'message_not_found', 'invalid_thread_ts', 'cannot_reply_to_message'])
const NOT_IN = new Set(['not_in_channel', 'channel_not_found', 'method_not_supported_for_channel_type'])

/** Explains by Slack's error code why there is no answer in this conversation, and what to do. */
export function cannotPost(code: string): string {
  const invite =
    'Invite me with `/invite @thinkaloud` and ask again, or ask me in a public channel or a direct message.'
  if (code === 'is_archived') return 'This channel is archived, so I cannot answer here. Please ask in another channel.'
  if (code.startsWith('restricted_action'))
    return 'I am not allowed to post in this channel. Please ask in another channel.'
  if (GONE.has(code)) return 'The message I wanted to reply to is gone, so I did not answer.'
  if (NOT_IN.has(code)) return `I am not a member of this conversation and cannot join by myself. ${invite}`
  return `Slack does not let me answer here (${code}). Please tell the person who runs me.`
}

/** Replies to `remember: …` and `/ask memory`. */
export const MEMORY = {
  empty: `Please write what I should remember, such as \`${COMMAND} remember our fiscal year starts in May\`.`,
  full: `I already remember 100 things here, which is my limit. Please forget some first: \`${COMMAND} memory\`.`,
  notMember: 'Only full members of this workspace can tell me what to remember.',
  notPerson: 'I only remember what people write themselves, so I did not keep this message.',
  notPrivate:
    'I saved nothing: what I remember here is known to everyone in this channel. Leave out `private:`, or tell me in a direct message.',
  untold: 'Slack did not tell me who you are, so I remembered nothing. Please try again in a minute.',
  failed: 'That did not work. Please try again in a minute.',
  notIn: 'I am not in this channel, so I remembered nothing. Please invite me first.',
  known: 'I already remember this message, or was asked to forget it, so I saved nothing.',
  same: `I already remember that here. \`${COMMAND} memory\` lists what I remember.`,
  unreadable:
    'I cannot read what I remember here, so I left it as it is. The person who runs me may have changed SECRETS_KEY.',
  forgotten: 'Forgotten.',
  notYours: 'Only the person who said this, or a workspace admin, can make me forget it.',
}

/** The reply to *No* on a card that the model has opened. */
export const PROPOSED = { no: 'All right. Nothing was saved or changed.' }

/** `length`: that of the text, in characters. */
export function tooLongToRemember(length: number): string {
  return `That has ${count(length, 'character')}, and I can remember at most 500 at a time. Please shorten it.`
}

/** The part of an answer's footer about memory; '' if the answer uses nothing that is remembered. */
export function usedMemory(used = 0): string {
  return used > 0 ? `Uses ${count(used, 'thing')} that I was asked to remember here` : ''
}

export const CONNECTIONS = {
  head: 'Services that I can use with your own account, and only when you ask me something.',
  none: 'None of my tools needs your own account.',
  failed: 'I could not look up your connections. Please try again in a minute.',
}

/** Shown below the first answer in a thread of a channel, if the bot answers follow-ups there. */
export const HOW_TO_GO_ON = 'Reply to follow up · `mute` to stop automatic replies'

/** Replies to `/ask settings`. */
export const SETTINGS_WORDS = {
  notAdmin:
    'Only workspace admins can change my settings. Please ask one of them. The person who runs me can change that (SETTINGS_BY).',
  notMember:
    'Only full members of this workspace can change my settings. The person who runs me can change that (ALLOW_EXTERNAL).',
  notAllowed: 'I cannot take questions from you yet. The person who runs me can add you (ALLOW_USERS).',
  notHere: 'You are not a member of this channel, so you cannot change its settings.',
  untold: 'Slack did not tell me who you are, so I changed nothing. Please try again in a minute.',
  failed: 'That did not work, and nothing was changed. Please try again in a minute.',
  unchanged: 'You changed nothing.',
}

/** The names of a channel's settings, for people. */
const SETTING_NAMES: Record<string, string> = {
  followUps: 'follow-ups',
  whoMayStop: 'who may stop me',
  whoMayForget: 'who may delete what I remember',
  instructions: 'extra instructions',
}

export function settingsSaved(changed: string[]): string {
  return `Saved: ${changed.map((name) => SETTING_NAMES[name] ?? name).join(', ')}. This applies here from the next question.`
}

/**
 * The reason why a question is refused: the place or the person is not allowed, the person is a guest or from a
 * connected workspace, or Slack does not say who they are. `botTurns`: bots have asked too many questions in a row.
 */
export type Denial = keyof typeof DENIALS

const DENIALS = {
  channel:
    'I do not answer in this channel. Please ask in a channel I am set up for. The person who runs me can add this one (ALLOW_CHANNELS).',
  person: 'I cannot take questions from you yet. The person who runs me can add you (ALLOW_USERS).',
  external:
    'I only take questions from people in my own workspace. The person who runs me can change that (ALLOW_EXTERNAL).',
  guest:
    'I do not take questions from guests. Please ask a full member. The person who runs me can change that (ALLOW_EXTERNAL).',
  emailUnconfirmed:
    'I check e-mail addresses, and yours is not confirmed in Slack. Please confirm it in your account settings, then ask again.',
  emailUntold:
    'I check e-mail addresses, and Slack does not show me yours. The person who runs me needs to grant the app users:read.email.',
  personUntold:
    'Slack does not tell me who you are, so I cannot take your question. The person who runs me needs to reinstall the app with users:read, or change ALLOW_EXTERNAL.',
  personUnreachable: 'Slack could not tell me who you are just now. Please ask again in a minute.',
  groupUntold:
    'I cannot see who is in the user group that may ask me. The person who runs me needs to grant the app usergroups:read.',
  botTurns: 'Bots have asked three times in a row here. I will answer again when a person asks.',
}

export function denialText(denial: Denial): string {
  return DENIALS[denial]
}

const LIMITS: Record<LimitRefusal['limit'], (allowed: number) => string> = {
  userHour: (n) => `${count(n, 'question')} an hour for one person`,
  channelHour: (n) => `${count(n, 'question')} an hour for one channel`,
  userDayTokens: (n) => `${count(n, 'token')} a day for one person`,
  teamDayTokens: (n) => `${count(n, 'token')} a day for the workspace`,
  teamDayUsd: (n) => `$${n} a day for the workspace`,
  teamRuns: (n) => `${count(n, 'question')} at once in the whole workspace`,
  freeHour: (n) => `${count(n, 'request')} without the model (help, new schedules) an hour for one person`,
}

/** Explains which limit a question exceeds, and when the next one is allowed. */
export function refusalText({ limit, allowed, resetsInMs }: LimitRefusal): string {
  const when =
    resetsInMs === undefined
      ? 'Please ask again when one of those questions has finished.'
      : `Please ask again in ${inWords(resetsInMs)}.`
  return `You have reached the limit here: ${LIMITS[limit](allowed)}. ${when} This ${limit === 'freeHour' ? 'request' : 'question'} did not count.`
}

/** Says how much of a budget is used, before it is used up. */
export function budgetNotice({ limit, allowed, left, fullInMs }: Allowance): string {
  const used = allowed - left
  const percent = Math.min(100, Math.round((used / allowed) * 100))
  const amount =
    limit === 'teamDayUsd'
      ? `$${used.toFixed(2)} of $${allowed}`
      : `${Math.round(used).toLocaleString('en-US')} of ${allowed.toLocaleString('en-US')} tokens`
  const whose = limit === 'userDayTokens' ? 'You have used' : 'This workspace has used'
  return `${whose} ${percent}% of the daily budget: ${amount}. It refills gradually and will be full again in ${inWords(fullInMs)}. Once it is used up, I cannot take new questions for a while.`
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
export const PICTURES_UNSEEN = '🙈 My model cannot see pictures, so this answer does not use them.'

/** `2026-11-26 09:14 UTC`. `at` is in ms since the epoch. */
export function utcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** The line below an answer that was made without tools that are down. Plain text. */
export function toolsDownText(tools: Action[], reference: string): string {
  const [names, are] = [tools.map(actionTitle).join(', '), tools.length === 1 ? 'is' : 'are']
  return `⚠️ ${names} ${are} down, so this answer may be incomplete. Please ask again later. If it keeps happening, tell the person who runs me. Reference: ${reference}`
}

/** Returns a reference that stands in a message to a person and in the lines about it in the log. */
export function newReference(): string {
  return randomBytes(4).toString('hex')
}

/** A sentence for the person, and the reference for finding the details in the log. */
export function withReference(sentence: string, reference: string): string {
  return `${escapeText(sentence)}\n_Reference: ${reference}_`
}

/** The reply when an answer's record is no longer stored. */
export const ANSWER_GONE = 'I no longer have this answer. Please ask in your own words.'

/** What happened in a step without an action. */
export function unreadableTitle({ isAnswer }: { isAnswer?: true | undefined }): string {
  return isAnswer
    ? 'The model’s answer contained a figure that is not in any source'
    : 'The model’s output could not be read'
}
