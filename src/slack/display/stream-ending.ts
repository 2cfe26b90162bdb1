import { LeaseLost } from '../../base/errors.ts'
import type { AnswerView, Content } from '../format/blocks.ts'
import { answerContents } from '../format/answer-messages.ts'
import type { StreamMarkdown } from '../format/stream-markdown.ts'
import { ifRefused, SlackRefusal } from '../client/slack-errors.ts'
import type { Outbox } from '../client/outbox.ts'
import { CLOSING_FENCE, type Chunk, type StreamedAnswer, type StreamMessage } from './stream-message.ts'
import { planBlock, type TaskUpdate } from './stream-tasks.ts'

/** The state of a stream once the answer is complete. */
interface EndedStream {
  outbox: Outbox
  /** The message that the answer ends in. */
  message: StreamMessage
  /** The part of the answer in the messages before it. */
  before: StreamedAnswer
  /** All steps, and those whose current state the message does not show. */
  tasks: TaskUpdate[]
  unsent: TaskUpdate[]
  /** The answer's Markdown after `streamedText`, and the `head` above the answer. */
  answer: StreamMarkdown
  streamedText: string
  head: string
}

/** Maximum characters of Markdown in a chunk. */
const MAX_CHUNK = 11_500
const NOT_SHOWN = new Set(['section', 'markdown', 'rich_text', 'table', 'data_table'])

/**
 * Ends a stream with its whole answer. If the streamed text is the beginning of the answer, the rest goes out with the
 * call that ends the stream. Otherwise (the stream died, or its text differs or is unknown) the message is updated, so
 * that nothing is lost or shown twice. @throws SlackRefusal, LeaseLost if the answer cannot be delivered
 */
export async function endStream(key: string, view: AnswerView, stream: EndedStream): Promise<void> {
  const { outbox, message } = stream
  const post = `${key}-1`
  const send = async () => {
    if (!(await stopWith(key, view, stream))) await mend(key, view, stream)
    return message.ts
  }
  await outbox.once(post, send, () => findEnded(outbox, post))
}

/** Finds the streamed message that an earlier try ended with this part of the run. */
async function findEnded(outbox: Outbox, key: string): Promise<string | undefined> {
  for await (const { ts, metadata } of outbox.ownMessages(outbox.question.thread)) {
    const { run, step } = metadata?.event_payload ?? {}
    if (run === outbox.question.id && step === key) return ts
  }
  return undefined
}

/** Ends the stream with the rest of the answer. @returns whether the answer is posted */
async function stopWith(key: string, view: AnswerView, stream: EndedStream): Promise<boolean> {
  const { outbox, message, streamedText, unsent, answer } = stream
  if (message.isOver || message.isUnsure || !view.text.startsWith(streamedText)) return false
  const { fence } = answer
  const rest = view.text.slice(streamedText.length)
  const text = (streamedText === '' ? stream.head : '') + answer.finish(rest)
  const steps: Chunk[] = [...unsent, { type: 'plan_update', title: titleOf(view) }]
  const chunks: Chunk[] = text === '' ? steps : [...steps, { type: 'markdown_text', text }]
  const isLong = text.length > MAX_CHUNK || message.isFull(0, chunks)
  const metadata = outbox.metadata(`${key}-1`)
  try {
    if (!isLong) await message.stop(chunks, { blocks: closingBlocks(view), metadata })
    else await message.stop(fence ? [...steps, CLOSING_FENCE] : steps, { metadata })
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    if (error instanceof SlackRefusal) {
      const isLimited = error.code === 'ratelimited' && !isLong
      return isLimited && appendInstead(message, chunks, { blocks: closingBlocks(view), metadata })
    }
    // Slack did not answer, but it may have ended the stream.
    message.isOver = (await findEnded(outbox, `${key}-1`)) === message.ts
    if (!message.isOver) return false
  }
  const left = { ...view, text: fence ? `${fence}\n${rest.trimStart()}` : rest }
  if (isLong) await deliverFrom(2, key, outbox, answerContents(streamedText === '' ? left : withoutHead(left)))
  return true
}

