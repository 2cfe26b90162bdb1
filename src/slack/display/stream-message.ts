import { SlackRefusal } from '../client/slack-errors.ts'
import type { Outbox } from '../client/outbox.ts'
import type { TaskUpdate } from './stream-tasks.ts'

/** The post key of a run's first streamed message. The next ones are `stream-2` and so on. */
export const STREAM = 'stream'
/** A streamed message dies after about five minutes, or at 11,000 bytes. Another one continues before that. */
const OLD_MS = 235_000
const MAX_BYTES = 10_500
/** The time for which ending a stream is retried, in ms. */
const END_MS = 15_000
/** How long to search for a message. Milliseconds. */
const FIND_MS = 3_000
/** Appended to streamed text that turned out not to be the answer. */
export const WITHDRAWN = 'That was not the answer yet. I am still working.'

/** A part of a streamed message, in Slack's format. */
export type Chunk = TaskUpdate | { type: 'plan_update'; title: string } | { type: 'markdown_text'; text: string }

/** Closes a code block that is open where a message ends. */
export const CLOSING_FENCE = { type: 'markdown_text' as const, text: '\n```' }

/** The beginning of the answer that is in Slack: as the model wrote it (if known), and as Slack has it. */
export interface StreamedAnswer {
  written: string | undefined
  markdown: string
  /** The messages that contain it. */
  posts: string[]
}

/** Returns the streamed answer with a message that has ended. `streamedText`: the answer so far, as written. */
export function endedBy(
  { ts, text }: StreamMessage,
  { written, markdown, posts }: StreamedAnswer,
  streamedText: string,
): StreamedAnswer {
  return { written: written === undefined ? written : streamedText, markdown: markdown + text, posts: [...posts, ts] }
}

interface FoundStream {
  ts: string
  isOpen: boolean
  /** True if the run has its post key, which a process that dies early does not record. */
  isRecorded: boolean
  text: string
}

/** One streamed message: `chat.startStream`, `chat.appendStream`, `chat.stopStream`. Each call is tried once. */
export class StreamMessage {
  readonly ts: string
  /** The part of the answer that is certainly in it. */
  text = ''
  /** Whether Slack accepts no more chunks for it. */
  isOver = false
  /** Whether Slack did not confirm some text, so that the content is unknown. */
  isUnsure = false
  /** Steps whose thought it contains. Slack would append the details of a task a second time. */
  readonly detailed = new Set<string>()
  /** Steps that earlier messages show, so that this one does not repeat them. */
  readonly earlier = new Set<string>()
  /** Arguments for ending it, if they could not be sent with its last chunks. */
  closing: { blocks?: unknown; metadata?: unknown } = {}
  readonly #outbox: Outbox
  readonly #startedAt: number
  readonly #complete = new Set<string>()
  #bytes = 0

  constructor(outbox: Outbox, ts: string) {
    this.#outbox = outbox
    this.ts = ts
    this.#startedAt = Number(ts) * 1000
  }

  /** Opens a streamed message and records it in the run under a new key. @throws the error if it cannot be opened */
  static async open(outbox: Outbox, chunks: Chunk[]): Promise<StreamMessage> {
    const { question, run } = outbox
    await run.checkLease()
    const { channel, thread, user, team, userTeam = team } = question
    const recipient = { recipient_user_id: user, recipient_team_id: userTeam }
    const args = { channel, thread_ts: thread, ...recipient, task_display_mode: 'plan', chunks }
    const start = async () => {
      try {
        return String((await outbox.call('chat.startStream', args, { effort: 'once' })).ts)
      } catch (error) {
        const found = error instanceof SlackRefusal ? undefined : await findOpen(outbox)
        if (found === undefined) throw error
        return found.ts
      }
    }
    const key = nextKey(outbox)
    const find = async (isUnsure: boolean) => (isUnsure ? (await findOpen(outbox))?.ts : undefined)
    const { ts } = await outbox.once(key, start, find)
    const message = new StreamMessage(outbox, ts)
    message.#record(chunks)
    return message
  }

