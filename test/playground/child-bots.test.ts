import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { startOwnRedis } from '../../playground/base/own-redis.ts'
import { ChildBots, type ChildBotsOptions } from '../../playground/bot/child-bots.ts'
import { tryInProcess } from '../../playground/bot/child-process.ts'
import type { RunBot } from '../../playground/bot/run-bot.ts'
import { startPlayground, type Playground, type PlaygroundOptions } from '../../playground/main.ts'
import { readConversation } from '../../playground/recording/conversation-file.ts'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { temporaryFolder } from '../harness/command.ts'
import { nodeArgs } from '../harness/compiled-sources.ts'
import { describeWithRedis } from '../harness/redis.ts'
import { standStill } from '../harness/stand-still.ts'

/** Returns the ids of the bots that this process has forked. */
function ownBots(): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return all
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === process.pid && args.join(' ').includes('bot-process.'))
    .map(([pid]) => Number(pid))
}

test('a start may take a minute, and a ready bot keeps running; one that died does not end its successor', async (t) => {
  const faults: unknown[] = []
  const note = (error: unknown) => void faults.push(error)
  process.on('uncaughtException', note)
  t.onTestFinished(() => void process.off('uncaughtException', note))
  const [notices, minutesOver]: [string[], (() => void)[]] = [[], []]
  const after = (_: number, act: () => void) => void minutesOver.push(act)
  const more = { workspaces: true, after, nodeArgs }
  const { bots, playground } = await startedBots((text) => void notices.push(text), more)
  t.onTestFinished(playground.stop)
  const [pid] = ownBots()
  minutesOver[0]?.()
  const renewed = bots.renew()
  minutesOver[1]?.()
  await renewed
  expect(notices).toEqual([
    'The bot is ready.',
    'The bot did not start in time. The bot from before this edit keeps running.',
  ])
  await expect.poll(ownBots).toEqual([pid])

  process.kill(pid!, 'SIGKILL')
  // The bot is gone, and this process has not been notified.
  standStill(500)
  await bots.renew()
  await expect
    .poll(() => notices.filter((line) => line.includes('The bot is ready.')).length, { timeout: 60_000 })
    .toBe(2)
  expect(notices.join()).toContain('It is restarting; without Redis, running questions are lost.')
  // Slack delivers to the next bot.
  expect((await fetch(`${playground.gateway?.botUrl()}/healthz`)).status).toBe(200)
  expect(faults).toEqual([])
}, 180_000)

describeWithRedis('with the Redis of npm run dev', () => {
  test('a prompt is tried in a separate process, and the acts of two successive bots are saved as one test', async (t) => {
    const [conversations, notices]: [string, string[]] = [await temporaryFolder(t), []]
    const more = { nodeArgs, startRedis: startOwnRedis, conversations }
    const { bots, playground } = await startedBots((text) => void notices.push(text), more)
    t.onTestFinished(playground.stop)
    const { slack, url } = playground
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await response.json()) as Record<string, unknown>
    }
    const answers = (thread: string) =>
      slack.replies(GENERAL, thread).filter((one) => JSON.stringify(one).includes('thinkaloud_show_work'))
    await post('say', { channel: GENERAL, text: '@thinkaloud What is 6*7?' })
    const { ts: thread } = await slack.until(() => slack.messages(GENERAL).find(({ user }) => user === ALICE), 'it')
    await slack.until(() => answers(thread).length === 1, 'an answer')
    await bots.renew()
    await post('say', { channel: GENERAL, text: 'What is 3*7?', thread_ts: thread })
    await slack.until(() => answers(thread).length === 2, 'another answer')
    expect(notices).toEqual(['The bot is ready.', 'The bot has restarted.'])
    const text = await readFile(join(ROOT, 'prompts/text.md'), 'utf8')
    const tried = () => post('prompts/try', { name: 'text', text, channel: GENERAL, thread })
    // The data on a question is saved a moment after its answer is shown.
    await expect.poll(tried).toMatchObject({ before: { text: '3*7 = **21**' }, now: { text: '3*7 = **21**' } })
    const broken = { name: 'text', text: text.replace('{{today}}', ''), channel: GENERAL, thread }
    expect(JSON.stringify(await post('prompts/try', broken))).toContain('prompts/text.md lacks the variable {{today}}.')
    const scope = { channel: GENERAL, thread }
    expect(await post('record/save', { name: 'both', scope })).toEqual({
      ok: true,
      saved: 'test/conversations/both.json',
    })
    const { tools } = readConversation(await readFile(join(conversations, 'both.json'), 'utf8'))
    expect(tools.map(({ output }) => output)).toEqual(['42', '21'])
    await playground.stop()
    expect(ownBots()).toEqual([])
  }, 180_000)
})

test('without Redis a prompt is not tried, and a message says so', async () => {
  const { signal } = new AbortController()
  const request = { name: 'text', text: '', question: 'none' }
  await expect(tryInProcess(request, { settings: {}, signal })).rejects.toThrow('npm run dev needs Redis')
})

type More = Pick<ChildBotsOptions, 'after' | 'nodeArgs'> & PlaygroundOptions

async function startedBots(
  notice: (text: string) => void,
  { after, nodeArgs, ...options }: More = {},
): Promise<{ bots: ChildBots; playground: Playground }> {
  let started: ChildBots | undefined
  const runBot: RunBot = async (parts) => {
    const bots = new ChildBots({ ...parts, notice, ...(nodeArgs && { nodeArgs }), ...(after && { after }) })
    await bots.renew()
    started = bots
    const trying = { settings: parts.settings, signal: new AbortController().signal, nodeArgs }
    return { tryPrompts: (request) => tryInProcess(request, trying), stop: () => bots.stop() }
  }
  const playground = await startPlayground({ PLAYGROUND_PORT: '0' }, { ...options, runBot })
  if (!started) throw new Error('There are no bots.')
  return { bots: started, playground }
}
