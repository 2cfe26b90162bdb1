import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { act, finish, playModel } from '../harness/played-model.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'
import { commandHere, startCommand, temporaryFolder } from '../harness/command.ts'

const CLI = 'src/commands/cli.ts'

vi.setConfig({ testTimeout: 90_000 })

test('a piped conversation shows steps and answers, understands follow-ups, and reports failures in a sentence', async (t) => {
  const model = await playModel(t)
  model.on('Who wrote Dune', act('A sum, why not.', 'calculator', '2+2'), finish('Frank Herbert.'))
  model.condenses('and when', 'When was Dune written?')
  model.on('When was Dune written', finish('In 1965.'))
  model.condenses('fail', 'Will it fail?')
  model.on('Will it fail', { status: 401, body: { error: { message: 'no', code: 'invalid_api_key' } } })
  const cli = commandHere(t, CLI, {
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-x', OPENAI_MODEL: 'played-model', TOOLS: 'calculator' },
  })
  cli.write('Who wrote Dune?\nand when?\nfail\n')
  cli.close()
  expect((await cli.ended).code).toBe(0)
  const said = cli.stdout()
  const inOrder = [
    'played-model',
    'calculator',
    'A sum, why not.',
    '2+2',
    'Observation: 4',
    'Frank Herbert.',
    'When was Dune written?',
    'In 1965.',
    'OPENAI_API_KEY',
  ]
  const places = inOrder.map((part) => said.indexOf(part, 0))
  expect(places.filter((at) => at < 0)).toEqual([])
  expect(said).toMatch(new RegExp(inOrder.map((part) => part.replace(/[.?+]/g, '\\$&')).join('[^]*')))
  expect(said + cli.stderr()).not.toMatch(/\u001b\[|\.[jt]s:\d|sk-x/)
  expect(model.requests.filter(({ kind }) => kind === 'condense')).toHaveLength(2)
})

test('without a model it runs the demo, and says so', async (t) => {
  const cli = commandHere(t, CLI, {
    env: { TOOLS: 'calculator,wikipedia', WIKIPEDIA_API_URL: 'http://127.0.0.1:9/w/api.php' },
  })
  cli.write('What is 2 + 2?\n')
  cli.close()
  expect((await cli.ended).code).toBe(0)
  expect(cli.stdout()).toMatch(/demo[^]*calculator[^]*\b4\b/i)
})

test('MCP tools are available; calls that need an approval are not made', async (t) => {
  const command = 'node_modules/@modelcontextprotocol/server-memory/dist/index.js'
  const memory = {
    command: 'node',
    args: [join(process.cwd(), command)],
    env: { MEMORY_FILE_PATH: '/dev/null' },
    trust: true,
  }
  const MCP_CONFIG = mcpFile(t, { mcpServers: { memory, gone: { command: 'no-such-program' } } })
  const model = await playModel(t)
  const read = act('I look.', 'memory__read_graph', '{}')
  model.on('Remember', read, act('I write.', 'memory__create_entities', '{"entities": []}'), finish('I could not.'))
  const env = {
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'sk-x',
    TOOLS: 'calculator',
    SKILLS_DIR: 'none',
    MCP_CONFIG,
  }
  const cli = commandHere(t, CLI, { env })
  cli.write('Remember me.\n')
  cli.close()
  expect((await cli.ended).code).toBe(0)
  expect(cli.stderr()).toMatch(/^gone cannot be started/m)
  expect(cli.stdout()).toMatch(/Tools: calculator, memory__\w+, [^]*"entities": ?\[\][^]*I could not\./)
  expect(cli.stdout()).toContain('memory__create_entities was not run: nobody can approve it here.')
})

test('an invalid setting ends it with code 1 and a sentence', async (t) => {
  const cli = commandHere(t, CLI, { env: { AGENT_DIALECT: 'prose' } })
  expect((await cli.ended).code).toBe(1)
  expect(cli.stderr().trim()).toMatch(/^AGENT_DIALECT should be one of text, .*\.$/)
})

test('commands: another dialect, the tools, the exact messages, and forgetting', async (t) => {
  const model = await playModel(t)
  model.on('Who wrote Dune', finish('Frank Herbert.'))
  const cli = commandHere(t, CLI, {
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-x',
      OPENAI_MODEL: 'played-model',
      TOOLS: 'calculator,make_file',
    },
  })
  const commands = ['/tools', '/dialect docstore', '/dialect json', '/trace', 'Who wrote Dune?', '/trace', '/reset']
  cli.write([...commands, 'Who wrote Dune, again?', '/nonsense', '/help'].join('\n') + '\n')
  cli.close()
  expect((await cli.ended).code).toBe(0)

  const said = cli.stdout()
  expect(said).toContain('calculator: Evaluates')
  expect(said, 'a terminal takes no file').not.toMatch(/^(?:Model: .*|)make_file/m)
  expect(said).toContain('TOOLS lacks wikipedia, which AGENT_DIALECT=docstore needs. Add it.')
  expect(said).toMatch(
    /--- sent to played-model\n\[system\]\nAnswer the question[^]*\$JSON_BLOB[^]*--- received\n[^]*Final Answer: Frank Herbert\./,
  )
  expect(said.match(/--- sent/g)).toHaveLength(1)
  expect(said).toContain('There is no command /nonsense.')
  expect(model.requests.map(({ kind }) => kind)).toEqual(['turn', 'turn'])
})