  /** Continues where another message has ended: does not repeat the steps that are complete there. */
  follow(ended: StreamMessage): void {
    for (const id of [...ended.earlier, ...ended.#complete]) if (!this.#complete.has(id)) this.earlier.add(id)
  }

  /** Returns whether these chunks need another message. */
  isFull(now: number, chunks: Chunk[]): boolean {
    return now - this.#startedAt > OLD_MS || this.#bytes + bytesOf(chunks) > MAX_BYTES
  }

  /** @throws any error; refused chunks are not in the message */
  async append(chunks: Chunk[]): Promise<void> {
    await this.#send('chat.appendStream', chunks)
  }

  /** Ends it with its last chunks. @throws any error */
  async stop(chunks: Chunk[] = [], more: { blocks?: unknown; metadata?: unknown } = {}): Promise<void> {
    await this.#send('chat.stopStream', chunks, more)
    this.isOver = true
  }

  async #send(method: string, chunks: Chunk[], more: object = {}): Promise<void> {
    const { question, run } = this.#outbox
    await run.checkLease()
    const sent = chunks.length > 0 ? { chunks: this.#withoutRepeats(chunks) } : {}
    const args = { channel: question.channel, ts: this.ts, ...sent, ...more }
    try {
      await this.#outbox.call(method, args, { effort: 'once' })
    } catch (error) {
      this.#failed(error, chunks)
      throw error
    }
    this.#record(chunks)
  }

  /** Ends it if it is still open. Slack refuses to end one that has ended by itself. Never rejects. */
  async end(): Promise<void> {
    if (this.isOver) return
    const args = { channel: this.#outbox.question.channel, ts: this.ts, ...this.closing }
    const options = { effort: 'patient', signal: AbortSignal.timeout(END_MS) } as const
    await this.#outbox.call('chat.stopStream', args, options).catch(() => undefined)
    this.isOver = true
  }

  /** A rate limit does not end the message: refused chunks may be sent a little later. */
  #failed(error: unknown, chunks: Chunk[]): void {
    if (error instanceof SlackRefusal) this.isOver ||= error.code !== 'ratelimited'
    else this.isUnsure ||= chunks.some((chunk) => chunk.type === 'markdown_text')
  }

  /** Records that the message contains these chunks. */
  #record(chunks: Chunk[]): void {
    this.#bytes += bytesOf(chunks)
    for (const chunk of chunks) {
      if (chunk.type === 'task_update') this.detailed.add(chunk.id)
      if (chunk.type === 'task_update' && chunk.status === 'complete') this.#complete.add(chunk.id)
      if (chunk.type === 'markdown_text') this.text += chunk.text
    }
  }

  #withoutRepeats(chunks: Chunk[]): Chunk[] {
    return chunks.map((chunk) => {
      if (chunk.type !== 'task_update' || !this.detailed.has(chunk.id)) return chunk
      const { type, id, title, status, output } = chunk
      return { type, id, title, status, output }
    })
  }
}

function bytesOf(chunks: Chunk[]): number {
  return chunks.reduce((sum, chunk) => sum + Buffer.byteLength(Object.values(chunk).join('')), 0)
}

/** Returns the post keys of the run's streamed messages, oldest first. */
export function streamKeys({ run }: Outbox): string[] {
  const numberOf = (key: string) => Number(key.slice(STREAM.length + 1) || 1)
  const keys = Object.keys(run.saved.posts).filter((key) => /^stream(?:-\d+)?$/.test(key))
  return keys.sort((a, b) => numberOf(a) - numberOf(b))
}

/** Returns the key for the next message. A claim without a message is used again. */
function nextKey(outbox: Outbox): string {
  const keys = streamKeys(outbox)
  const last = keys.at(-1)
  if (last !== undefined && outbox.run.saved.posts[last] === '') return last
  return keys.length === 0 ? STREAM : `${STREAM}-${keys.length + 1}`
}

/** Finds our streamed messages in the thread: those of the run, and any that is open but not recorded. */
async function findStreams(outbox: Outbox): Promise<FoundStream[]> {
  const recorded = new Set(streamKeys(outbox).map((key) => outbox.run.saved.posts[key]))
  const soon = AbortSignal.timeout(FIND_MS)
  const found: FoundStream[] = []
  for await (const { ts, streaming_state, text = '' } of outbox.ownMessages(outbox.question.thread, soon)) {
    const isOpen = streaming_state === 'in_progress'
    const isRecorded = recorded.has(ts)
    if (isRecorded || isOpen) found.push({ ts, isOpen, isRecorded, text })
  }
  return found
}

/** Finds an open, unrecorded stream in the thread. Streams have no metadata, but a thread has only one writer. */
async function findOpen(outbox: Outbox): Promise<FoundStream | undefined> {
  return (await findStreams(outbox)).findLast(({ isOpen, isRecorded }) => isOpen && !isRecorded)
}

/**
 * Finds the last message that an earlier process opened, and the answer's part in the messages before it. The first
 * `steps` steps may be in it already. Its part of the answer is compared with the whole answer at the end.
 */
export async function inheritStream(
  outbox: Outbox,
  steps: number,
): Promise<{ message?: StreamMessage; before: StreamedAnswer }> {
  const found = await findStreams(outbox)
  const last = found.pop()
  const markdown = found.map(({ text }) => text).join('')
  const posts = found.map(({ ts }) => ts)
  const before = { written: markdown === '' ? '' : undefined, markdown, posts }
  if (!last) return { before }
  // The record is needed to delete the message later.
  if (!last.isRecorded) await outbox.run.posted(nextKey(outbox), last.ts)
  const message = new StreamMessage(outbox, last.ts)
  message.text = last.text
  message.isOver = !last.isOpen
  message.isUnsure = last.text !== '' || markdown !== ''
  // The answer comes after all steps, so messages that contain its beginning contain them.
  const haveSteps = markdown !== '' && !markdown.includes(WITHDRAWN)
  for (let n = 1; n <= steps; n++) {
    message.detailed.add(`step-${n}`)
    if (haveSteps) message.earlier.add(`step-${n}`)
  }
  return { message, before }
}
