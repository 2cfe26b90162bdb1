import { LeaseLost } from '../../base/errors.ts'
import type { AnswerView, Content } from '../format/blocks.ts'
import { answerContents } from '../format/split-answer.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import type { Outbox } from '../client/outbox.ts'
import type { Chunk, EndedStream, StreamMessage } from './stream-message.ts'
import { planBlock } from './stream-tasks.ts'

/** How long Slack is asked to end a stream. Milliseconds. */
const END_MS = 15_000

type Ended = EndedStream & { outbox: Outbox; signal: AbortSignal }

/** The most characters of Markdown in a chunk. */
const MAX_CHUNK = 11_500
const NOT_SHOWN = new Set(['section', 'markdown', 'rich_text', 'table', 'data_table'])

/**
 * Ends a stream with its whole answer. Where all that was told is a beginning of it, the rest goes out with the call that ends the
 * stream. Else (it has died, or something else was told, or nobody knows) the message is updated: nothing is lost, or there twice.
 * @throws SlackRefusal, LeaseLost where the answer could not be delivered
 */
export async function endStream(key: string, view: AnswerView, stream: Ended): Promise<void> {
  const { outbox, message } = stream
  const post = `${key}-1`
  await outbox.once(post, {
    find: () => findEnded(outbox, post),
    async send() {
      if (!(await stopWith(key, view, stream))) await mend(key, view, stream)
      return message.ts
    },
  })
}

/** The streamed message that an earlier try has ended with this part of the run. */
async function findEnded(outbox: Outbox, key: string): Promise<string | undefined> {
  for await (const { ts, metadata } of outbox.ownMessages(outbox.question.thread)) {
    const { run, step } = metadata?.event_payload ?? {}
    if (run === outbox.question.id && step === key) return ts
  }
  return undefined
}

/** @returns whether the answer is out. */
async function stopWith(key: string, view: AnswerView, stream: Ended): Promise<boolean> {
  const { outbox, message, told, unsent, answer } = stream
  if (message.isOver || message.isUnsure || !view.text.startsWith(told)) return false
  const { fence } = answer
  const rest = view.text.slice(told.length)
  const text = (told === '' ? stream.head : '') + answer.finish(rest)
  const steps: Chunk[] = [...unsent, { type: 'plan_update', title: titleOf(view) }]
  const chunks: Chunk[] = text === '' ? steps : [...steps, { type: 'markdown_text', text }]
  const isLong = text.length > MAX_CHUNK || message.isFull(0, chunks)
  const metadata = outbox.metadata(`${key}-1`)
  try {
    if (!isLong) await message.stop(chunks, { blocks: closingBlocks(view), metadata })
    else await message.stop(fence ? [...steps, { type: 'markdown_text', text: '\n```' }] : steps, { metadata })
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    if (error instanceof SlackRefusal) {
      const isLimited = error.code === 'ratelimited' && !isLong
      return isLimited && appendInstead(message, chunks, { blocks: closingBlocks(view), metadata })
    }
    // Slack did not answer: it may have ended the stream.
    message.isOver = (await findEnded(outbox, `${key}-1`)) === message.ts
    if (!message.isOver) return false
  }
  const left = { ...view, text: fence ? `${fence}\n${rest.trimStart()}` : rest }
  if (isLong) await deliverFrom(2, key, { outbox, contents: answerContents(told === '' ? left : withoutHead(left)) })
  return true
}

/** Streams are ended twenty times a minute at most: the answer goes out at once, and the stream is ended as soon as that may be. */
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

/** Puts the steps and the answer into the message in place of what is there, and what is too much into messages after it. */
async function mend(key: string, view: AnswerView, stream: Ended): Promise<void> {
  const { outbox, message, before, signal } = stream
  await message.end(END_MS)
  const { text, goesOn } = textOf(view, stream)
  const [first, ...contents] = answerContents(
    before.markdown === '' ? { ...view, text } : { ...withoutHead(view), text },
  )
  if (!first) return
  if (!goesOn) await removeBefore(stream)
  const tasks = stream.tasks.filter(({ id }) => !goesOn || !message.earlier.has(id))
  const plan = tasks.length > 0 ? [planBlock(titleOf(view), tasks)] : []
  try {
    await update(first, plan, { outbox, signal, ts: message.ts, key })
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
    // The message is gone, say.
    await outbox.deliver(`${key}-again`, first)
  }
  await deliverFrom(2, key, { outbox, contents })
}

/** What of the answer belongs into the last message. `goesOn`: what the messages before it hold is a beginning of the answer. */
function textOf(view: AnswerView, { before, told, answer, head }: Ended): { text: string; goesOn: boolean } {
  const { written, markdown } = before
  const shown = written === undefined ? '' : told.slice(written.length)
  // A run that was stopped: what the person has read of its answer stays.
  if (view.gaveUp && shown !== '' && !view.text.startsWith(told))
    return { text: `${shown}\n\n${view.text}`, goesOn: true }
  const whole = written === undefined ? head + answer.finish(view.text) : view.text
  const beginning = written ?? markdown
  if (!whole.startsWith(beginning)) return { text: view.text, goesOn: false }
  return { text: whole.slice(beginning.length), goesOn: true }
}

/** The answer has come out otherwise than it was begun, which a model does that is asked again. */
async function removeBefore({ outbox, before, signal }: Ended): Promise<void> {
  for (const ts of before.posts) {
    await outbox.run.checkLease()
    await outbox
      .call('chat.delete', { channel: outbox.question.channel, ts }, { effort: 'patient', signal })
      .catch((error: unknown) => {
        if (!(error instanceof SlackRefusal)) throw error
      })
  }
}

async function update(
  content: Content,
  plan: Content['blocks'],
  { outbox, signal, ts, key }: { outbox: Outbox; signal: AbortSignal; ts: string; key: string },
): Promise<void> {
  await outbox.run.checkLease()
  const metadata = outbox.metadata(`${key}-1`)
  const args = { channel: outbox.question.channel, ts, text: content.text, parse: 'none', metadata }
  const options = { effort: 'patient', signal } as const
  try {
    await outbox.call('chat.update', { ...args, blocks: [...plan, ...content.blocks] }, options)
  } catch (error) {
    if (!(error instanceof SlackRefusal) || !/^(?:invalid_blocks|msg_)/.test(error.code)) throw error
    await outbox.call('chat.update', { ...args, blocks: content.blocks }, options)
  }
}

async function deliverFrom(
  first: number,
  key: string,
  { outbox, contents }: { outbox: Outbox; contents: Content[] },
): Promise<void> {
  for (const [i, content] of contents.entries()) await outbox.deliver(`${key}-${i + first}`, content)
}

/** What stands below an answer: why it was stopped, sources, the footer, what can be pressed. */
function closingBlocks(view: AnswerView): Content['blocks'] {
  const last = answerContents({ ...withoutHead(view), text: '.' }).at(-1)
  return (last?.blocks ?? []).filter(({ type }) => !NOT_SHOWN.has(type))
}

function withoutHead(view: AnswerView): AnswerView {
  return { ...view, understood: undefined }
}

/** `4 steps, 12.1 s`. */
function titleOf({ footer }: AnswerView): string {
  return footer
    .slice(footer.lastIndexOf('\n') + 1)
    .split(' · ')
    .slice(0, 2)
    .join(', ')
}
