/** The audit list of a conversation, with the whole bot on a local Slack, tools that write and a real Redis. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../src/stores/audit/types.ts'
import { loadConfig, type Env } from '../../../src/config.ts'
import { createLog } from '../../../src/base/log.ts'
import { ALICE, BOB, GENERAL, TEAM } from '../../../playground/slack/slack.ts'
import { callKey } from '../../../src/stores/runs/call-key.ts'
import type { Decision } from '../../../src/stores/runs/types.ts'
import { undecidedSteps } from '../../../src/stores/runs/wait-keys.ts'
import { createStores } from '../../../src/question/stores/open-stores.ts'
import { envFor, startBot, type TestBotOptions, type Thread } from '../../harness/bot.ts'
import { runHere, temporaryFolder } from '../../harness/command.ts'
import { fileEnds, type Ends } from '../../harness/ends.ts'
import { act, finish } from '../../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../../harness/redis.ts'
import { deferred, eventually } from '../../harness/stores.ts'
import { sendJson, startWebServer } from '../../harness/web-server.ts'

const ends = fileEnds()

/** Returns the source of a tool that writes its input to an address. */
function toolFile(name: string, url: string, more: string): string {
  const run = `async run(input, { signal }) {
    const response = await fetch(${JSON.stringify(url)} + encodeURIComponent(input), { method: 'POST', signal })
    if (!response.ok) throw new Error('The shelf is full.')
    return 'written'
  }`
  return `export default { name: '${name}', description: 'Writes down.', effects: 'write', ${more}, ${run} }\n`
}

