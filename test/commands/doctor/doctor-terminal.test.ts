/** `npm run doctor` in a terminal, with one thing missing at a time. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { able, doctorDesk } from '../../harness/doctor-desk.ts'
import type { PlayedRequest, Turn } from '../../harness/played-model.ts'
import { freePort } from '../../harness/redis.ts'
import { describeWithTerminal } from '../../harness/terminal.ts'

/** Checks that the terminal breaks no line. Only addresses and other long words may be wider than it. */
function expectToFit(screen: string, columns: number): void {
  const wide = screen.split(/\r?\n/).filter((line) => line.length > columns)
  expect(wide.filter((line) => /\S+\s+\S/.test(line.trim()))).toEqual([])
}

const words = (screen: string) => screen.replace(/\s+/g, ' ')

interface Missing {
  what: string
  script?: (request: PlayedRequest) => Turn
  prepare?(desk: Desk): Promise<Record<string, string>> | Record<string, string>
  says: RegExp[]
}

const MISSING: Missing[] = [
  {
    what: 'all tokens',
    prepare: () => ({ SLACK_BOT_TOKEN: '', SLACK_APP_TOKEN: '' }),
    says: [/Slack +FAULT +tokens/, /No token is set\. Run npm run slack to create the app and save its tokens\./],
  },
  {
    what: 'the app-level token',
    prepare: () => ({ SLACK_APP_TOKEN: '' }),
    says: [
      /Slack +FAULT +SLACK_APP_TOKEN/,
      /is missing\. Copy it from your app at https:\S+ Basic Information → App-Level Tokens/,
    ],
  },
  {
    what: 'a token that Slack knows',
    prepare: () => ({ SLACK_BOT_TOKEN: 'xoxb-1-2-Revoked' }),
    says: [
      /Slack +FAULT +auth\.test/,
      /revoked, or not copied completely \(invalid_auth\)\. Open https:\S+ .*Install App → Install/,
    ],
  },
  {
    what: 'Slack itself',
    prepare: async () => ({ SLACK_API_URL: `http://127.0.0.1:${await freePort()}/api/` }),
    says: [/Slack +FAULT +auth\.test/, /Cannot reach \S+\. Check the network/, /time +note +clock/],
  },
  {
    what: 'access to a model',
    prepare: () => ({ OPENAI_API_KEY: '', OPENAI_BASE_URL: '' }),
    says: [/model +FAULT +access/, /Set OPENAI_API_KEY, or OPENAI_BASE_URL/],
  },
  {
    what: 'a key that the model takes',
    script: () => ({ status: 401, body: { error: { message: 'Incorrect API key provided: sk-played-key' } } }),
    says: [/model +FAULT/, /It rejected the key \(status 401\)\. Check OPENAI_API_KEY and OPENAI_HEADERS\./],
  },
  {
    what: 'the model at its address',
    prepare: async () => ({ OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` }),
    says: [/model +FAULT/, /It cannot be reached(?: \(ECONNREFUSED\))?\. Check OPENAI_BASE_URL and HTTPS_PROXY/],
  },
  {
    what: 'the Redis',
    prepare: async () => ({ REDIS_URL: `redis://:sesame-street@127.0.0.1:${await freePort()}` }),
    says: [/Redis +FAULT +connection/, /Cannot connect to Redis at/],
  },
  {
    what: 'a tool’s service',
    prepare: async ({ wiki }) => (await wiki.close(), {}),
    says: [/tools +FAULT +wikipedia/, /Check the network \(HTTPS_PROXY, the tool’s address\)/, /tools +ok +calculator/],
  },
  {
    what: 'an MCP server',
    prepare: async ({ folder }) => {
      const url = `http://127.0.0.1:${await freePort()}/mcp`
      await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { notes: { type: 'http', url } } }))
      return { MCP_CONFIG: join(folder, 'mcp.json') }
    },
    says: [/MCP +FAULT +notes/, /\. Check its entry in MCP_CONFIG, and whether it runs\./],
  },
]

type Desk = Awaited<ReturnType<typeof doctorDesk>>
type Look = (
  desk: Desk,
  env: Record<string, string>,
  columns: number,
) => Promise<{ code: number | null; screen: string }>

const inTerminal: Look = async (desk, env, columns) => {
  const terminal = desk.inTerminal(env, columns)
  await terminal.shows('Checking… This takes up to a minute.')
  return { code: await terminal.ended, screen: terminal.screen() }
}

/** Runs the doctor in this process, with a simulated terminal. */
const here: Look = async (desk, env, columns) => {
  const { code, stdout } = await desk.doctor(env, [], columns)
  return { code, screen: stdout }
}

async function sit(
  t: TestContext,
  look: Look,
  { script, prepare, columns = 80 }: Partial<Missing> & { columns?: number },
) {
  const desk = await doctorDesk(t, script)
  const { code, screen } = await look(desk, (await prepare?.(desk)) ?? {}, columns)
  expect(screen).toMatch(/^Checking… This takes up to a minute\.\r?\n/)
  expectToFit(screen, columns)
  for (const secret of [desk.slack.botToken, desk.slack.appToken, 'sk-played-key', 'sesame-street'])
    expect(screen).not.toContain(secret)
  return { code, screen }
}

describeWithTerminal('npm run doctor in a terminal', { timeout: 240_000, concurrent: true }, () => {
  test.for([40, 80, 140])(
    'of %i columns its sentences stand under their column, and it ends with 0',
    async (columns, t) => {
      const { code, screen } = await sit(t, columns === 80 ? inTerminal : here, { columns })
      expect(code).toBe(0)
      expect(screen).toContain('No fault, 2 notes.')
      expect(words(screen)).toContain('AGENT_DIALECT=text does not use them; native or auto would.')
      const lines = screen.split(/\r?\n/)
      const at = lines.findIndex((line) => /^Redis +note +REDIS_URL/.test(line))
      const column = columns === 40 ? 2 : lines[at]?.indexOf('Not set.')
      if (columns < 140) expect(lines[at + 1]?.search(/\S/)).toBe(column)
      else expect(lines[at]).toMatch(/when the process stops\.$/)
    },
  )

  test.for(MISSING)('without $what it says so and what to do, and exits with 1', async (missing, t) => {
    const { code, screen } = await sit(t, here, missing)
    for (const said of missing.says) expect(words(screen)).toMatch(said)
    expect(words(screen)).toMatch(/\d faults?, \d notes?\. ?$/)
    expect(code).toBe(1)
  })

  test('Ctrl+C ends it while a service does not answer', async (t) => {
    const desk = await doctorDesk(t, (request) => (request.images.length > 0 ? { hang: true } : able(request)))
    const terminal = desk.inTerminal()
    await desk.slack.until(
      () => desk.model.requests.some(({ images }) => images.length > 0),
      'a question that hangs',
      150_000,
    )
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(terminal.screen()).not.toContain('FAULT')
  })
})