/** Slack allows ending 20 streams a minute. So the answer is appended at once, and the stream is ended later. */
async function appendInstead(
  message: StreamMessage,
  chunks: Chunk[],
  closing: StreamMessage['closing'],
): Promise<boolean> {
  message.closing = closing
  return message.append(chunks).then(
    () => true,
    () => false,
  )
}

/** Replaces the message's content with the steps and the answer. The rest of the answer goes into new messages. */
async function mend(key: string, view: AnswerView, stream: EndedStream): Promise<void> {
  const { outbox, message, before } = stream
  await message.end()
  const { text, goesOn } = lastText(view, stream)
  const [first, ...contents] = answerContents(
    before.markdown === '' ? { ...view, text } : { ...withoutHead(view), text },
  )
  if (!first) return
  if (!goesOn) await removeBefore(stream)
  const tasks = stream.tasks.filter(({ id }) => !goesOn || !message.earlier.has(id))
  const plan = tasks.length > 0 ? [planBlock(titleOf(view), tasks)] : []
  try {
    await update(first, plan, outbox, message.ts, key)
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
    // For example, the message is gone.
    await outbox.deliver(`${key}-again`, first)
  }
  await deliverFrom(2, key, outbox, contents)
}

/** Returns the answer's part for the last message. `goesOn`: the messages before it contain the answer's beginning. */
function lastText(
  view: AnswerView,
  { before, streamedText, answer, head }: EndedStream,
): { text: string; goesOn: boolean } {
  const { written, markdown } = before
  const shown = written === undefined ? '' : streamedText.slice(written.length)
  // The run was stopped. The visible part of its answer stays.
  if (view.gaveUp && shown !== '' && !view.text.startsWith(streamedText))
    return { text: `${shown}\n\n${view.text}`, goesOn: true }
  const whole = written === undefined ? head + answer.finish(view.text) : view.text
  const beginning = written ?? markdown
  if (!whole.startsWith(beginning)) return { text: view.text, goesOn: false }
  return { text: whole.slice(beginning.length), goesOn: true }
}

/** Deletes earlier messages that are not the answer's beginning: a model that is asked again may answer differently. */
async function removeBefore({ outbox, before }: EndedStream): Promise<void> {
  for (const ts of before.posts) {
    await outbox.run.checkLease()
    const how = { effort: 'patient', signal: outbox.signal } as const
    await outbox.call('chat.delete', { channel: outbox.question.channel, ts }, how).catch(ifRefused(() => undefined))
  }
}

async function update(
  content: Content,
  plan: Content['blocks'],
  outbox: Outbox,
  ts: string,
  key: string,
): Promise<void> {
  await outbox.run.checkLease()
  const metadata = outbox.metadata(`${key}-1`)
  const args = { channel: outbox.question.channel, ts, text: content.text, parse: 'none', metadata }
  const options = { effort: 'patient', signal: outbox.signal } as const
  try {
    await outbox.call('chat.update', { ...args, blocks: [...plan, ...content.blocks] }, options)
  } catch (error) {
    if (!(error instanceof SlackRefusal) || !/^(?:invalid_blocks|msg_)/.test(error.code)) throw error
    await outbox.call('chat.update', { ...args, blocks: content.blocks }, options)
  }
}

async function deliverFrom(first: number, key: string, outbox: Outbox, contents: Content[]): Promise<void> {
  for (const [i, content] of contents.entries()) await outbox.deliver(`${key}-${i + first}`, content)
}

/** The blocks around an answer's text: why it was stopped, sources, the footer and the buttons. */
function closingBlocks(view: AnswerView): Content['blocks'] {
  const last = answerContents({ ...withoutHead(view), text: '.' }).at(-1)
  return (last?.blocks ?? []).filter(({ type }) => !NOT_SHOWN.has(type))
}

function withoutHead(view: AnswerView): AnswerView {
  return { ...view, understood: undefined }
}

/** `4 steps, 12.1 s`. */
function titleOf({ spent = '' }: AnswerView): string {
  return spent.split(' · ').slice(0, 2).join(', ')
}
