import { expect, onTestFinished, test } from 'vitest'
import type { Queue } from '../../src/queue/types.ts'
import { conversationOf, type Question } from '../../src/stores/runs/types.ts'
import { deferred, eventually, question } from '../harness/stores.ts'
import type { QueueSettings } from './contract.ts'

const START = 1_700_000_000

/** Returns a ts some minutes after the start. */
const at = (minutes: number) => `${START + minutes * 60}.000100`

/** Returns a message at the top level of a direct message. */
const dm = (minutes: number, overrides: Partial<Question> = {}): Question =>
  question(at(minutes), { channel: 'D1', surface: 'dm', thread: at(minutes), ...overrides })

const replyTo = (root: number, minutes: number, overrides: Partial<Question> = {}): Question =>
  dm(minutes, { thread: at(root), ...overrides })

/** The contract of every queue for direct messages. */
export function conversationContract(make: (settings?: QueueSettings) => Queue): void {
  /** Returns the conversation of each of these questions, in order. */
  const conversations = async (asked: Question[], settings?: QueueSettings): Promise<string[]> => {
    const queue = await opened(settings)
    const seen = new Map<string, string>()
    await queue.start(async (one) => void seen.set(one.id, conversationOf(one)))
    for (const one of asked) expect(await queue.accept(one)).toBe('accepted')
    await eventually(() => expect(seen.size).toBe(asked.length))
    return asked.map(({ id }) => seen.get(id) ?? '')
  }
  const opened = async (settings?: QueueSettings): Promise<Queue> => {
    const queue = make(settings)
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }
  const named = (minutes: number, channel = 'D1') => `T1:${channel}:${at(minutes)}`

  test('messages within an hour of each other are one conversation, and the next one starts another', async () => {
    expect(await conversations([dm(0), dm(59), dm(118), dm(179), dm(200)])).toEqual([
      ...[named(0), named(0), named(0)],
      ...[named(179), named(179)],
    ])
  })

  test('a reply belongs to the conversation of its root, however old', async () => {
    const asked = [dm(0), dm(30), replyTo(30, 31), dm(500), replyTo(30, 501), replyTo(500, 502)]
    expect(await conversations(asked)).toEqual([named(0), named(0), named(0), named(500), named(0), named(500)])
  })

  test('a reply does not extend a conversation, and one under an unknown message is its own', async () => {
    expect(await conversations([dm(0), replyTo(0, 55), dm(70), replyTo(-900, 71)])).toEqual([
      ...[named(0), named(0)],
      ...[named(70), named(-900)],
    ])
  })

  test('each direct message has its own conversations, and a channel’s threads have none', async () => {
    const inChannel = question(at(2), { thread: at(2) })
    const asked = [dm(0), dm(1, { channel: 'D2' }), inChannel, dm(3, { channel: 'D2' })]
    expect(await conversations(asked)).toEqual([named(0), named(1, 'D2'), named(2, 'C1'), named(1, 'D2')])
  })

  test('a command in a direct message joins when it has its thread, under the same id', async () => {
    const unrooted = dm(10, { surface: 'ask', thread: 'ask-1', id: 'T1:D1:ask-1' })
    const queue = await opened()
    const seen: string[] = []
    await queue.start(async (one) => void seen.push(conversationOf(one)))
    await queue.accept(dm(0))
    await queue.accept(unrooted)
    await queue.accept({ ...unrooted, thread: at(10) })
    await eventually(() => expect(seen.toSorted()).toEqual([named(0), named(0), 'T1:D1:ask-1']))
  })

  test('a late message joins the conversation of the time it was written', async () => {
    expect(await conversations([dm(0), dm(50), dm(100), dm(45), dm(-30), dm(-200), dm(120)])).toEqual([
      ...[named(0), named(0), named(0), named(0), named(0)],
      ...[named(-200), named(0)],
    ])
  })

  test('a repeated delivery is recognised, whatever was written in between', async () => {
    const queue = await opened()
    const seen: string[] = []
    await queue.start(async ({ ts }) => void seen.push(ts ?? ''))
    for (const minutes of [0, 30, 300]) await queue.accept(dm(minutes))
    for (const minutes of [0, 30, 300]) expect(await queue.accept(dm(minutes))).toBe('duplicate')
    expect(await queue.accept(dm(30, { eventId: 'Ev-again' }))).toBe('duplicate')
    await eventually(() => expect(seen).toHaveLength(3))
  })

  test('a conversation’s questions run in order and one at a time; conversations run side by side', async () => {
    const queue = await opened({ concurrency: 8 })
    const allAtWork = deferred()
    const order: string[] = []
    let [running, most] = [0, 0]
    const asked = [dm(0), dm(1), replyTo(0, 2), replyTo(1, 3), dm(300), dm(0, { channel: 'D2', id: 'T1:D2:x' })]
    await Promise.all(asked.map((one) => queue.accept(one)))
    await queue.start(async (one) => {
      most = Math.max(most, ++running)
      if (most === 3) allAtWork.resolve()
      await allAtWork.promise
      if (conversationOf(one) === named(0)) order.push(one.ts ?? '')
      await new Promise((resolve) => setTimeout(resolve, 15))
      running -= 1
    })
    await eventually(() => expect(order).toHaveLength(4))
    expect(order).toEqual([at(0), at(1), at(2), at(3)])
    expect(most).toBe(3)
  })

  test('with a time of 0 each message is its own conversation', async () => {
    expect(await conversations([dm(0), dm(1), replyTo(0, 2)], { dmMemoryMs: 0 })).toEqual([
      ...[named(0), named(1), named(0)],
    ])
  })

  test('the time is a setting', async () => {
    expect(await conversations([dm(0), dm(9), dm(20)], { dmMemoryMs: 600_000 })).toEqual([
      ...[named(0), named(0), named(20)],
    ])
  })
}
