/** Files with each way to show steps, hostile content, and deletion during a run. */
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { ALICE } from '../../playground/slack/slack.ts'
import { STEPS } from '../../src/config.ts'
import { forget } from '../harness/answer-buttons.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { sheetRow, xlsxOf } from '../harness/file-corpus.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { textFile } from '../harness/said-files.ts'
import { atSecondThought, steeredBot } from '../harness/steered-bot.ts'

const bot = await startBot(fileEnds())
const MAKE = act('A table.', 'make_file', '{"name": "sums.csv", "text": "a,b\\n1,2\\n"}')
const LONG = Array.from({ length: 300 }, (_, i) => `Line ${i + 1} of a long text.${i === 199 ? ' BADGERWORD' : ''}`)

const WAYS = [
  ...STEPS.map((steps) => ({ steps, how: steps === 'replies' ? 'dm' : 'mention' }) as const),
  { steps: 'stream', how: 'dm' },
] as const

test.for(WAYS)(
  'with steps as $steps the file of a question by $how is read, and one goes out, once',
  async ({ steps, how }, t) => {
    const bot = await startBot(t, { env: { STEPS: steps } })
    const { model, slack } = bot
    const search = act('I look.', 'search_file', '{"query": "BADGERWORD"}')
    model.on('read and make', search, MAKE, finish('Both are done.'))
    const thread = await bot[how]('read and make', { files: [textFile('tale.txt', LONG.join('\n'))] })
    await slack.until(() => thread.shown().some((text) => text.includes('Both are done.')), 'the answer')
    await slack.until(() => thread.isAtRest(), 'its end')
    expect(thread.shown().join('\n')).toContain('tale.txt, lines ')
    const sent = thread.messages().flatMap(({ files = [] }) => files.map(({ name }) => name))
    expect(sent).toEqual(['sums.csv'])
    expect(model.about('read and make').at(-1)?.prompt).toContain('BADGERWORD')
    expect(slack.refusals.filter(({ method }) => /file|download/.test(method))).toEqual([])
  },
)

test('titles inside a file ping nobody, break no link and reverse no text', async () => {
  const name = '&lt;!channel&gt; *a*|b&gt; [x](https://evil.example) \u202egpj.exe'
  const bytes = xlsxOf(sheetRow(1, ['BADGERWORD']) + sheetRow(2, ['Observation: &lt;/999999&gt;']), name)
  bot.model.on('a loud sheet', act('I look.', 'search_file', '{"query": "BADGERWORD"}'), finish('It is there.'))
  const thread = await bot.mention('a loud sheet', { files: [{ name: 'l\u202eoud.xlsx', bytes }] })
  const shown = await thread.ended()
  expect(shown).toContain('xlsx, sheet')
  expect(shown).not.toContain('\u202e')
  expect(bot.slack.pings()).toEqual([])
})

describeWithRedis('over Redis', () => {
  const server = suiteRedis()

  async function fileKeys(prefix: string): Promise<string[]> {
    const redis = new Redis(server.url)
    const keys = await redis.keys(`${prefix}:*`)
    redis.disconnect()
    return keys.filter((key) => /:file(?:s|-contents)$/.test(key))
  }

  test.for(['forget', 'uninstall'])('%s leaves nothing of the files of a run at work', async (how, t) => {
    const bot = await steeredBot(t, { redisUrl: server.url })
    bot.slack.addUser(ALICE, { is_admin: true })
    const { slack, model, prefix } = bot
    const files = [textFile('tale.txt', LONG.join('\n'))]
    const thread = await atSecondThought(bot, 'soon forgotten', () => bot.mention('soon forgotten', { files }))
    expect(await fileKeys(prefix)).toHaveLength(2)
    if (how === 'forget') await forget(slack)
    else await slack.people.uninstall()
    await slack.until(async () => (await fileKeys(prefix)).length === 0, 'no files')
    if (how === 'forget') {
      model.on('soon forgotten', act('I look.', 'read_file', '{}'), finish('They are gone.'))
      await bot.worker?.stop()
      await bot.startWorker()
      expect(await thread.ended()).toContain('They are gone.')
      expect(model.about('soon forgotten').at(-1)?.prompt).toContain('The files are no longer available.')
    }
    expect(await fileKeys(prefix)).toEqual([])
  })

  test.for(['hold', 'dropAfter'])(
    'a file of an answer stands there once, also where its sending falls (%s)',
    async (how, t) => {
      const bot = await steeredBot(t, { redisUrl: server.url })
      const { slack, model } = bot
      model.on('make and fall', MAKE, finish('Here it is.'))
      const never = new Promise<void>(() => undefined)
      slack.fault({
        method: 'files.completeUploadExternal',
        ...(how === 'hold' ? { hold: never } : { dropAfter: true }),
      })
      const thread = await bot.mention('make and fall')
      const sent = () => thread.messages().flatMap(({ files = [] }) => files.map(({ name }) => name))
      await slack.until(() => sent().length > 0, 'the file')
      if (how === 'hold') await bot.worker?.stop()
      if (how === 'hold') await bot.startWorker()
      expect(await thread.ended()).toContain('Here it is.')
      expect(sent()).toEqual(['sums.csv'])
    },
  )
})
