import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunkBatches, EventDecoder } from '../../src/model/event-stream.ts'

const all = (...pieces: (string | Uint8Array)[]) => {
  const decoder = new EventDecoder()
  return pieces.flatMap((piece) => decoder.push(Buffer.from(piece)))
}

describe('server-sent events', () => {
  test.each([
    ['one event', 'data: {"a":1}\n\n', ['{"a":1}']],
    ['no space after the colon', 'data:x\n\n', ['x']],
    ['one space is the form’s, the next one is data', 'data:  x\n\n', [' x']],
    ['CRLF', 'data: x\r\n\r\ndata: y\r\n\r\n', ['x', 'y']],
    ['several lines of data', 'data: x\ndata: y\n\n', ['x\ny']],
    ['comments, names and ids', ': keep-alive\n\nevent: delta\nid: 7\ndata: x\nretry: 10\n\n', ['x']],
    ['empty lines', '\n\n\ndata: x\n\n\n\n', ['x']],
    ['an event that never ends is none', 'data: x\n\ndata: y\n', ['x']],
    ['a field that only begins like data', 'database: x\n\n', []],
  ])('%s', (_, text, events) => {
    expect(all(text)).toEqual(events)
  })

  test('parse the same for any chunking', () => {
    const text = 'data: {"text":"é😀"}\r\n\r\n: ping\n\ndata: a\ndata: b\n\ndata: [DONE]\n\n'
    const bytes = Buffer.from(text)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length })), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end))
        expect(all(...pieces)).toEqual(['{"text":"é😀"}', 'a\nb', '[DONE]'])
      }),
    )
  })

  test('that never end are refused before they fill memory', () => {
    const mebibyte = Buffer.alloc(2 ** 20, 'x')
    const endless = (piece: Uint8Array) => () => all(...Array.from({ length: 20 }, () => piece))
    expect(endless(mebibyte)).toThrow('too long')
    expect(endless(Buffer.from(`data: ${mebibyte.toString()}\n`))).toThrow('too long')
    expect(endless(Buffer.from('data:\n'.repeat(2 ** 20)))).toThrow('too long')
  })

  test('of many small chunks take linear time', () => {
    const decoder = new EventDecoder()
    const piece = Buffer.from('x')
    for (let i = 0; i < 1_500_000; i++) decoder.push(piece)
    expect(decoder.push(Buffer.from('\n\n'))).toEqual([])
  })
})

describe('a streamed answer', () => {
  const batchesOf = async (...pieces: string[]) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(Buffer.from(piece))
        controller.close()
      },
    })
    const batches: unknown[] = []
    let fault: unknown
    try {
      for await (const batch of chunkBatches(new Response(body))) batches.push(batch)
    } catch (error) {
      fault = error
    }
    return { batches, fault }
  }

  test('is yielded per read, up to its end', async () => {
    const { batches } = await batchesOf(
      'data: 1\n\ndata: 2\n\n',
      'data: 3\n\ndata: [DONE]\n\ndata: 4\n\n',
      'data: 5\n\n',
    )
    expect(batches).toEqual([
      [1, 2],
      [3, { type: 'done' }],
    ])
  })

  test('is yielded up to an invalid chunk or an error, which is thrown', async () => {
    expect(await batchesOf('data: 1\n\ndata: {"a\n\ndata: 2\n\n')).toMatchObject({
      batches: [[1]],
      fault: { name: 'SyntaxError' },
    })
    expect(await batchesOf('data: 1\n\ndata: {"error":{"code":"503","message":"busy"}}\n\n')).toMatchObject({
      batches: [[1]],
      fault: { code: '503' },
    })
  })
})
