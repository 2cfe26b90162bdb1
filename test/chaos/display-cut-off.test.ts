/** A worker is killed while a stream is open or a card grows. */
import { expect, test } from 'vitest'
import type { StoredMessage } from '../../playground/slack/slack.ts'
import { observationsIn, playedTurn } from '../harness/chaos/script.ts'
import { openScene, type AskedThread, type Scene } from '../harness/chaos/scene.ts'
import { Stage } from '../harness/chaos/stage.ts'
import { expectRecovery, activitySigns } from '../harness/chaos/expect-recovery.ts'
import { finish } from '../harness/played-model.ts'
import { redisProxy, type RedisProxy } from '../harness/redis-proxy.ts'

/**
 * Prepares the point before the question is asked. Returns a function that tells whether the worker must be killed now.
 */
type Point = (stage: Stage, proxy: RedisProxy) => () => boolean

interface Play {
  when: string
  point: Point
  /** Called before another worker exists. */
  meanwhile?: (stage: Stage) => void
  /** The point at which the next worker is killed. */
  second?: Point
  /** The number of words of the answer, and of the answer when the model is asked again. */
  words?: [first: number, again: number]
}

const isRunEnding = (command: string) => command.includes('\r\n$4\r\ndone\r\n')

/** Returns `w1 w2 w3 …`, in paragraphs. */
function numbered(name: string, count: number): string {
  const words = Array.from({ length: count }, (_, i) => `w${i + 1}${(i + 1) % 20 === 0 ? '.\n\n' : ' '}`)
  return `${name} is answered. ${words.join('')}`.trim()
}

const wordsIn = (text: string) => text.match(/\bw\d+\b/g) ?? []
const wordsTo = (count: number) => Array.from({ length: count }, (_, i) => `w${i + 1}`)

/** Returns the bot's messages about the last question. */
function messages({ scene }: Stage): StoredMessage[] {
  const thread = scene.threads.at(-1)
  return thread ? scene.slack.replies(thread.channel, thread.ts) : []
}

const isOpen = ({ streaming_state }: StoredMessage) => streaming_state === 'in_progress'

/** Returns whether the stream's `n`th message is open and has some words of the answer. */
function hasWords(stage: Stage, n = 1): boolean {
  const message = messages(stage)[n - 1]
  return message !== undefined && isOpen(message) && wordsIn(message.text).length > 20
}

/** Lets a call take effect, and withholds its answer. */
function holdAnswer(stage: Stage, method: string, part = ''): () => boolean {
  let isMet = false
  const where = (args: object) => JSON.stringify(args).includes(part) && (isMet = true)
  stage.scene.slack.fault({ method, where, hold: stage.after })
  return () => isMet
}

/** Makes a call fail without effect, however often it is made. */
function lose(stage: Stage, method: string, part = ''): () => boolean {
  let isMet = false
  const where = (args: object) => JSON.stringify(args).includes(part) && (isMet = true)
  stage.scene.slack.fault({ method, where, dropBefore: true, times: 1_000 })
  return () => isMet
}

const atRunEnd: Point = (_, proxy) => {
  proxy.holdWhen(isRunEnding)
  return proxy.isHeld
}

const inTheText: Play = {
  when: 'during the answer’s text',
  words: [400, 400],
  point: (stage) => () => hasWords(stage),
}

const OF_A_STREAM: Play[] = [
  {
    when: 'between the start and its record',
    point(stage) {
      stage.holdCall(2)
      const isHeld = holdAnswer(stage, 'chat.startStream')
      return () => isHeld() && stage.asked === 2
    },
  },
  {
    when: 'when it has a task and nothing else',
    point(stage) {
      stage.holdCall(2)
      return () => messages(stage).some(isOpen) && stage.asked === 2
    },
  },
  inTheText,
  { ...inTheText, when: 'during a text for which the model then writes another', words: [400, 7] },
  {
    when: 'between a part of the text and its answer',
    words: [400, 400],
    point: (stage) => holdAnswer(stage, 'chat.appendStream', 'markdown_text'),
  },
  {
    when: 'during a second message, after the first is full',
    words: [2_500, 2_500],
    point: (stage) => () => hasWords(stage, 2),
  },
  {
    when: 'during a second message, and the model then writes another text',
    words: [2_500, 7],
    point: (stage) => () => hasWords(stage, 2),
  },
  {
    ...inTheText,
    when: 'during the text, and the stream expires before the next worker starts',
    meanwhile: (stage) => messages(stage).forEach((message) => (message.streaming_state = 'stopped')),
  },
  { when: 'between the stop and its record', words: [40, 1], point: (stage) => holdAnswer(stage, 'chat.stopStream') },
  { when: 'before the stop', words: [40, 1], point: (stage) => lose(stage, 'chat.stopStream') },
  { when: 'between the record of the answer and the end of the run', words: [40, 1], point: atRunEnd },
  {
    ...inTheText,
    when: 'during the text, and the next worker between the stop and the whole text',
    second: (stage) => lose(stage, 'chat.update'),
  },
  {
    ...inTheText,
    when: 'during the text, and the next worker between the whole text and its record',
    second: (stage) => holdAnswer(stage, 'chat.update'),
  },
]

const CARD = '"step":"card"'
const FOLDED = '"container"'

