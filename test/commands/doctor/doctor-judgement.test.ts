/** The findings of `npm run doctor`: no false alarm, no hidden fault, no secret, and it always ends. */
import { createServer } from 'node:net'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { able, doctorDesk, line } from '../../harness/doctor-desk.ts'
import { describeWithRedis, freePort, startRedis } from '../../harness/redis.ts'
import { startCluster } from '../../harness/redis-cluster.ts'
import { sendJson, startWebServer } from '../../harness/web-server.ts'

test.concurrent('a failing first model is a fault, even with a fallback model', async (t) => {
  const { doctor } = await doctorDesk(t, (request) =>
    request.body.model === 'second'
      ? able(request)
      : { status: 400, body: { error: { message: 'no quota for sk-played-key' } } },
  )
  const { code, stdout } = await doctor({ OPENAI_FALLBACK_MODEL: 'second', RUN_MAX_USD: '1' })
  expect(line(stdout, 'model', 'played-model')).toContain(
    'FAULT · played-model · It refused the request (status 400): no quota for',
  )
  expect(line(stdout, 'model', 'second')).toMatch(/ok · second · It answered/)
  expect(line(stdout, 'model', 'prices')).toMatch(/FAULT · prices · RUN_MAX_USD cannot limit played-model/)
  expect(stdout).not.toContain('sk-played-key')
  expect(code).toBe(1)
})

test.concurrent('an unknown model is reported with its setting', async (t) => {
  const { doctor } = await doctorDesk(t, (request) =>
    request.body.model === 'gone' ? { status: 404, body: { error: { message: 'no such model' } } } : able(request),
  )
  const { stdout } = await doctor({ OPENAI_CONDENSE_MODEL: 'gone' })
  expect(line(stdout, 'model', 'gone')).toMatch(
    /There is no such model at this address \(status 404\)\. Check OPENAI_CONDENSE_MODEL/,
  )
})

test.concurrent('a refusal counts for one model only, and an error is not a refusal', async (t) => {
  const { doctor, model } = await doctorDesk(t, (request) => {
    if (request.body.model === 'other')
      return request.body.stop ? { status: 400, body: { error: { message: 'stop is not supported' } } } : able(request)
    return request.body.tools ? { status: 503, body: 'no' } : able(request)
  })
  const { code, stdout } = await doctor({ OPENAI_CONDENSE_MODEL: 'other' })
  expect(model.requests.some(({ body }) => body.model === 'other' && !body.stop)).toBe(true)
  expect(line(stdout, 'model', 'parameters')).toContain('played-model accepts all parameters.')
  expect(line(stdout, 'model', 'tool calls')).toContain('note · tool calls · It is broken or overloaded (status 503)')
  expect(code).toBe(0)
})

test.concurrent('the API in use is named if OPENAI_API is set, and a missing one is a fault', async (t) => {
  const { doctor, model } = await doctorDesk(t)
  const auto = async () => line((await doctor({ OPENAI_API: 'auto' })).stdout, 'model', 'api')
  expect(await auto()).toContain('ok · api · OPENAI_API=auto uses the Responses API.')
  model.lacks.add('responses')
  const [without, { code, stdout }] = await Promise.all([auto(), doctor({ OPENAI_API: 'responses' })])
  expect(without).toContain('ok · api · OPENAI_API=auto uses chat completions.')
  expect(line(stdout, 'model', 'api')).toContain('ok · api · OPENAI_API=responses: the bot uses the Responses API.')
  expect(line(stdout, 'model', 'played-model')).toMatch(/FAULT · played-model · .*OPENAI_API/)
  expect(code).toBe(1)
})

test.concurrent('refused stop sequences, a missing system role and a body instead of a stream are named', async (t) => {
  const { doctor } = await doctorDesk(t, (request) => {
    const { stop, messages, tools } = request.body
    if (stop)
      return { status: 400, body: { error: { message: "This model doesn't support the stopSequences field." } } }
    if (messages.some(({ role }) => role === 'system'))
      return { status: 400, body: { error: { message: 'System role not supported' } } }
    if (tools || request.images.length > 0) return able(request)
    const choices = [{ message: { content: 'ready, 1, 2, 3' }, finish_reason: 'stop' }]
    return { status: 200, body: { choices } }
  })
  const { stdout, code } = await doctor()
  expect(line(stdout, 'model', 'parameters')).toContain(
    'does not accept stop, the system role. The bot works without them.',
  )
  expect(line(stdout, 'model', 'streaming')).toContain('one JSON body although a stream was asked for')
  expect(code).toBe(0)
})

