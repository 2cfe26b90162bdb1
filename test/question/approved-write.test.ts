/** A custom tool that changes something, with the whole bot on a local Slack and a Redis. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { GENERAL } from '../../playground/slack/slack.ts'
import { callKey } from '../../src/stores/runs/call-key.ts'
import type { SavedRun } from '../../src/stores/runs/types.ts'
import { waitKey } from '../../src/stores/runs/wait-keys.ts'
import { createStores } from '../../src/question/stores/open-stores.ts'
import { envFor, startBot } from '../harness/bot.ts'
import { temporaryFolder } from '../harness/command.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { eventually } from '../harness/stores.ts'

const TEAM = 'T0LOCAL0001'
const HOUR_MS = 3_600_000

/** Returns the source of a tool that appends its input to a file. */
const noteTool = (file: string) => `import { appendFileSync } from 'node:fs'
export default { name: 'note', description: 'Notes it.', effects: 'write',
  run(text) { appendFileSync(${JSON.stringify(file)}, text + '\\n'); return 'Noted.' } }`

describeWithRedis('a tool that writes', () => {
  const server = suiteRedis()

  test('waits for APPROVAL_HOURS, and is called once after an approval in another process', async (t) => {
    const dir = await temporaryFolder(t)
    const [file, folder] = [join(dir, 'notes.txt'), join(dir, 'note.mjs')]
    await writeFile(file, '')
    await writeFile(folder, noteTool(file))
    const env = { REDIS_URL: server.url, REDIS_PREFIX: 'approved', CUSTOM_TOOLS_DIR: dir, APPROVAL_HOURS: '48' }
    const bot = await startBot(t, { model: [act('a', 'note', 'hello'), finish('It is noted.')], env })
    const other = await createStores(loadConfig({ ...envFor(bot), ...env, ROLE: 'front' }), {
      log: createLog('silent'),
      now: Date.now,
    })
    t.onTestFinished(() => other.close())
    t.onTestFinished(() => other.queue.stop(0))

    const { ts } = await bot.mention('Note hello.')
    const run = { thread: `${TEAM}:${GENERAL}:${ts}`, id: `${TEAM}:${GENERAL}:${ts}` }
    const redis = new Redis(server.url)
    t.onTestFinished(() => redis.disconnect())
    const parkedUntil = async () => Number(await redis.zscore(`approved:{${run.thread}}:parked`, run.id))
    await eventually(async () => expect(await parkedUntil()).toBeGreaterThan(0))
    const waiting = waitingOf((await other.control.load(run))?.saved)
    expect(await parkedUntil()).toBe(waiting.since + 48 * HOUR_MS)
    expect(await redis.pttl(`approved:{${run.thread}}:run:${run.id}`)).toBeGreaterThan(48 * HOUR_MS)
    expect(await readFile(file, 'utf8')).toBe('')

    expect(waiting.for).toMatchObject({ kind: 'approval', input: { input: 'hello' }, says: 'Notes it.' })
    const key = callKey('note', waiting.for?.kind === 'approval' ? waiting.for.input : undefined)
    await other.control.resume(run, waitKey(1, waiting), { outcome: 'allowed', by: 'U2', at: 1, key })
    await eventually(async () => expect((await other.control.load(run))?.saved.answer?.text).toBe('It is noted.'))
    expect(await readFile(file, 'utf8')).toBe('hello\n')
    expect((await other.control.load(run))?.saved.steps).toMatchObject([
      { begun: expect.any(Number), observation: { ok: true } },
    ])
  })
})

function waitingOf(saved: SavedRun | undefined) {
  const [step] = saved?.steps ?? []
  if (step?.kind !== 'tool' || !step.waiting) throw new Error('The first step waits for nobody.')
  return step.waiting
}
