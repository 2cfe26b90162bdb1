import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../playground/base/until.ts'
import { startHostileServer } from '../harness/mcp/hostile-http.ts'
import { openMcp, said, toolNamesOf, use } from '../harness/mcp/mcp-servers.ts'
import { ourStdio } from '../harness/mcp/our-stdio.ts'
import { startCommand } from '../harness/command.ts'
import { startWebServer } from '../harness/web-server.ts'

const t = { onTestFinished }
const KEY = 'k-9f8b/7+6a=5d4c'
const TOKEN = 'tok"en\\of ünser 42'

async function overHttp(path = '/mcp') {
  const other = await startWebServer((_, response) => void response.end('{}'))
  const at = await startHostileServer(other.url)
  const hostile = { url: `${at.url}${path}`, headers: { Authorization: 'Bearer ${KEY}' } }
  const opened = openMcp(t, { hostile }, { env: { KEY } })
  return { ...opened, at, other, server: opened.servers.of('hostile') }
}

function overStdio(args: string[] = [], now = () => Date.now()) {
  const hostile = { ...ourStdio('hostile-stdio.ts', ...args), env: { NOTES_TOKEN: '${TOKEN}' } }
  const opened = openMcp(t, { hostile }, { env: { TOKEN }, now })
  return { ...opened, server: opened.servers.of('hostile') }
}

test('a result of endless size is cut off, as one message and as one event', async () => {
  const { server } = await overHttp()
  for (const tool of ['huge', 'huge_event'])
    await expect(use(server, tool)).rejects.toThrow('hostile sent more than 5 MB at once, which is too much.')
  expect(await said(use(server, 'fine'))).toBe('fine')
})

test('an endless stream of small messages is cut off', async () => {
  const { server } = await overHttp()
  await expect(use(server, 'flood')).rejects.toThrow('hostile sends too much unrequested data.')
  expect(await said(use(server, 'fine'))).toBe('fine')
})

test('a call that hangs or trickles ends at its deadline, alone', async () => {
  const { server } = await overHttp()
  expect(await said(use(server, 'fine'))).toBe('fine')
  const hanging = Promise.allSettled(['hang', 'drip'].map((tool) => use(server, tool, { timeoutMs: 700 })))
  expect(await said(use(server, 'fine'))).toBe('fine')
  const message = 'hostile did not answer within 0.7 s. It is not known whether the call took effect.'
  for (const call of await hanging)
    expect(call).toMatchObject({ status: 'rejected', reason: { message, isDown: true } })
  expect(server.status()).toEqual({ state: 'up' })
})

test.each(['late', 'late_error', 'late_text', 'late_string', 'late_half', 'late_form'])(
  'an answer that comes too late (%s) is in no log, only that there was one',
  async (tool) => {
    const { server, logged } = overStdio()
    expect(await said(use(server, 'fine'))).toBe('fine')
    await expect(use(server, tool, { timeoutMs: 100 })).rejects.toThrow('did not answer within 0.1 s')
    await until(() => logged().includes('a fault of an MCP server'), 'a line about it', 5_000)
    expect(logged()).not.toMatch(/salary|70,000/)
  },
)

test('a stop ends a call at once, with the stop’s reason', async () => {
  const { server } = await overHttp()
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('stopped by a person')), 50)
  await expect(use(server, 'hang', { signal: stop.signal })).rejects.toThrow('stopped by a person')
})

test('a connection that breaks during a call is reported in a sentence before the deadline', async () => {
  const { server } = await overHttp()
  const unknown = 'It is not known whether the call took effect.'
  await expect(use(server, 'dies')).rejects.toThrow(`The connection to hostile broke before it answered. ${unknown}`)
  await expect(use(server, 'ends')).rejects.toThrow(`hostile closed the connection before it answered. ${unknown}`)
  expect(await said(use(server, 'fine'))).toBe('fine')
})

test('invalid JSON and protocol errors are reported in a sentence', async () => {
  const { server } = await overHttp()
  for (const tool of ['broken_json', 'not_ours'])
    await expect(use(server, tool)).rejects.toThrow('hostile sent an invalid response.')
})

test('no redirect leads to another origin or to a private address', async () => {
  const { server, other } = await overHttp()
  for (const tool of ['to_private', 'to_other'])
    await expect(use(server, tool)).rejects.toThrow('hostile redirects to another address. Redirects are not followed.')
  expect(other.requests).toEqual([])
  await expect(use(server, 'to_self')).rejects.toThrow(/^hostile redirects/)
})

test('an endless list is abandoned', async () => {
  const { server } = await overHttp('/endless')
  await expect(server.list(AbortSignal.timeout(60_000))).rejects.toThrow('hostile lists too many tools')
})

test('an invalid tool in a list does not affect the others', async () => {
  const { server } = await overHttp()
  const names = await toolNamesOf(server)
  expect(names).toContain('fine')
  expect(names).not.toContain('no_schema')
})