test.concurrent('a model that answers in its reasoning is named', async (t) => {
  const { doctor } = await doctorDesk(t, (request) =>
    request.body.tools || request.images.length > 0 ? able(request) : { text: '', reasoning: 'ready' },
  )
  const { stdout } = await doctor()
  expect(line(stdout, 'model', 'played-model')).toContain(
    'note · played-model · It answered with reasoning and no text',
  )
})

const LIST = { data: [{ id: 'played-model', max_model_len: 32_768 }] }

test.concurrent('the window is what the endpoint lists, or what it reads of a long prompt', async (t) => {
  const { doctor, model } = await doctorDesk(t)
  const unknown = await doctor()
  expect(line(unknown.stdout, 'model', 'window')).toMatch(
    /ok · window · It read a prompt of about [67],\d{3} tokens whole/,
  )
  model.lists.set('/v1/models', LIST)
  const listed = await doctor()
  expect(line(listed.stdout, 'model', 'window')).toContain(
    'ok · window · Its window is 32,768 tokens, according to the endpoint.',
  )
  const given = await doctor({ OPENAI_CONTEXT_TOKENS: '4000' })
  expect(line(given.stdout, 'model', 'window')).toContain('4,000 tokens, according to OPENAI_CONTEXT_TOKENS. Long')
})

test.concurrent('a server that cuts a long prompt in silence is named, with what to do', async (t) => {
  const { doctor } = await doctorDesk(t, (request) => {
    const turn = able(request)
    if (request.prompt.length < 20_000 || typeof turn === 'string') return turn
    return { ...turn, usage: { prompt_tokens: 4_096, completion_tokens: 40 } }
  })
  const { code, stdout } = await doctor()
  expect(line(stdout, 'model', 'window')).toMatch(
    /note · window · It read only 4,096 of about [67],\d{3} tokens.*OLLAMA_CONTEXT_LENGTH.*OPENAI_CONTEXT_TOKENS=4096/,
  )
  expect(code).toBe(0)
})

test.concurrent('a window that the settings name, or a gateway lists as a very large one, is tried too', async (t) => {
  const { doctor, model } = await doctorDesk(t, (request) => {
    const turn = able(request)
    if (request.prompt.length < 12_000 || typeof turn === 'string') return turn
    return { ...turn, usage: { prompt_tokens: 2_048, completion_tokens: 40 } }
  })
  const given = await doctor({ OPENAI_CONTEXT_TOKENS: '8192' })
  expect(line(given.stdout, 'model', 'window')).toMatch(
    /note · window · It read only 2,048 of about 5,\d{3} tokens, without an error, although OPENAI_CONTEXT_TOKENS says 8,192/,
  )
  model.lists.set('/v1/models', { data: [{ id: 'played-model', max_input_tokens: 131_072 }] })
  const listed = await doctor()
  expect(line(listed.stdout, 'model', 'window')).toMatch(
    /read only 2,048 of about .*although it lists 131,072: long prompts/,
  )
})

test.concurrent('a refusal of the long prompt is told, and whether it was expected', async (t) => {
  const message = "This model's maximum context length is 6000 tokens. However, you requested 7000 tokens."
  const { doctor } = await doctorDesk(t, (request) =>
    request.prompt.length > 26_000 ? { status: 400, body: { error: { message } } } : able(request),
  )
  expect(line((await doctor()).stdout, 'model', 'window')).toMatch(
    /ok · window · It refused a prompt of about [67],\d{3} /,
  )
  const { stdout } = await doctor({ OPENAI_CONTEXT_TOKENS: '16000' })
  expect(line(stdout, 'model', 'window')).toMatch(
    /note · window · It refused .* although OPENAI_CONTEXT_TOKENS says 16,000/,
  )
})

test.concurrent('the speed is measured without streaming too', async (t) => {
  const { doctor, model } = await doctorDesk(t, (request) => {
    const turn = able(request)
    if (typeof turn === 'string' || request.body.tools || request.images.length > 0) return turn
    const isLong = request.prompt.length > 4_000
    return {
      text: turn.text!,
      delayMs: isLong ? 1_300 : 300,
      usage: { prompt_tokens: isLong ? 1_200 : 60, completion_tokens: 30 },
    }
  })
  model.lists.set('/v1/models', LIST)
  const { stdout } = await doctor({ OPENAI_STREAM: 'false' })
  const [, reads, writes] = /reads about ([\d,]+) tokens a second and writes ([\d,.]+):/.exec(stdout) ?? []
  expect([Number(reads?.replace(',', '')), Number(writes)]).toEqual([
    expect.closeTo(1_200, -3),
    expect.closeTo(100, -2),
  ])
})