describeWithRedis('the audit list', async () => {
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  let count = 0

  /**
   * Starts a bot whose tools `write` and `ask_write` (which needs a person) write to an address. `onWrite` is called
   * for each write.
   */
  async function world(t: Ends, options: TestBotOptions & { onWrite?: (what: string) => Promise<unknown> } = {}) {
    const prefix = `noted${count++}`
    const written: string[] = []
    const shelf = await startWebServer((path, response) => {
      const what = decodeURIComponent(path.slice(1))
      written.push(what)
      const said = options.onWrite?.(what) ?? Promise.resolve()
      void said.then(() => sendJson(response, {}, what === 'too much' ? 507 : 200))
    })
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'a.js'), toolFile('write', `${shelf.url}/`, 'needsApproval: false'))
    await writeFile(join(folder, 'b.js'), toolFile('ask_write', `${shelf.url}/`, 'needsApproval: true'))
    const env: Env = { CUSTOM_TOOLS_DIR: folder, REDIS_URL: server.url, REDIS_PREFIX: prefix, ...options.env }
    const bot = await startBot(t, { ...options, env })
    const stores = await createStores(loadConfig({ ...envFor(bot), ...env, ROLE: 'front' }), {
      log: createLog('silent'),
      now: Date.now,
    })
    const redis = new Redis(server.url)
    t.onTestFinished(async () => {
      await stores.queue.stop(0)
      await stores.close()
      redis.disconnect()
    })
    const listed = () => stores.audit.list({ team: TEAM }, 99)
    return { ...bot, stores, redis, prefix, written, listed }
  }
  type World = Awaited<ReturnType<typeof world>>

  const runOf = ({ ts }: Thread) => ({ thread: `${TEAM}:${GENERAL}:${ts}`, id: `${TEAM}:${GENERAL}:${ts}` })

  /** Waits until the run is suspended for a person, and decides. */
  async function decide({ stores, listed }: World, thread: Thread, decision: Decision): Promise<AuditEntry[]> {
    const waits = async () => undecidedSteps((await stores.control.load(runOf(thread)))!.saved)
    await eventually(async () => expect(await waits()).toHaveLength(1))
    await eventually(async () => expect(await stores.queue.stats()).toMatchObject({ active: 0, waiting: 0 }))
    const before = await listed()
    const [key = ''] = await waits()
    expect(await stores.control.resume(runOf(thread), key, decision)).toBe('woken')
    return before
  }

  test('contains an allowed write before its call, and then its result', async (t) => {
    const during: AuditEntry[][] = []
    const onWrite = async () => during.push(await bot.listed())
    const bot: World = await world(t, { onWrite, model: [act('I write.', 'ask_write', 'milk'), finish('Done.')] })
    const thread = await bot.mention('Put milk on the list')
    const argumentsHash = callKey('ask_write', { input: 'milk' })
    const before = await decide(bot, thread, { outcome: 'allowed', by: BOB, at: 1, key: argumentsHash })
    await thread.ended()
    const entry = {
      ...{ run: runOf(thread).id, step: 1, team: TEAM, channel: GENERAL, thread: thread.ts, tool: 'ask_write' },
      ...{ askedBy: ALICE, decidedBy: BOB, how: 'once', argumentsHash, at: expect.any(Number) },
    }
    expect(before).toEqual([])
    expect(during).toEqual([[{ ...entry, outcome: 'begun' }]])
    await eventually(async () => expect(await bot.listed()).toEqual([{ ...entry, outcome: 'done' }]))
    expect(JSON.stringify(await bot.listed())).not.toContain('milk')
  })

  test('says how each was decided: always, denied, expired, allowed for other arguments', async (t) => {
    const key = callKey('ask_write', { input: 'milk' })
    const decisions: [string, Decision, object][] = [
      [
        'always',
        { outcome: 'allowed', by: BOB, at: 1, key, always: true },
        { how: 'always', decidedBy: BOB, outcome: 'done' },
      ],
      [
        'denied',
        { outcome: 'denied', by: BOB, at: 1, key: 'k', reason: 'no' },
        { how: 'denied', decidedBy: BOB, outcome: 'not_run' },
      ],
      ['expired', { outcome: 'expired' }, { how: 'expired', outcome: 'not_run' }],
      [
        'other arguments',
        { outcome: 'allowed', by: BOB, at: 1, key: 'ff' },
        { how: 'once', decidedBy: BOB, outcome: 'not_run' },
      ],
    ]
    const bot = await world(t)
    for (const [name, decision, said] of decisions) {
      bot.model.on(name, act('I write.', 'ask_write', 'milk'), finish('Done.'))
      const thread = await bot.mention(`Put milk on the list (${name})`)
      await decide(bot, thread, decision)
      await thread.ended()
      const entries = async () => (await bot.listed()).filter(({ run }) => run === runOf(thread).id)
      await eventually(async () => expect(await entries(), name).toMatchObject([said]))
      const [entry, ...others] = await entries()
      expect(entry, name).toMatchObject({ ...said, argumentsHash: key })
      expect(Object.hasOwn(entry!, 'decidedBy')).toBe('decidedBy' in said)
      expect(others).toEqual([])
      expect(bot.written.splice(0)).toHaveLength(entry?.outcome === 'done' ? 1 : 0)
    }
    expect(await bot.listed()).toHaveLength(decisions.length)
  })

  test('distinguishes writes by approval and by result', async (t) => {
    const steps = [act('One.', 'write', 'milk'), act('Two.', 'write', 'too much'), act('Three.', 'calculator', '1+1')]
    const bot = await world(t, { model: [...steps, finish('Done.')] })
    await (await bot.mention('Put much on the list')).ended()
    const said = async () =>
      (await bot.listed()).map(({ step, how, outcome, decidedBy }) => [step, how, outcome, decidedBy])
    await eventually(async () =>
      expect(await said()).toEqual([
        [2, 'config', 'failed', undefined],
        [1, 'config', 'done', undefined],
      ]),
    )
  })

  test('says that the result of a cut-off call is unknown', async (t) => {
    const held = deferred()
    const bot = await world(t, { onWrite: () => held.promise, model: [act('I write.', 'write', 'milk')] })
    const thread = await bot.mention('Put milk on the list')
    await bot.slack.until(() => bot.written.length === 1, 'the call')
    expect(await bot.listed()).toMatchObject([{ outcome: 'begun' }])
    await bot.stores.control.send(runOf(thread), { type: 'stop', by: ALICE })
    await thread.ended()
    await eventually(async () => expect(await bot.listed()).toMatchObject([{ step: 1, outcome: 'unknown' }]))
    held.resolve()
  })

  test('says so too if the question was withdrawn', async (t) => {
    const held = deferred()
    const bot = await world(t, { onWrite: () => held.promise, model: [act('I write.', 'write', 'milk')] })
    const thread = await bot.mention('Put milk on the list')
    await bot.slack.until(() => bot.written.length === 1, 'the call')
    await thread.delete()
    await eventually(async () => expect(await bot.listed()).toMatchObject([{ step: 1, outcome: 'unknown' }]))
    held.resolve()
  })

  test('contains what a dead process could not note, once the run is resumed', async (t) => {
    const steps = [act('One.', 'write', 'milk'), act('Two.', 'write', 'eggs'), act('Three.', 'ask_write', 'tea')]
    const during: number[][] = []
    const onWrite = async () => during.push((await bot.listed()).map(({ step }) => step).sort())
    const bot: World = await world(t, { onWrite, model: [...steps, finish('Done.')] })
    const thread = await bot.mention('Put all on the list')
    const key = `${bot.prefix}:{${runOf(thread).thread}}:run:${runOf(thread).id}`
    await eventually(async () => expect(await bot.redis.hget(key, 'state')).toBe('parked'))
    // The state if the process dies before it has recorded the first write's end, and before it has the second's.
    const entries = `${bot.prefix}:{${TEAM}}:audit`
    await bot.redis.del(entries, `${entries}-times`)
    const { observation, ...second } = JSON.parse((await bot.redis.hget(key, 'step:2')) ?? '') as {
      observation: object
    }
    expect(observation).toMatchObject({ ok: true })
    await bot.redis.hset(key, 'step:2', JSON.stringify(second))
    await decide(bot, thread, { outcome: 'allowed', by: BOB, at: 1, key: callKey('ask_write', { input: 'tea' }) })
    await thread.ended()
    expect(bot.written).toEqual(['milk', 'eggs', 'tea'])
    expect(during).toEqual([[1], [1, 2], [1, 2, 3]])
    const said = async () =>
      (await bot.listed()).map(({ step, outcome, argumentsHash }) => [step, outcome, argumentsHash]).sort()
    await eventually(async () =>
      expect(await said()).toEqual([
        [1, 'done', callKey('write', { input: 'milk' })],
        [2, 'unknown', callKey('write', { input: 'eggs' })],
        [3, 'done', callKey('ask_write', { input: 'tea' })],
      ]),
    )
  })

  test('contains nothing of a question without writes', async (t) => {
    const bot = await world(t, { model: [act('I count.', 'calculator', '1+1'), finish('2')] })
    await (await bot.mention('One and one?')).ended()
    await eventually(async () => expect(await bot.stores.queue.stats()).toMatchObject({ active: 0, waiting: 0 }))
    expect(await bot.redis.keys(`${bot.prefix}:*audit*`)).toEqual([])
  })

  test('is printed by a command, a line per entry, newest first, or as JSON', async (t) => {
    const steps = [act('One.', 'write', 'milk'), act('Two.', 'ask_write', 'tea')]
    const bot = await world(t, { model: [...steps, finish('Done.')] })
    const thread = await bot.mention('Put both on the list')
    await decide(bot, thread, {
      outcome: 'allowed',
      by: BOB,
      at: 1,
      key: callKey('ask_write', { input: 'tea' }),
      always: true,
    })
    await thread.ended()
    await eventually(async () => expect(await bot.listed()).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]))
    const env = { REDIS_URL: server.url, REDIS_PREFIX: bot.prefix }
    const audit = (...args: string[]) => runHere(t, 'src/commands/runs.ts', { args: ['audit', ...args], env })
    const [all, one, json, wrong] = await Promise.all([audit(), audit('1'), audit('2', '--json'), audit('some')])
    const hash = callKey('write', { input: 'milk' }).slice(0, 12)
    const [newest = '', older = '', ...rest] = all.stdout.split('\n')
    expect(newest).toMatch(
      new RegExp(
        `^\\d{4}-\\S+Z {2}done {2}ask_write {2}asked by ${ALICE} {2}allowed by ${BOB}, always in this thread {2}`,
      ),
    )
    expect(older).toMatch(
      new RegExp(
        `done {2}write {2}asked by ${ALICE} {2}allowed by the settings {2}arguments ${hash} {2}step 1 of ${TEAM}:`,
      ),
    )
    expect(rest).toEqual(['2 writes', ''])
    expect(one.stdout).toBe(`${newest}\n1 write\n`)
    const read: unknown[] = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(read).toEqual(await bot.listed())
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain('audit [N]')
  })
})
