/** Bodies that end: what an endpoint sends is counted as it comes in, so that an endless answer takes no memory. */
import { FinalFailure } from './failures.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Body = ReadableStream<Bytes>

/** What a body may hold, in bytes, altogether and from one event of a stream to the next. */
export interface Bounds {
  all: number
  event: number
}

/** The body's beginning as text; the rest is not fetched. */
export async function beginningOf(body: Body, most: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const reader = body.getReader()
  while (bytes < most) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    text += decoder.decode(value.subarray(0, value.length - Math.max(0, bytes - most)), { stream: true })
  }
  cancel(reader)
  return text
}

/** The body, chunk by chunk. It errors with a FinalFailure where it is longer than `most`. */
export function bounded(body: Body, most: number): Body {
  let bytes = 0
  return through(body, ({ value }) => {
    bytes += value?.length ?? 0
    if (bytes > most) throw tooMuch()
    return value
  })
}

/**
 * The body in chunks that each end with a server-sent event, since the SDK's decoder joins its rest with each chunk anew,
 * which takes quadratic time where an event is long. It errors with a FinalFailure where it is longer than the bounds.
 */
export function boundedEvents(body: Body, { all, event }: Bounds): Body {
  const held: Bytes[] = []
  let bytes = 0
  let heldBytes = 0
  let before = ''
  return through(body, ({ value }) => {
    if (value) {
      held.push(value)
      bytes += value.length
      heldBytes += value.length
      if (bytes > all || (heldBytes > event && held.length > 1)) throw tooMuch()
      const read = before + Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1')
      before = read.slice(-LONGEST_END)
      if (!EVENT_END.test(read)) return undefined
    }
    heldBytes = 0
    return held.length === 1 ? held.pop() : Buffer.concat(held.splice(0))
  })
}

/** An empty line, in any of the three ways to end a line. */
const EVENT_END = /\n\n|\r\r|\r\n\r\n/
const LONGEST_END = '\r\n\r'.length

/** The same body; it errors with the failure where it begins as a web page does. */
export function notAPage(body: Body, failure: FinalFailure): Body {
  let isBegun = false
  return through(body, ({ value }) => {
    if (!isBegun && value && PAGE.test(new TextDecoder().decode(value.subarray(0, 1000)))) throw failure
    isBegun ||= value !== undefined && value.length > 0
    return value
  })
}

const PAGE = /^\s*</

/** Each chunk, and the end, through `change`; what that gives is passed on. */
function through(body: Body, change: (read: { value: Bytes | undefined }) => Bytes | undefined): Body {
  const reader = body.getReader()
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read()
          const out = changed(value)
          if (out && out.length > 0) controller.enqueue(out)
          if (done) return controller.close()
          if (out && out.length > 0) return
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )

  function changed(value: Bytes | undefined): Bytes | undefined {
    try {
      return change({ value })
    } catch (error) {
      cancel(reader)
      throw error
    }
  }
}

function cancel(reader: ReadableStreamDefaultReader): void {
  reader.cancel().catch(() => undefined)
}

function tooMuch(): FinalFailure {
  return new FinalFailure(
    'the answer is too long to be one',
    'The model sent far more than an answer can be, so I stopped reading it. Please ask again, perhaps for less.',
  )
}
