/** `npm run doctor` as an operator runs it, with one thing missing at a time. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../../harness/command.ts'
import { able, doctorDesk, line } from '../../harness/doctor-desk.ts'
import type { PlayedModel, PlayedRequest, Turn } from '../../harness/played-model.ts'
import { describeWithRedis, freePort, startRedis } from '../../harness/redis.ts'

test('with a working setup every line is ok or a note, and it exits with 0', async (t) => {
  const { started } = await doctorDesk(t)
  const { code, stdout, stderr } = await started()
  expect(stdout).not.toContain('FAULT')
  expect(line(stdout, 'Slack', 'auth.test')).toContain('The bot token belongs to @thinkaloud')
  expect(line(stdout, 'Slack', 'apps.connections.open')).toContain('opens Socket Mode connections')
  expect(line(stdout, 'model', 'played-model')).toMatch(/^model · ok · played-model · It answered in \d+ ms\.$/)
  expect(line(stdout, 'model', 'tool calls')).toContain(
    'native tool calls work. AGENT_DIALECT=text does not use them; native or auto',
  )
  expect(line(stdout, 'model', 'pictures')).toContain('It can see pictures.')
  expect(line(stdout, 'model', 'streaming')).toContain('It streams its answers.')
  expect(line(stdout, 'model', 'parameters')).toContain('accepts all parameters')
  expect(line(stdout, 'Redis', 'REDIS_URL')).toMatch(/note · REDIS_URL · Not set/)
  expect(line(stdout, 'tools', 'calculator')).toContain('On, and it answers.')
  expect(line(stdout, 'tools', 'query_table')).toContain('On, and it answers.')
  expect(line(stdout, 'tools', 'wikipedia')).toContain('On, and it answers.')
  expect(line(stdout, 'time', 'clock')).toContain('It agrees with Slack’s.')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('--json prints one object without secrets', async (t) => {
  const { doctor, slack } = await doctorDesk(t)
  const { code, stdout } = await doctor({}, ['--json'])
  const told: unknown = JSON.parse(stdout)
  expect(told).toMatchObject({
    ok: true,
    findings: expect.arrayContaining([expect.objectContaining({ area: 'model' })]),
  })
  for (const secret of [slack.botToken, slack.appToken, 'sk-played-key']) expect(stdout).not.toContain(secret)
  expect(code).toBe(0)
})

test('an invalid setting is a fault with its sentence', async (t) => {
  const { doctor } = await doctorDesk(t)
  const { code, stdout } = await doctor({ AGENT_MAX_STEPS: 'many' })
  expect(line(stdout, 'settings', 'AGENT_MAX_STEPS')).toContain('AGENT_MAX_STEPS should be a whole number')
  expect(code).toBe(1)
})

test('a mistyped or removed setting is a note with the right name', async (t) => {
  const { doctor } = await doctorDesk(t)
  const { code, stdout } = await doctor({ OPENAI_MODLE: 'gpt-5', HISTORY_MAX_TURNS: '7' })
  expect(line(stdout, 'settings', 'OPENAI_MODLE')).toMatch(/note · .*Did you mean OPENAI_MODEL\?$/)
  expect(line(stdout, 'settings', 'HISTORY_MAX_TURNS')).toMatch(/note · .*is no longer a setting/)
  expect(code).toBe(0)
})

test('ids of people and groups that do not exist, or have left, are named', async (t) => {
  const { doctor, slack } = await doctorDesk(t)
  slack.store.usergroups.set('S0DEVS00001', ['U0BOB000001'])
  slack.addUser('U0LEFT00001', { name: 'lee', real_name: 'Lee', deleted: true })
  const { code, stdout } = await doctor({
    APPROVERS: 'U0GHOST0001,S0DEVS00001,calculator=S0NOGROUP01|U0LEFT00001|not-asker',
    ALLOW_USERS: 'U0ALLOW0001,example.com',
  })
  const found = stdout.split('\n').filter((one) => /APPROVERS|ALLOW_USERS/.test(one))
  expect(found.map((one) => one.replace(/\s+/g, ' ').trim())).toEqual([
    expect.stringContaining('APPROVERS names U0GHOST0001, but this workspace has no such person.'),
    expect.stringContaining('APPROVERS names S0NOGROUP01, but this workspace has no such user group.'),
    expect.stringContaining('APPROVERS names U0LEFT00001, a person that has left.'),
    expect.stringContaining('ALLOW_USERS names U0ALLOW0001, but this workspace has no such person.'),
  ])
  expect(code).toBe(1)
})

test('an unknown option prints the usage', async (t) => {
  const { code, stderr } = await runHere(t, 'src/commands/doctor.ts', { args: ['--yaml'] })
  expect(stderr).toContain('Usage: npm run doctor')
  expect(code).toBe(1)
})

test.for<[what: string, env: Record<string, string>, name: string, sentence: RegExp]>([
  ['no bot token', { SLACK_BOT_TOKEN: '' }, 'SLACK_BOT_TOKEN', /SLACK_BOT_TOKEN is missing/],
  ['no token at all', { SLACK_BOT_TOKEN: '', SLACK_APP_TOKEN: '' }, 'tokens', /Run npm run slack to create the app/],
  ['a revoked token', { SLACK_BOT_TOKEN: 'xoxb-gone' }, 'auth.test', /invalid_auth/],
  ['another app token', { SLACK_APP_TOKEN: 'xapp-gone' }, 'apps.connections.open', /invalid_auth/],
])('%s is a fault of Slack, with what to do', async ([, env, name, sentence], t) => {
  const { doctor } = await doctorDesk(t)
  const { code, stdout } = await doctor(env)
  expect(line(stdout, 'Slack', name)).toMatch(/^Slack · FAULT/)
  expect(line(stdout, 'Slack', name)).toMatch(sentence)
  expect(code).toBe(1)
})

test.for<[what: string, script: (request: PlayedRequest) => Turn, name: string, sentence: RegExp]>([
  ['refuses the key', () => ({ status: 401, body: { error: { message: 'bad key' } } }), 'played-model', /key/],
  [
    'is not there',
    () => ({ status: 404, body: { error: { message: 'no such model' } } }),
    'played-model',
    /OPENAI_MODEL|model/,
  ],
  ['says nothing', () => '', 'played-model', /Its answer was empty/],
])('a model that %s is a fault', async ([, script, name, sentence], t) => {
  const { doctor } = await doctorDesk(t, script)
  const { code, stdout } = await doctor()
  expect(line(stdout, 'model', name)).toMatch(/^model · FAULT/)
  expect(line(stdout, 'model', name)).toMatch(sentence)
  expect(code).toBe(1)
})

test('a missing ability of the model is a note that names the refused parameter', async (t) => {
  const blind = (request: PlayedRequest) => (request.body.tools ? 'I would look that up.' : able(request))
  const { doctor, model } = await doctorDesk(t, blind)
  takesLess(model)
  const { code, stdout } = await doctor()
  expect(line(stdout, 'model', 'tool calls')).toMatch(
    /note · tool calls · It answers in words instead of calling a tool/,
  )
  expect(line(stdout, 'model', 'pictures')).toMatch(/note · pictures · It does not accept pictures/)
  expect(line(stdout, 'model', 'parameters')).toContain('does not accept stop')
  expect(code).toBe(0)
})

test('AGENT_DIALECT=native on a model without tool calls is a fault', async (t) => {
  const { doctor } = await doctorDesk(t, () => 'words alone')
  const { code, stdout } = await doctor({ AGENT_DIALECT: 'native' })
  expect(line(stdout, 'model', 'tool calls')).toContain('AGENT_DIALECT=native needs them. Try text or auto')
  expect(code).toBe(1)
})

test('an unreachable tool and an unknown tool are faults', async (t) => {
  const { doctor, wiki } = await doctorDesk(t)
  await wiki.close()
  const away = await doctor()
  expect(line(away.stdout, 'tools', 'wikipedia')).toMatch(/^tools · FAULT · wikipedia · .+/)
  const unknown = await doctor({ TOOLS: 'calculator,crystal_ball' })
  expect(line(unknown.stdout, 'tools', 'TOOLS')).toContain('crystal_ball')
  expect([away.code, unknown.code]).toEqual([1, 1])
})

test('a rule of APPROVERS without a matching tool is a fault', async (t) => {
  const { doctor } = await doctorDesk(t)
  const { code, stdout } = await doctor({ APPROVERS: 'calculator=U0BOB0000001,calcluator=U0BOB0000001' })
  expect(line(stdout, 'MCP', 'APPROVERS')).toBe(
    'MCP · FAULT · APPROVERS · The rule calcluator matches no tool. Correct the name, or remove the rule.',
  )
  expect([code, stdout]).toEqual([1, expect.not.stringContaining('rule calculator')])
})

test('an MCP server that does not start is a fault', async (t) => {
  const { doctor, folder } = await doctorDesk(t)
  const echo = {
    command: process.execPath,
    args: [join(process.cwd(), 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')],
  }
  const file = join(folder, 'mcp.json')
  await writeFile(
    file,
    JSON.stringify({
      mcpServers: { memory: echo, gone: { type: 'http', url: `http://127.0.0.1:${await freePort()}/mcp` } },
    }),
  )
  const { code, stdout } = await doctor({ MCP_CONFIG: file })
  expect(line(stdout, 'MCP', 'memory')).toMatch(/^MCP · ok · memory · Connected, with \d+ tools/)
  expect(line(stdout, 'MCP', 'gone')).toMatch(/^MCP · FAULT · gone · /)
  expect(code).toBe(1)
})

describeWithRedis('its Redis', () => {
  test.for<[what: string, settings: string[], name: string, expected: RegExp]>([
    ['with an append-only file is well', ['--appendonly', 'yes'], 'persistence', /· ok · persistence/],
    ['without one is a fault', [], 'persistence', /FAULT · persistence · The append-only file is off/],
    [
      'that evicts is a fault',
      ['--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru'],
      'eviction',
      /FAULT · eviction · maxmemory-policy is allkeys-lru/,
    ],
    ['tells its version', ['--appendonly', 'yes'], 'version', /· ok · version · Redis \d/],
  ])('%s', async ([, settings, name, expected], t) => {
    const server = await startRedis(settings)
    t.onTestFinished(() => server.stop())
    const { doctor } = await doctorDesk(t)
    const { stdout } = await doctor({ REDIS_URL: server.url })
    expect(line(stdout, 'Redis', name)).toMatch(expected)
  })

  test('that is unreachable is a fault, shown without its password', async (t) => {
    const { doctor } = await doctorDesk(t)
    const { code, stdout } = await doctor({ REDIS_URL: `redis://:sesame@127.0.0.1:${await freePort()}` })
    expect(line(stdout, 'Redis', 'connection')).toMatch(/FAULT · connection · Cannot connect to Redis at/)
    expect(stdout).not.toContain('sesame')
    expect(code).toBe(1)
  })
})

function takesLess(model: PlayedModel): void {
  model.takesNoPictures()
  model.refuses.add('stop')
}
