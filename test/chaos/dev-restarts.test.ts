import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { cp, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { GENERAL } from '../../playground/slack/slack.ts'
import { temporaryFolder } from '../harness/command.ts'
import { fileEnds } from '../harness/ends.ts'
import { describeWithRedis } from '../harness/redis.ts'

const COPIED = [
  'src',
  'playground',
  'tools',
  'prompts',
  'manifest.yml',
  'manifest.agent.yml',
  'package.json',
  'tsconfig.json',
]
/** A source file whose text is in every answer. */
const CODE = 'src/slack/format/blocks.ts'
const ends = fileEnds()

/** The playground of a copy of the checkout, started by `npm run dev`. */
class Dev {
  folder = ''
  url = ''
  greeting = ''
  #output = ''
  #process: ChildProcess | undefined

  /** Starts it. `path` is where it finds programs. */
  async start(path = process.env.PATH) {
    this.folder = await temporaryFolder(ends)
    for (const name of COPIED) await cp(join(ROOT, name), join(this.folder, name), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'))
    const own = { PATH: path, HOME: process.env.HOME, PLAYGROUND_PORT: '0', FOOTER: 'full' }
    const args = ['--import', 'tsx', 'playground/dev.ts']
    const child = spawn(process.execPath, args, { cwd: this.folder, env: own, detached: true })
    this.#process = child
    ends.onTestFinished(() => void child.kill('SIGKILL'))
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    this.greeting = await this.shows('Ctrl+C ends it.')
    this.url = /http:\/\/localhost:\d+/.exec(this.greeting)?.[0] ?? ''
  }

  /** Returns the output since the last call, once it contains this. */
  async shows(text: string): Promise<string> {
    await until(async () => (this.#output.includes(text) ? '' : `“${text}” in:\n${this.#output}`))
    const seen = this.#output
    this.#output = ''
    return seen
  }

  /** Changes a file of the copy. */
  async edit(file: string, change: (text: string) => string) {
    await this.#write(file, change(await readFile(join(this.folder, file), 'utf8')))
  }

  async restore(file: string) {
    await this.#write(file, await readFile(join(ROOT, file), 'utf8'))
  }

  /** Writes a file in one step, because a watcher may see an empty file first and count two changes. */
  async #write(file: string, text: string) {
    const path = join(this.folder, file)
    await writeFile(`${path}.tmp`, text)
    await rename(`${path}.tmp`, path)
  }

  async post(path: string, body: object): Promise<Record<string, unknown>> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${this.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as Record<string, unknown>
  }

  /** Asks in #general or in a thread there. Returns the thread. */
  async ask(text: string, thread?: string): Promise<string> {
    await this.post('say', { channel: GENERAL, text, ...(thread && { thread_ts: thread }) })
    return thread ?? (await this.messages()).at(-1)?.ts ?? ''
  }

  async messages(thread?: string): Promise<{ ts: string; text: string; all: string }[]> {
    const state = (await (await fetch(`${this.url}/state`)).json()) as {
      channels: { id: string; messages: { ts: string; thread_ts?: string; text: string }[] }[]
    }
    const all = state.channels.find(({ id }) => id === GENERAL)?.messages ?? []
    const meant = thread ? all.filter((one) => one.thread_ts === thread) : all.filter((one) => !one.thread_ts)
    return meant.map((one) => ({ ...one, all: JSON.stringify(one) }))
  }

  async answers(thread: string, count: number): Promise<string[]> {
    let found: string[] = []
    await until(async () => {
      found = (await this.messages(thread)).map(({ all }) => all).filter((all) => /\d steps? · /.test(all))
      return found.length >= count ? '' : `${count} answers in ${thread}`
    })
    return found
  }

  /**
   * Asks until the bot is seen working on a question, which is over before a slow process looks. Returns the thread.
   */
  async askedAndAtWork(text: string): Promise<string> {
    for (;;) {
      const thread = await this.ask(text)
      await until(async () => ((await this.messages(thread)).length > 0 ? '' : 'the first step'))
      if (!(await this.messages(thread)).some(({ all }) => /\d steps? · /.test(all))) return thread
    }
  }

  /** Presses Ctrl+C, which reaches every process of the terminal. */
  async stop(): Promise<number | null> {
    const child = this.#process
    if (child?.pid === undefined) return null
    const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve))
    process.kill(-child.pid, 'SIGINT')
    return ended
  }

  /** Returns its running processes, including bots and Redis. */
  left(): string[] {
    const all = execFileSync('ps', ['-eo', 'pgid=,args='], { encoding: 'utf8' }).split('\n')
    return all.filter((line) => Number.parseInt(line) === this.#process?.pid)
  }
}

/** Waits until nothing is missing. */
async function until(missing: () => Promise<string>): Promise<void> {
  const end = Date.now() + 120_000
  for (let what = await missing(); what !== ''; what = await missing()) {
    if (Date.now() > end) throw new Error(`Waited for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

describeWithRedis('npm run dev', () => {
  const dev = new Dev()
  beforeAll(() => dev.start(), 300_000)

  test('after edits of a tool and of the code, a follow-up knows the conversation, and both edits take effect', async () => {
    const thread = await dev.ask('@thinkaloud Who was Ada Lovelace?')
    await dev.answers(thread, 1)
    await dev.edit('tools/calculator.ts', (text) =>
      text.replace(
        'run: async ({ expression }) => resultOf(expression)',
        'run: async ({ expression }) => `${resultOf(expression)} apples`',
      ),
    )
    await dev.shows('The bot has restarted.')
    await dev.edit(CODE, (text) => text.replace('Good answer', 'Fine answer'))
    await dev.shows('The bot has restarted.')
    await dev.ask('When was she born?', thread)
    const [, born = ''] = await dev.answers(thread, 2)
    expect(born).toContain('1815')
    expect(born).toContain('Fine answer')
    await dev.ask('What is 6*7?', thread)
    await dev.answers(thread, 3)
    expect((await dev.messages(thread)).map(({ all }) => all).join('')).toContain('42 apples')
    await dev.restore('tools/calculator.ts')
    await dev.shows('The bot has restarted.')
    await dev.restore(CODE)
    await dev.shows('The bot has restarted.')
  }, 300_000)

  test('a broken edit is reported in a sentence, and the bot from before it keeps running', async () => {
    await dev.edit('tools/calculator.ts', () => 'export const = broken(')
    expect(await dev.shows('keeps running.')).toMatch(
      /tools\/calculator\.ts:1:\d+: .*\. The bot from before this edit keeps running\./,
    )
    await dev.edit('prompts/text.md', (text) => text.replace('{{today}}', 'today'))
    await dev.shows('keeps running.')
    await dev.restore('tools/calculator.ts')
    expect(await dev.shows('keeps running.')).toContain('prompts/text.md lacks the variable {{today}}. Put it back.')
    const thread = await dev.ask('@thinkaloud What is 6*7?')
    expect((await dev.answers(thread, 1)).join('')).toContain('42')
    await dev.restore('prompts/text.md')
    await dev.shows('The bot has restarted.')
  }, 300_000)

  test('the bot is replaced or dies during a run: the run is finished', async () => {
    const question = '@thinkaloud What is 29 to the power 0.23, and half of it?'
    const changed = await dev.ask(question)
    await dev.edit('prompts/text.md', (text) => `${text}\n`)
    await dev.shows('The bot has restarted.')
    expect((await dev.answers(changed, 1)).join('')).toContain('1.08')
    // A bot that ends as soon as a file exists.
    const dies = `import { existsSync } from 'node:fs'\nsetInterval(() => existsSync('die') && process.exit(3), 5).unref()\n`
    await dev.edit('tools/arxiv.ts', (text) => `${dies}${text}`)
    await dev.shows('The bot has restarted.')
    const killed = await dev.askedAndAtWork(question)
    await writeFile(join(dev.folder, 'die'), '')
    await dev.restore('tools/arxiv.ts')
    await dev.shows('It is restarting; running questions continue.')
    expect((await dev.answers(killed, 1)).join('')).toContain('1.08')
    const after = await dev.ask('@thinkaloud What is 6*7?')
    expect((await dev.answers(after, 1)).join('')).toContain('42')
  }, 300_000)

  test('the bot is replaced while a call waits for approval: the call can still be allowed', async () => {
    const thread = await dev.ask('@thinkaloud Note down: buy milk')
    const asking = async () => (await dev.messages(thread)).find(({ all }) => all.includes('thinkaloud_allow_once'))
    await until(async () => ((await asking()) ? '' : 'what asks for a person'))
    await dev.edit('prompts/text.md', (text) => `${text}\n`)
    await dev.shows('The bot has restarted.')
    const { ts } = (await asking()) ?? {}
    await dev.post('press', { channel: GENERAL, ts, action_id: 'thinkaloud_allow_once' })
    expect((await dev.answers(thread, 1)).join('')).toContain('buy milk')
  }, 300_000)

  test('a prompt is tried with the current code; if that does not start, the error is shown', async () => {
    const thread = await dev.ask('@thinkaloud What is 6*7?')
    await dev.answers(thread, 1)
    const text = await readFile(join(ROOT, 'prompts/text.md'), 'utf8')
    // The data on a question is saved a moment after its answer is shown.
    const tried = () => dev.post('prompts/try', { name: 'text', text, channel: GENERAL, thread })
    await expect.poll(tried).toMatchObject({ now: { text: '6*7 = **42**' } })
    const calculator = 'tools/calculator.ts'
    await dev.edit(calculator, (code) => code.replace('=> resultOf(expression)', '=> `apples ${resultOf(expression)}`'))
    await dev.shows('The bot has restarted.')
    expect(JSON.stringify(await tried())).toContain('apples 42')
    await dev.edit(calculator, () => 'export const = broken(')
    await dev.shows('keeps running.')
    expect(JSON.stringify(await tried())).toMatch(/"tools\/calculator\.ts:1:\d+: Expected identifier/)
    await dev.restore(calculator)
    await dev.shows('The bot has restarted.')
  }, 120_000)

  test('Ctrl+C ends all processes', async () => {
    expect(await dev.stop()).toBe(0)
    expect(await dev.shows('')).not.toContain('The bot ended')
    await expect.poll(() => dev.left()).toEqual([])
  })
})

test('without redis-server, npm run dev warns at the start and at each change that conversations are lost', async () => {
  const dev = new Dev()
  await dev.start('')
  expect(dev.greeting).toContain('No redis-server is installed (apt install redis-server')
  expect(dev.greeting).toContain('EACH CHANGE MAKES THE BOT FORGET every conversation.')
  const thread = await dev.ask('@thinkaloud What is 6*7?')
  await dev.answers(thread, 1)
  await dev.edit('prompts/text.md', (text) => `${text}\n`)
  await dev.shows('Without Redis, it has forgotten every conversation.')
  const after = await dev.ask('@thinkaloud What is 6*8?')
  expect((await dev.answers(after, 1)).join('')).toContain('48')
  const text = await readFile(join(ROOT, 'prompts/text.md'), 'utf8')
  const tried = await dev.post('prompts/try', { name: 'text', text, channel: GENERAL, thread: after })
  expect(JSON.stringify(tried)).toContain('To try a prompt, npm run dev needs Redis')
  expect(await dev.stop()).toBe(0)
}, 300_000)