const OF_A_CARD: Play[] = [
  {
    when: 'between its post and its record',
    point(stage) {
      stage.holdCall(1)
      const isHeld = holdAnswer(stage, 'chat.postMessage', CARD)
      return () => isHeld() && stage.asked === 1
    },
  },
  {
    when: 'while it grows',
    point(stage) {
      stage.holdCall(2)
      return () => stage.effects('chat.update', 'card') === 1 && stage.asked === 2
    },
  },
  {
    when: 'between an update and its answer',
    point(stage) {
      stage.holdCall(2)
      const isHeld = holdAnswer(stage, 'chat.update', CARD)
      return () => isHeld() && stage.asked === 2
    },
  },
  {
    when: 'between the answer’s post and its record',
    point(stage) {
      stage.holdAnswer('chat.postMessage', 'answer-1')
      return () => stage.effects('chat.postMessage', 'answer-1') === 1
    },
  },
  { when: 'between the answer and the folding', point: (stage) => lose(stage, 'chat.update', FOLDED) },
  { when: 'between the folding and its answer', point: (stage) => holdAnswer(stage, 'chat.update', FOLDED) },
  { when: 'between the folding and the end of the run', point: atRunEnd },
]

test('a worker is killed while its stream is open: the next one completes the answer without loss or repetition, and closes the stream', async (t) => {
  const env = { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' }
  const scene = await openScene(t, { env, slack: { agent: true } })
  const posts = new Map<AskedThread, RegExp[]>()
  await playAll(scene, OF_A_STREAM, (thread, when, count) => {
    const [name] = thread.names
    const shown = scene.slack.replies(thread.channel, thread.ts).map((message) => scene.slack.shown(message))
    const all = shown.join('\n')
    expect(wordsIn(all), when).toEqual(wordsTo(count))
    for (const n of [1, 2]) expect(all.split(`noted: ${name} use ${n}`), when).toHaveLength(2)
    expect(all.split(`${name} is answered.`), when).toHaveLength(2)
    const isFull = count > 2_000
    expect(shown, when).toHaveLength(isFull ? 2 : 1)
    posts.set(thread, [...(isFull ? [/^a stranger’s /] : []), new RegExp(`^${name} answer-1`)])
  })
  await expectRecovery(scene, { posts })
}, 300_000)

test('a worker is killed while its card grows: there is one card, folded up, and one answer', async (t) => {
  const scene = await openScene(t, { env: { STEPS: 'card' } })
  const posts = new Map<AskedThread, string[]>()
  await playAll(scene, OF_A_CARD, (thread, when) => {
    const [name] = thread.names
    const [card] = scene.slack.replies(thread.channel, thread.ts)
    expect(scene.postsIn(thread), when).toEqual([`${name} card`, `${name} answer-1`])
    expect(JSON.stringify(card?.blocks), when).toContain('"container"')
    posts.set(thread, [`${name} card`, `${name} answer-1`])
  })
  await expectRecovery(scene, { posts })
}, 300_000)

test('a worker is killed before it records its stream, and the question is deleted: the stream is deleted too', async (t) => {
  const scene = await openScene(t, { env: { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' } })
  await scene.start('front')
  for (const { when, point } of OF_A_STREAM.slice(0, 2)) {
    const stage = new Stage(scene)
    const thread = await killedAt(scene, when, { stage, point, ask: () => scene.ask() })
    await scene.remove(thread)
    stage.letGo()
    const heir = await scene.start('worker')
    await scene.slack.until(() => scene.isAtRest(), `the end of what was killed ${when}`, 30_000)
    expect(scene.postsIn(thread), when).toEqual([])
    await heir.stop()
  }
  await scene.start('worker')
  await expectRecovery(scene)
})

/** Runs each in its own thread, with its own workers. `look` is called when all work has ended. */
async function playAll(scene: Scene, plays: Play[], look: (thread: AskedThread, when: string, words: number) => void) {
  await scene.start('front')
  for (const { when, point, meanwhile, second, words } of plays) {
    const stage = new Stage(scene)
    if (words) answerIn(stage, words)
    const thread = await killedAt(scene, when, { stage, point, ask: () => scene.ask() })
    meanwhile?.(stage)
    if (second) await killedAt(scene, when, { stage, point: second, ask: async () => thread })
    stage.letGo()
    const heir = await scene.start('worker')
    await scene.slack.until(() => scene.isAtRest(), `the end of what was killed ${when}`, 30_000)
    expect(activitySigns(scene), when).toEqual([])
    look(thread, when, words?.[stage.asked > 3 ? 1 : 0] ?? 0)
    await heir.stop()
  }
  await scene.start('worker')
}

/** Starts a worker, asks, and kills the worker at the point. */
async function killedAt(
  scene: Scene,
  when: string,
  { stage, point, ask }: { stage: Stage; point: Point; ask: () => Promise<AskedThread> },
): Promise<AskedThread> {
  const proxy = await redisProxy(scene.redis.port)
  const isReached = point(stage, proxy)
  const bot = await scene.start('worker', { REDIS_URL: proxy.url })
  const thread = await ask()
  await scene.slack.until(isReached, `the point ${when}`, 30_000)
  await bot.kill()
  scene.slack.clearFaults()
  return thread
}

/** Makes the third turn the answer: slow the first time, at once when the model is asked again. */
function answerIn({ scene, name }: Stage, [first, again]: [number, number]): void {
  let asked = 0
  scene.model.decide(name, (request) => {
    if (observationsIn(request) < 2) return playedTurn(request)
    asked += 1
    if (asked > 1) return finish(numbered(name, again))
    return { text: finish(numbered(name, first)), chunkChars: 20, chunkMs: 20 }
  })
}
