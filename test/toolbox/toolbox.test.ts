/** Custom tools, from a file in a folder to an answer in a thread. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAgent } from '../../src/question/agent/create-agent.ts'
import { startBot as startRealBot } from '../../src/bot.ts'
import { loadConfig, type Env } from '../../src/config.ts'
import { ConfigError } from '../../src/base/errors.ts'
import { createLog } from '../../src/base/log.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { startBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { startWebServer } from '../harness/web-server.ts'
import { toolNames } from '../../tools/index.ts'

/** Creates a folder with these files, inside the project, where a tool can import zod like in tools/custom. */
async function toolsDir(t: Ends, files: Record<string, string>): Promise<string> {
  await mkdir(join(ROOT, 'tmp'), { recursive: true })
  const dir = await mkdtemp(join(ROOT, 'tmp', 'toolbox-'))
  t.onTestFinished(() => rm(dir, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content)
  return dir
}

const SHOUT = `export default {
  name: 'shout',
  description: 'Says it loudly.',
  run: (text) => text.toUpperCase() + '!',
}
`

const STOCK = `import { z } from 'zod'
import type { ToolContext } from '${join(ROOT, 'src/agent/contracts/tool.ts')}'

interface Asked { item: string; town: string }

export default {
  name: 'stock',
  description: 'Says how many of an item a shop has.',
  schema: z.object({ item: z.string(), town: z.string().describe('where the shop is') }),
  async run({ item, town }: Asked, { memory, now }: ToolContext) {
    memory.asked = ((memory.asked as number | undefined) ?? 0) + 1
    return { text: \`\${town}: 12 of \${item}, asked \${memory.asked} times since \${now().getFullYear()}\`, sources: [{ title: 'Stock', url: 'https://stock.example/' + item }] }
  },
}
`

/** Returns the names of the tools in the model's prompt. */
async function toolsOf(env: Env, logs: string[] = []): Promise<string[]> {
  const log = createLog('info', { write: (line) => void logs.push(line) })
  const agent = await createAgent(loadConfig({ OPENAI_API_KEY: 'k', SKILLS_DIR: 'no-skills', ...env }), {
    log,
    net: {},
    now: () => new Date(),
  })
  await agent.close()
  return agent.defaults.tools.map(({ name }) => name)
}

describe.concurrent('a custom tool', () => {
  test('in JavaScript and one in TypeScript work together', async (t) => {
    const CUSTOM_TOOLS_DIR = await toolsDir(t, { 'shout.js': SHOUT, 'stock.ts': STOCK })
    const stock = (item: string) => act('I ask the shop.', 'stock', JSON.stringify({ item, town: 'Lyon' }))
    const script = [stock('bolts'), stock('nuts'), act('Louder.', 'shout', 'twelve'), finish('TWELVE!')]
    const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR }, model: script })
    const thread = await bot.mention('How many bolts and nuts are there in Lyon?')

    expect(await thread.lastAnswer()).toMatch(/^TWELVE!\nSources: \[1\] Stock.*bolts.* · \[2\] Stock.*nuts/)
    const year = new Date().getFullYear()
    expect(thread.steps().map((step) => step.split('\n👁 ')[1])).toEqual([
      `Lyon: 12 of bolts, asked 1 times since ${year}`,
      `Lyon: 12 of nuts, asked 2 times since ${year}`,
      'TWELVE!',
    ])
    const prompt = bot.model.requests[0]!.prompt
    expect(prompt).toContain(
      'shout: Says it loudly.\nstock: Says how many of an item a shop has. The input is a JSON object: {"item":',
    )
    expect(bot.logs.join()).toContain('custom tools loaded')
  })

  test('that throws, hangs or requests a private address becomes an observation', async (t) => {
    const CUSTOM_TOOLS_DIR = await toolsDir(t, {
      'throws.js': `export default { name: 'throws', description: 'x', run() { throw new Error('Only on Mondays.') } }`,
      'hangs.js': `export default { name: 'hangs', description: 'x', run: () => new Promise(() => {}) }`,
      'peeks.js': `export default { name: 'peeks', description: 'x', run: async (url, { fetch }) => (await fetch(url)).body }`,
      'nothing.js': `export default { name: 'nothing', description: 'x', run() {} }`,
    })
    const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR, TOOL_TIMEOUT_MS: '3000', TOOLS: 'throws' } })
    const calls = ['throws', 'hangs', 'nothing'].map((name) => act(name, name, 'x'))
    const peek = act('peek', 'peeks', `${bot.slack.apiUrl}auth.test`)
    bot.model.on('try them', ...calls, peek, finish('None helped.'))
    const thread = await bot.mention('try them')
    expect(await thread.lastAnswer()).toMatch(/^None helped\.\n⚠️ Hangs is down, so this answer may be incomplete\./)
    expect(thread.steps().map((step) => step.split('\n').at(-1))).toEqual([
      expect.stringMatching(/^⚠️ .*Only on Mondays\.$/),
      '⚠️ hangs did not finish within 3.0 s.',
      expect.stringMatching(/^(?:⚠️|👁) .*nothing/),
      expect.stringMatching(/^⚠️ .*(?:private|not allowed|may not|refused|public)/),
    ])
  })

  test('may end the run with its output', async (t) => {
    const direct = SHOUT.replace("name: 'shout',", "name: 'shout', returnDirect: true,")
    const CUSTOM_TOOLS_DIR = await toolsDir(t, { 'shout.mjs': direct })
    const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR }, model: [act('Aloud.', 'shout', 'hello')] })
    expect(await (await bot.mention('Greet them.')).lastAnswer()).toBe('HELLO!')
    expect(bot.model.requests).toHaveLength(1)
  })

  test('that is broken is logged with its fault and omitted', async (t) => {
    const CUSTOM_TOOLS_DIR = await toolsDir(t, {
      'broken.js': 'export default {',
      'no-run.js': `export default { name: 'no_run', description: 'x' }`,
      'taken.js': SHOUT.replace("'shout'", "'calculator'"),
      'also-taken.js': SHOUT.replace("'shout'", "'wikipedia_lookup'"),
      'shout.js': SHOUT,
    })
    const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR }, model: [act('Aloud.', 'shout', 'hi'), finish('HI!')] })
    expect(await (await bot.mention('Say hi.')).lastAnswer()).toBe('HI!')
    const left = bot.logs
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'skipped a custom tool')
    expect(left.map(({ file }) => file)).toEqual(['also-taken.js', 'broken.js', 'no-run.js', 'taken.js'])
    for (const { fault } of left) expect(fault).toMatch(/^[A-Z"].{8,}/)
    expect(bot.model.requests[0]?.prompt.match(/^wikipedia_lookup: /gm)).toHaveLength(1)
  })

  test('for AGENT_DIALECT=bracket uses the examples.md beside it', async (t) => {
    const example =
      'Question: How do I say no?\nThought: Loudly.\nAction: shout[no]\nObservation: NO!\nThought: Done.\nAction: Finish[NO!]'
    const CUSTOM_TOOLS_DIR = await toolsDir(t, { 'shout.js': SHOUT, 'examples.md': `${example}\n\n` })
    const model = [' Loudly.\nAction: shout[yes]', ' Done.\nAction: Finish[YES!]']
    const bot = await startBot(t, {
      env: { CUSTOM_TOOLS_DIR, AGENT_DIALECT: 'bracket', TOOLS: 'shout,invoices' },
      model,
    })
    expect(await (await bot.mention('How do I say yes?')).lastAnswer()).toBe('YES!')
    const system = bot.model.requests[0]?.body.messages[0]?.content ?? ''
    expect(system).toContain('shout[input]: Says it loudly.\n')
    expect(system).toContain(`]\n\n${example}\n\nYou are "Thinkaloud"`)
    expect(system).toContain('Action: Diff[2000 1500]')
  })
})