test.concurrent('the speed is measured, and a question that would take too long is told', async (t) => {
  const { doctor, model } = await doctorDesk(t, (request) => {
    const turn = able(request)
    return request.prompt.length < 4_000 || typeof turn === 'string' ? turn : { ...turn, delayMs: 600 }
  })
  model.lists.set('/v1/models', LIST)
  expect(line((await doctor()).stdout, 'model', 'speed')).toMatch(
    /ok · speed · It reads about [\d,]+ tokens a second and writes [\d,.]+: a question of three steps takes about [\d,.]+ s/,
  )
  const { stdout } = await doctor({ AGENT_TIMEOUT_MS: '1000' })
  expect(line(stdout, 'model', 'speed')).toMatch(/note · speed · .*AGENT_TIMEOUT_MS allows 1 s: raise it/)
})

test.concurrent('unstreamed answers are not a fault', async (t) => {
  const { doctor } = await doctorDesk(t)
  const { code, stdout } = await doctor({ OPENAI_STREAM: 'false' })
  expect(line(stdout, 'model', 'streaming')).toContain('note · streaming · OPENAI_STREAM=false')
  expect(stdout).not.toContain('FAULT')
  expect(code).toBe(0)
})

test.concurrent(
  'a dialect that lacks its tool is a fault, and the other tools are looked at all the same',
  async (t) => {
    const { doctor } = await doctorDesk(t)
    const { code, stdout } = await doctor({ AGENT_DIALECT: 'docstore', TOOLS: 'calculator' })
    expect(stdout).toMatch(/FAULT +\S+ +AGENT_DIALECT=docstore needs it\. Add it to TOOLS\./)
    expect(line(stdout, 'tools', 'calculator')).toContain('On, and it answers.')
    expect(code).toBe(1)
  },
)

test.concurrent('an unreadable .env is a finding too, as JSON with --json', async (t) => {
  const { doctor, folder } = await doctorDesk(t)
  await mkdir(join(folder, '.env'))
  const { code, stdout } = await doctor({}, ['--json'])
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, findings: [{ area: 'settings', outcome: 'fault' }] })
  expect(code).toBe(1)
})

test.concurrent('an MCP server that needs a login is listed with the command for it', async (t) => {
  const { doctor, folder } = await doctorDesk(t)
  const url = await wantsLogin(t)
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { notes: { type: 'http', url } } }))
  const { stdout } = await doctor({ MCP_CONFIG: join(folder, 'mcp.json') })
  expect(line(stdout, 'MCP', 'notes')).toMatch(
    /FAULT · notes · .*Set REDIS_URL and SECRETS_KEY, then npm run mcp -- login notes\./,
  )
})

test.concurrent('it ends even if every service is silent', { timeout: 240_000 }, async (t) => {
  const { doctor, folder } = await doctorDesk(t)
  const port = await silence(t)
  const address = `http://127.0.0.1:${port}/`
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { notes: { type: 'http', url: address } } }))
  const { code, stdout } = await doctor({
    ...{ SLACK_API_URL: address, OPENAI_BASE_URL: address, WIKIPEDIA_API_URL: address, TOOL_TIMEOUT_MS: '600000' },
    ...{ REDIS_URL: `redis://127.0.0.1:${port}`, MCP_CONFIG: join(folder, 'mcp.json') },
  })
  expect(line(stdout, 'Slack', 'auth.test')).toContain('FAULT')
  expect(line(stdout, 'model', 'played-model')).toContain('It did not answer within 35 s.')
  expect(line(stdout, 'Redis', 'connection')).toContain('FAULT')
  expect(line(stdout, 'tools', 'wikipedia')).toContain('FAULT')
  expect(stdout).toMatch(/^MCP +FAULT/m)
  expect(code).toBe(1)
})