test('a configured key appears in no output, error or log line, in whatever form the server returns it', async () => {
  const { server, logged } = await overHttp()
  const output = await use(server, 'tells')
  const failures = await Promise.all(
    ['scolds', 'fault', 'forbids'].map((tool) => use(server, tool).catch((error: unknown) => String(error))),
  )
  const all = `${JSON.stringify(output)}\n${failures.join('\n')}\n${logged()}\n${JSON.stringify(server.status())}`
  for (const form of [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('hex'), JSON.stringify(KEY).slice(1, -1)])
    expect(all).not.toContain(form)
  expect(Buffer.from(all.match(/[\w+/]{30,}={0,2}/)?.[0] ?? '', 'base64').toString()).not.toContain(KEY)
  expect(failures.join()).toContain('refused: not with [secret]')
  expect('text' in output && output.sources).toEqual([
    { title: '[secret]', url: 'https://evil.example.com/?k=[secret]' },
  ])
})

test('a stdio server that exits during a call fails only that call and is restarted', async () => {
  const { server } = overStdio()
  await expect(use(server, 'crash')).rejects.toMatchObject({
    message: 'hostile ended (exit code 3). It is not known whether the call took effect.',
    isDown: true,
  })
  expect(server.status().state).toBe('down')
  expect(await said(use(server, 'fine'))).toBe('fine')
  expect(server.status()).toEqual({ state: 'up' })
})

test('a stdio server that keeps exiting is restarted with growing delays', async () => {
  let now = Date.now()
  const { server } = overStdio([], () => now)
  await expect(use(server, 'crash')).rejects.toThrow('exit code 3')
  await expect(use(server, 'crash')).rejects.toThrow('exit code 3')
  await expect(use(server, 'fine')).rejects.toThrow(/^hostile keeps ending. The next start is in 1 s at the earliest.$/)
  now += 1_000
  expect(await said(use(server, 'fine'))).toBe('fine')
})

test('an endless line and a flood of lines end only that server', async () => {
  const { servers, server } = overStdio()
  await expect(use(server, 'giant_line')).rejects.toThrow('hostile sent more than 5 MB at once')
  await expect(use(server, 'flood_stdout')).rejects.toThrow('hostile sends too much unrequested data.')
  expect(servers.all()).toHaveLength(1)
})

test('a flood on stderr does not disturb calls and is bounded in the log', async () => {
  const { server, logged } = overStdio()
  expect(await said(use(server, 'flood_stderr'))).toBe('flooding')
  expect(await said(use(server, 'fine'))).toBe('fine')
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(logged().length).toBeLessThan(1_000_000)
})

test('output outside the protocol is ignored', async () => {
  const { server } = overStdio()
  expect(await said(use(server, 'noise'))).toBe('after the noise')
})

test('a stdio server’s secret is neither in its output nor in its logged stderr', async () => {
  const { server, logged } = overStdio()
  expect(await said(use(server, 'tells'))).toBe('it is [secret]')
  await until(() => logged().includes('my key is [secret]'), 'its stderr is in the log', 60_000)
  expect(logged()).not.toContain(TOKEN)
  expect(logged()).not.toContain(JSON.stringify(TOKEN).slice(1, -1))
})

test('a server that exits on the newer protocol is addressed in the older one', async () => {
  const { server } = overStdio(['touchy'])
  expect(await said(use(server, 'fine'))).toBe('fine')
})

test('a server and its children end with the bot, even if they ignore signals', async () => {
  const { servers, server } = overStdio()
  const pids = [Number(await said(use(server, 'child'))), Number(await said(use(server, 'deaf')))]
  expect(pids.map(isRunning)).toEqual([true, true])
  await servers.close()
  await until(() => !pids.some(isRunning), 'they have ended', 60_000)
  await expect(use(server, 'fine')).rejects.toThrow('hostile was stopped with the bot.')
})

test('a server and its children end if the bot is killed', async () => {
  const bot = startCommand(t, 'test/harness/mcp/leaves-abruptly.ts')
  const [, pid] = await bot.shows(/child (\d+)/)
  await bot.ended
  await until(() => !isRunning(Number(pid)), 'the child has ended', 60_000)
})

test('a server that is silent at its start delays no call beyond its deadline, nor the bot’s shutdown', async () => {
  const { servers } = openMcp(t, { silent: { command: '/bin/sh', args: ['-c', 'sleep 1000'] } })
  await expect(use(servers.of('silent'), 'x', { timeoutMs: 300 })).rejects.toMatchObject({
    message: 'silent did not answer within 0.3 s.',
    isDown: true,
  })
  await expect(servers.of('silent').list(AbortSignal.timeout(300))).rejects.toMatchObject({
    message: expect.stringMatching(/^silent did not answer within \d+\.\d s\.$/),
    isDown: true,
  })
  const begun = Date.now()
  await servers.close()
  expect(Date.now() - begun).toBeLessThan(20_000)
})

test('the children of a server that crashes end too', async () => {
  const { server } = overStdio()
  const child = Number(await said(use(server, 'child')))
  await expect(use(server, 'crash')).rejects.toThrow('exit code 3')
  await until(() => !isRunning(child), 'the child has ended', 60_000)
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