describe.concurrent('TOOLS and CUSTOM_TOOLS_DIR', () => {
  test('a tool in the folder is enabled, whatever TOOLS says', async (t) => {
    const CUSTOM_TOOLS_DIR = await toolsDir(t, { 'shout.js': SHOUT })
    expect(await toolsOf({ CUSTOM_TOOLS_DIR, TOOLS: 'calculator' })).toEqual(['calculator', 'shout'])
    expect(await toolsOf({ CUSTOM_TOOLS_DIR, TOOLS: 'shout' })).toEqual(['shout'])
    expect(await toolsOf({ CUSTOM_TOOLS_DIR })).toEqual(expect.arrayContaining(['calculator', 'wikipedia', 'shout']))
  })

  test('the folder is relative to the project, or absolute', async (t) => {
    const dir = await toolsDir(t, { 'shout.js': SHOUT })
    expect(await toolsOf({ CUSTOM_TOOLS_DIR: relative(ROOT, dir), TOOLS: 'shout' })).toEqual(['shout'])
  })

  test.for(['no-such-folder', 'package.json'])('an invalid folder is refused like other settings: %s', (dir) => {
    const load = () => loadConfig({ CUSTOM_TOOLS_DIR: dir, OPENAI_STREAM: 'perhaps' })
    expect(load).toThrow(ConfigError)
    expect(load).toThrow(
      'OPENAI_STREAM should be one of true, false.\nCUSTOM_TOOLS_DIR should be a folder that exists and can be read.',
    )
  })

  test.for([
    ['calculator', { TOOLS: 'wikipedia' }],
    ['search', {}],
    ['search', { TOOLS: 'search,calculator' }],
    ['llm_math', {}],
    ['wikipedia_lookup', { TOOLS: 'calculator' }],
    ['GetInvoice', {}],
    ['invoices', {}],
  ] as const)('%s is free for a tool of one’s own where the built-in one is off: %o', async ([name, env], t) => {
    const logs: string[] = []
    const CUSTOM_TOOLS_DIR = await toolsDir(t, { 'own.js': SHOUT.replace("'shout'", `'${name}'`) })
    const tools = await toolsOf({ CUSTOM_TOOLS_DIR, ...env }, logs)
    expect(tools.filter((tool) => tool === name)).toHaveLength(1)
    expect(tools.at(-1)).toBe(name)
    expect(logs.join()).not.toMatch(/skipped/i)
  })

  test.for([
    ['calculator', {}],
    ['Calculator', { TOOLS: 'calculator' }],
    ['wikipedia_lookup', { TOOLS: 'wikipedia' }],
    ['WIKIPEDIA_lookup', {}],
    ['search', { SERPAPI_API_KEY: 'k' }],
    ['llm_math', { TOOLS: 'llm_math' }],
    ['Total', { TOOLS: 'invoices' }],
    ['invoices', { TOOLS: 'invoices' }],
  ] as const)('%s is taken where the built-in one is on: %o', async ([name, env], t) => {
    const logs: string[] = []
    const CUSTOM_TOOLS_DIR = await toolsDir(t, { 'own.js': SHOUT.replace("'shout'", `'${name}'`) })
    const tools = await toolsOf({ CUSTOM_TOOLS_DIR, ...env }, logs)
    expect(tools).toEqual([...new Set(tools)])
    expect(logs.join()).toContain(`"file":"own.js","fault":"The name \\"${name}\\" is taken: choose another."`)
  })

  test.for(['calculator,weather', 'Calculator', 'wikipedia_lookup', 'constructor'])(
    'TOOLS=%s names one that nothing has: the start ends with a sentence',
    async (TOOLS) => {
      const env = {
        SLACK_BOT_TOKEN: 'xoxb-x',
        SLACK_SIGNING_SECRET: 's',
        OPENAI_API_KEY: 'k',
        SLACK_API_URL: 'http://127.0.0.1:9/',
        TOOLS,
      }
      const start = startRealBot(loadConfig(env, { serves: true }), { log: createLog('silent') })
      await expect(start).rejects.toMatchObject({
        name: 'ConfigError',
        message: `TOOLS: there is no tool "${TOOLS.split(',').at(-1)}". Choose from ${toolNames.join(', ')}.`,
      })
    },
  )
})