test.concurrent('a wiki without TextExtracts is a fault, even without a page "Wikipedia"', async (t) => {
  const wiki = await startWebServer((path, response) => {
    const asked = new URL(path, 'http://wiki').searchParams
    if (asked.get('list') === 'search') return sendJson(response, { query: { search: [{ title: 'Dune' }] } })
    const title = asked.get('titles') ?? ''
    if (title === 'Wikipedia') return sendJson(response, { query: { pages: { '-1': { title, missing: '' } } } })
    const isText = (asked.get('prop') ?? '').includes('extracts')
    const warnings = isText ? { warnings: { query: { '*': 'Unrecognized value for parameter "prop": extracts' } } } : {}
    sendJson(response, { ...warnings, query: { pages: { 1: { title } } } })
  })
  const { doctor } = await doctorDesk(t)
  const { code, stdout } = await doctor({ WIKIPEDIA_API_URL: `${wiki.url}/api.php` })
  expect(line(stdout, 'tools', 'wikipedia')).toMatch(/FAULT · wikipedia · .*lacks the extension TextExtracts/)
  expect(code).toBe(1)
})

describeWithRedis('with a Redis', { concurrent: true }, () => {
  test.concurrent('a front needs no model, a worker no app-level token, and both need Redis', async (t) => {
    const server = await startRedis(['--appendonly', 'yes'])
    t.onTestFinished(() => server.stop())
    const { doctor } = await doctorDesk(t)
    const [front, priceless, worker, alone] = await Promise.all([
      doctor({ ROLE: 'front', REDIS_URL: server.url, OPENAI_API_KEY: '', OPENAI_BASE_URL: '' }),
      doctor({ ROLE: 'front', REDIS_URL: server.url, RUN_MAX_USD: '1' }),
      doctor({ ROLE: 'worker', REDIS_URL: server.url, SLACK_APP_TOKEN: '' }),
      doctor({ ROLE: 'worker' }),
    ])
    expect([front.stdout, priceless.stdout, worker.stdout].filter((text) => text.includes('FAULT'))).toEqual([])
    expect([front.code, worker.code, alone.code]).toEqual([0, 0, 1])
    expect(line(front.stdout, 'tools', 'wikipedia')).toContain('Not tried')
    expect(line(alone.stdout, 'Redis', 'REDIS_URL')).toMatch(
      /FAULT · .* ROLE=worker needs a Redis that all processes share/,
    )
  })

  test.concurrent('that denies INFO is a fault with the missing permission', async (t) => {
    const server = await startRedis([
      '--appendonly',
      'yes',
      '--user',
      'bot',
      'on',
      '>sesame-street',
      '~*',
      '&*',
      '+@all',
      '-info',
    ])
    t.onTestFinished(() => server.stop())
    const { doctor } = await doctorDesk(t)
    const { stdout } = await doctor({ REDIS_URL: server.url.replace('://', '://bot:sesame-street@') })
    expect(line(stdout, 'Redis', 'INFO')).toMatch(/FAULT · INFO · .*NOPERM.*\+info/)
    expect(stdout).not.toContain('sesame-street')
  })

  test.concurrent('a replica is a fault; a master is one only without persistence', async (t) => {
    const master = await startRedis()
    t.onTestFinished(() => master.stop())
    const replica = await startRedis(['--appendonly', 'yes', '--replicaof', '127.0.0.1', String(master.port)])
    t.onTestFinished(() => replica.stop())
    const { doctor } = await doctorDesk(t)
    const { stdout } = await doctor({ REDIS_URL: replica.url })
    expect(line(stdout, 'Redis', 'role')).toContain('FAULT · role · It is a replica')
    const other = await doctor({ REDIS_URL: master.url })
    expect(line(other.stdout, 'Redis', 'persistence')).toMatch(
      /note · persistence · The append-only file is off, but it has a replica/,
    )
  })

  test.concurrent('a cluster with a silent node does not delay it', { timeout: 240_000 }, async (t) => {
    const cluster = await startCluster(t, { settings: ['--appendonly', 'yes'] })
    const { doctor } = await doctorDesk(t)
    const well = await doctor(cluster.env)
    expect(line(well.stdout, 'Redis', 'persistence')).toContain('ok')
    expect(well.code).toBe(0)
    cluster.servers.at(-1)?.freeze()
    const { code, stdout } = await doctor(cluster.env)
    expect(line(stdout, 'Redis', 'connection')).toContain('FAULT')
    expect(code).toBe(1)
  })
})

/** Accepts connections and sends nothing. */
async function silence(t: TestContext): Promise<number> {
  const port = await freePort()
  const server = createServer((socket) => void socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.onTestFinished(() => void server.close())
  return port
}

/** Answers everything with 401, like a server without a login. */
async function wantsLogin(t: TestContext): Promise<string> {
  const { createServer: serve } = await import('node:http')
  const server = serve((_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end())
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.onTestFinished(() => void server.close())
  return `http://127.0.0.1:${port}/mcp`
}
