import { conversationOf, type ShareRequest } from '../../stores/runs/types.ts'
import type { RunRecord } from '../../stores/archive/types.ts'
import { stepCount, workMs } from '../../agent/run-progress.ts'
import { changeLines } from '../../question/change-lines.ts'
import { figuresText } from '../../question/check-figures/judge-figures.ts'
import type { QuestionWork } from '../question-work.ts'
import { openThread } from './command-thread.ts'
import { clipSection, noteContent, rootContent, type AnswerView, type Content } from '../format/blocks.ts'
import { PRIVATE } from '../format/audience-words.ts'
import { PICTURES_UNSEEN, usedMemory, WITHOUT_WORDS } from '../format/messages.ts'
import { promptNotes } from '../format/left-out-of-prompt.ts'
import { footerLines, footerText } from '../display/final-view.ts'
import { answerContents } from '../format/answer-messages.ts'

/**
 * Posts a private question with its answer for everyone, once, because the asker wants it. It becomes a separate
 * message; the rest goes into its thread. Questions there continue the conversation.
 * @throws SlackRefusal, LeaseLost
 */
export async function shareAnswer(question: ShareRequest, work: QuestionWork): Promise<void> {
  const { outbox, mentions, services } = work
  const record = await services.archive.load(question.shares)
  if (!record?.answer) return outbox.sendEphemeral('gone', noteContent(PRIVATE.gone))
  if (record.question.forAsker) return shareInThread(record, work)
  const asked = (await mentions.withNames(record.question.text)) || WITHOUT_WORDS
  const { root, below } = messagesOf(rootContent(question.user, asked), answerContents(await answerView(record, work)))
  const thread = await openThread(root, outbox)
  for (const [i, content] of below.entries()) await outbox.under(thread).deliver(`answer-${i + 1}`, content)
  const { id, user, userTeam, at, team, channel } = question
  const { standalone = asked } = record
  const text = record.question.text || asked
  const turn = { id, question: text, standalone, answer: record.answer.text, user, userTeam, at }
  await services.history.append(`${team}:${channel}:${thread}`, turn)
  await outbox.sendEphemeral('shared', noteContent(PRIVATE.shared), { replaces: true })
}

/** Posts an answer into the thread whose question it answers. A follow-up there continues from it. @throws likewise */
async function shareInThread(record: RunRecord, work: QuestionWork): Promise<void> {
  const { outbox, services } = work
  const { question } = record
  for (const [i, content] of answerContents(await answerView(record, work)).entries())
    await outbox.under(question.thread).deliver(`answer-${i + 1}`, content)
  const thread = conversationOf(question)
  const turn = (await services.history.load(thread)).find(({ id }) => id === question.id)
  if (turn) {
    await services.history.remove(thread, question.id)
    await services.history.append(thread, { ...turn, answer: record.answer?.text ?? '' })
  }
  await outbox.sendEphemeral('shared', noteContent(PRIVATE.shared), { replaces: true })
}

/** The answer as the asker saw it, without buttons. */
export async function answerView(
  record: RunRecord,
  { mentions, settings, installation }: Pick<QuestionWork, 'mentions' | 'settings' | 'installation'>,
): Promise<AnswerView> {
  const { question, steps, usage, standalone, endedAt } = record
  const { text, sources, stopped, gaveUp, unseen, done, figures, used } = record.answer ?? { text: '', sources: [] }
  const warning = settings.figures && figuresText(figures)
  const spent = footerText({ steps: stepCount(steps), ms: workMs(record, endedAt), usage })
  const facts = [settings.hasFullFooter && spent, usedMemory(used)]
  const named = await mentions.event({ type: 'answer', text, sources })
  return {
    text: named.type === 'answer' ? named.text : text,
    sources,
    stopped,
    question: question.text,
    allowedHosts: [...settings.linkHosts, installation.identity.url],
    gaveUp,
    ...(standalone === undefined || standalone === question.text ? {} : { understood: mentions.forPeople(standalone) }),
    ...(done ? { done: changeLines(done, (user) => mentions.nameOf(user)) } : {}),
    ...(warning ? { warning } : {}),
    footer: footerLines([unseen && PICTURES_UNSEEN, ...promptNotes(usage)], facts),
  }
}

/** Size limit for one message, below Slack's 13,000 characters. */
const MESSAGE_CHARS = 12_000

/** Puts question and answer into one message if they fit; otherwise the answer goes below the question. */
function messagesOf(asked: Content, answer: Content[]): { root: Content; below: Content[] } {
  const [first, ...below] = answer
  if (!first || JSON.stringify([asked.blocks, first.blocks]).length > MESSAGE_CHARS)
    return { root: asked, below: answer }
  const text = clipSection(`${asked.text}\n\n${first.text}`)
  return { root: { ...first, text, blocks: [...asked.blocks, ...first.blocks] }, below }
}