test('a tool may call only the internal hosts that it names', async (t) => {
  const [named, other] = [await startWebServer(answerWith('from the intranet')), await startWebServer(answerWith('no'))]
  const sends = await startWebServer((_, response) => void response.writeHead(302, { location: other.url }).end())
  const hosts = JSON.stringify([named, sends].map(({ url }) => new URL(url).host))
  const code = `export default { name: 'intranet', description: 'Reads a page.', hosts: ${hosts},
  run: async (url, { fetch }) => (await fetch(url)).body }`
  const CUSTOM_TOOLS_DIR = await toolsDir(t, { 'intranet.js': code })
  const script = [named, other, sends].map(({ url }) => act('I look.', 'intranet', url))
  const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR }, model: [...script, finish('Read.')] })
  const thread = await bot.mention('What is on the intranet?')
  expect(await thread.lastAnswer()).toBe('Read.')
  const [first, second, third] = thread.steps()
  expect(first).toContain('from the intranet')
  expect(second).toContain('may not call 127.0.0.1: private and reserved addresses are refused')
  expect(third).toContain('may not call 127.0.0.1: only the hosts of its setting are allowed')
  expect(other.paths).toEqual([])
})

function answerWith(text: string): Parameters<typeof startWebServer>[0] {
  return (_, response) => void response.end(text)
}
