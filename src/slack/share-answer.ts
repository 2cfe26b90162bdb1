import { stepCount, workMs } from '../agent/run-progress.ts'
import type { RunArchive, RunRecord } from '../stores/archive/types.ts'
import type { History } from '../stores/history/types.ts'
import type { Question } from '../stores/runs/types.ts'
import type { Installation } from './client/installations.ts'
import type { Settings } from '../stores/settings/settings.ts'
import { openThread } from './command-thread.ts'
import { clip, noteContent, rootContent, type AnswerView, type Content } from './format/blocks.ts'
import { PICTURES_UNSEEN, PRIVATE } from './format/messages.ts'
import { answerContents, footerText } from './format/split-answer.ts'
import type { Mentions } from './client/mentions.ts'
import type { Outbox } from './client/outbox.ts'

export interface ShareOptions {
  /** The question that carries `shares`. */
  question: Question
  outbox: Outbox
  mentions: Mentions
  settings: Settings
  installation: Pick<Installation, 'identity'>
  archive: RunArchive
  answer: { history: History }
}

/**
 * Posts a private question with its answer for everyone, once, because the asker wants it. It becomes a message of its
 * own; the rest goes into its thread. Questions there continue the conversation.
 * @throws SlackRefusal, LeaseLost
 */
export async function shareAnswer(options: ShareOptions): Promise<void> {
  const { question, outbox, mentions, archive, answer } = options
  const record = await archive.load(question.shares ?? '')
  if (!record?.answer) return outbox.sendEphemeral('gone', noteContent(PRIVATE.gone))
  const asked = await mentions.readable(record.question.text)
  const { root, below } = messagesOf(rootContent(question.user, asked), answerContents(await viewOf(record, options)))
  const thread = await openThread(root, outbox)
  for (const [i, content] of below.entries()) await outbox.under(thread).deliver(`answer-${i + 1}`, content)
  const { id, user, at, team, channel } = question
  const { standalone = asked } = record
  const turn = { id, question: record.question.text, standalone, answer: record.answer.text, user, at }
  await answer.history.append(`${team}:${channel}:${thread}`, turn)
  await outbox.sendEphemeral('shared', noteContent(PRIVATE.shared), { replaces: true })
}

/** Rebuilds the answer as the asker saw it, without buttons. */
async function viewOf(record: RunRecord, { mentions, settings, installation }: ShareOptions): Promise<AnswerView> {
  const { question, steps, usage, standalone, endedAt } = record
  const { text, sources, stopped, gaveUp, unseen } = record.answer ?? { text: '', sources: [] }
  const figures = footerText({ steps: stepCount(steps), ms: workMs(record, endedAt), usage })
  const named = await mentions.event({ type: 'answer', text, sources })
  return {
    text: named.type === 'answer' ? named.text : text,
    ...{ sources, stopped, question: question.text, allowedHosts: [...settings.linkHosts, installation.identity.url] },
    ...(gaveUp ? { gaveUp } : {}),
    ...(standalone === undefined || standalone === question.text ? {} : { understood: mentions.shown(standalone) }),
    footer: unseen ? `${PICTURES_UNSEEN}\n${figures}` : figures,
  }
}

/** Size limit for one message, below Slack's 13,000 characters. */
const MESSAGE_CHARS = 12_000

/** Puts question and answer into one message if they fit; otherwise the answer goes below the question. */
function messagesOf(asked: Content, answer: Content[]): { root: Content; below: Content[] } {
  const [first, ...below] = answer
  if (!first || JSON.stringify([asked.blocks, first.blocks]).length > MESSAGE_CHARS)
    return { root: asked, below: answer }
  const text = clip(`${asked.text}\n\n${first.text}`)
  return { root: { ...first, text, blocks: [...asked.blocks, ...first.blocks] }, below }
}