test('--json prints the events as JSON lines and nothing else', async (t) => {
  const model = await playModel(t, [act('A sum.', 'calculator', '6*7'), finish('42')])
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-x', TOOLS: 'calculator' }
  const cli = commandHere(t, CLI, { env, args: ['--json'] })
  cli.write('What is 6*7?\n')
  cli.close()
  expect((await cli.ended).code).toBe(0)

  const events = cli
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string })
  expect(events.map(({ type }) => type)).toEqual(['usage', 'thought', 'action', 'observation', 'usage', 'answer'])
  expect(events.at(-1)).toMatchObject({ type: 'answer', text: '42' })
})

test('Ctrl-C ends the current question, a second one the conversation', async (t) => {
  const model = await playModel(t, [{ hang: true }])
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-x', TOOLS: 'calculator' }
  const cli = startCommand(t, CLI, { env })
  cli.write('Are you there?\n')
  await vi.waitFor(() => expect(model.requests).toHaveLength(1), 60_000)
  cli.signal('SIGINT')
  await vi.waitFor(() => expect(cli.stdout()).toContain('Stopped.'), 60_000)
  await vi.waitFor(() => expect(model.requests[0]?.aborted).toBe(true), 60_000)
  cli.signal('SIGINT')
  expect((await cli.ended).code).toBe(0)
})

test('an unknown option ends it with code 1 and a sentence; --help lists the known ones', async (t) => {
  const wrong = commandHere(t, CLI, { args: ['--nope'] })
  expect((await wrong.ended).code).toBe(1)
  expect([wrong.stdout(), wrong.stderr().trim()]).toEqual([
    '',
    "Unknown option '--nope'. The options are --file, --json and --help.",
  ])
  const help = commandHere(t, CLI, { args: ['--help'] })
  expect((await help.ended).code).toBe(0)
  expect(help.stdout()).toContain('--json')
})

test('an omitted custom tool is named with its fault, but not among the JSON lines', async (t) => {
  const CUSTOM_TOOLS_DIR = await temporaryFolder(t)
  await writeFile(join(CUSTOM_TOOLS_DIR, 'broken.js'), 'export default {')
  await writeFile(
    join(CUSTOM_TOOLS_DIR, 'taken.js'),
    `export default { name: 'calculator', description: 'x', run() {} }`,
  )
  const sentences =
    /^Skipped the custom tool broken\.js: .+\nSkipped the custom tool taken\.js: The name "calculator" is taken.*\n$/
  for (const args of [[], ['--json']]) {
    const cli = commandHere(t, CLI, { env: { CUSTOM_TOOLS_DIR, TOOLS: 'calculator' }, args })
    cli.close()
    expect((await cli.ended).code).toBe(0)
    expect(cli.stderr()).toMatch(sentences)
    expect(cli.stdout()).not.toMatch(/skipped/i)
  }
  const named = commandHere(t, CLI, { env: { CUSTOM_TOOLS_DIR, TOOLS: 'broken' } })
  expect((await named.ended).code).toBe(1)
  expect(named.stderr()).toMatch(/Skipped the custom tool broken\.js: [^]*TOOLS: there is no tool "broken"/)
})

test('a piped conversation ends even if a tool ignores its signal, and if it cannot start', async (t) => {
  const CUSTOM_TOOLS_DIR = await temporaryFolder(t)
  const waits = `setInterval(() => {}, 1000)
export default { name: 'wait', description: 'x', run: () => new Promise((done) => setTimeout(done, 3_600_000)) }`
  await writeFile(join(CUSTOM_TOOLS_DIR, 'wait.js'), waits)
  const model = await playModel(t, [act('I wait.', 'wait', 'long'), finish('It took too long.')])
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-x', CUSTOM_TOOLS_DIR, TOOL_TIMEOUT_MS: '300' }
  const cli = startCommand(t, CLI, { env: { ...env, TOOLS: 'wait' } })
  cli.write('How long?\n')
  cli.close()
  expect((await cli.ended).code).toBe(0)
  expect(cli.stdout()).toMatch(/wait did not finish within 0\.3 s\.[^]*It took too long\.\n$/)
  const refused = commandHere(t, CLI, { env: { ...env, TOOLS: 'nothing' } })
  expect((await refused.ended).code).toBe(1)
  expect(refused.stderr()).toContain('TOOLS: there is no tool "nothing"')
})

test('files that --file names are read and queried, and results of tools are tables too', async (t) => {
  const file = join(await temporaryFolder(t), 'sales.csv')
  await writeFile(file, `region;revenue\n${'North;1.000,50\nSouth;2,25\n'.repeat(500)}`)
  const model = await playModel(t)
  const query = (sql: string) => act('I sum it.', 'query_table', JSON.stringify({ sql }))
  model.on('Which region', query('SELECT region, sum(revenue) AS total FROM sales GROUP BY region'), finish('North.'))
  model.condenses('and of both', 'What is the total of both?')
  model.on('total of both', query('SELECT sum(revenue) AS both FROM sales'), finish('501,375.'))
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-x', TOOLS: 'calculator', SKILLS_DIR: 'none' }
  const cli = commandHere(t, CLI, { env, args: ['--file', file] })
  cli.write('Which region is first?\nand of both?\n')
  cli.close()
  expect((await cli.ended).code).toBe(0)
  expect(cli.stdout()).toMatch(/North \| 500250[^]*South \| 1125[^]*North\.[^]*501375[^]*501,375\./)
})

test('a file that cannot be read is told in a sentence', async (t) => {
  const cli = commandHere(t, CLI, { args: ['--file', 'nowhere.csv'] })
  cli.close()
  expect((await cli.ended).code).toBe(1)
  expect(cli.stderr()).toMatch(/nowhere\.csv cannot be read: /)
})
