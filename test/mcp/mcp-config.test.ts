import { expect, onTestFinished, test } from 'vitest'
import { loadMcpConfig } from '../../src/mcp/config/mcp-config.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'

const t = { onTestFinished }

function load(mcpServers: unknown, env: Record<string, string> = {}) {
  return loadMcpConfig(mcpFile(t, { mcpServers }), env).servers
}

/** Returns the sentences of a refusal, without the file's name. */
function refusal(content: unknown, env: Record<string, string> = {}): string[] {
  const file = mcpFile(t, content)
  try {
    loadMcpConfig(file, env)
  } catch (error) {
    return String(Object(error).message).replaceAll(file, 'FILE').split('\n')
  }
  return []
}

const refused = (mcpServers: unknown, env?: Record<string, string>) => refusal({ mcpServers }, env)

test('the common format is read, with our additional keys', () => {
  const servers = load({
    files: {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '/data'],
      env: { A: '1' },
      cwd: '/tmp',
    },
    issues: {
      type: 'http',
      url: 'https://issues.example.com/mcp',
      allow: ['get_*'],
      ask: ['add'],
      deny: ['drop*'],
      trust: true,
    },
    old: { type: 'sse', url: 'http://10.0.0.7/sse', timeoutMs: 60_000, channels: ['C0123456789', 'dm'] },
    bare: { url: 'https://bare.example.com' },
  })
  expect(servers).toMatchObject([
    {
      name: 'files',
      kind: 'stdio',
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '/data'],
      trust: false,
    },
    { name: 'issues', kind: 'http', allow: ['get_*'], ask: ['add'], deny: ['drop*'], trust: true, secrets: [] },
    { name: 'old', kind: 'http', sse: true, timeoutMs: 60_000, channels: ['C0123456789', 'dm'] },
    { name: 'bare', kind: 'http', url: 'https://bare.example.com', headers: {} },
  ])
})

test('written variables are expanded everywhere, with defaults', () => {
  const [server] = load(
    {
      one: {
        command: '${BIN:-npx}',
        args: ['${A}', 'x-${A}-${B:-b}', '$A', '${B:-}'],
        env: { URL: '${HOST:-http://localhost:1}/v1' },
      },
    },
    { A: 'alpha', B: '' },
  )
  expect(server).toMatchObject({
    command: 'npx',
    args: ['alpha', 'x-alpha-b', '$A', ''],
    env: { URL: 'http://localhost:1/v1' },
  })
})

test('all errors are reported at once, by file, server and key', () => {
  const wrong = {
    one: { command: 'x', hedaers: {}, autoApprove: [] },
    two: { url: 'ftp://x.example.com' },
    three: { url: 'https://me:secret@x.example.com' },
    four: {},
    five: { command: 'x', url: 'https://x.example.com' },
    six: { command: 'x', args: 'y', timeoutMs: 5, allow: ['a*b'], channels: ['general'], trust: 'yes' },
    seven: { url: '${NOWHERE}' },
    'a b': { command: 'x' },
    a__b: { command: 'x' },
    nine: { url: 'https://x.example.com', headers: { 'x y': '1' } },
    ten: { type: 'http', command: 'x' },
    eleven: { type: 'stdio', url: 'https://x.example.com' },
    ['__proto__']: { command: 'x' },
  }
  expect(refused(wrong)).toEqual([
    'MCP_CONFIG: FILE: one has "hedaers", "autoApprove", which is not a key of a server.',
    'MCP_CONFIG: FILE: two.url should be an address that begins with https:// or http://.',
    'MCP_CONFIG: FILE: three.url should contain no user name or password. Use headers.',
    'MCP_CONFIG: FILE: four should have either command (a program) or url (an address).',
    'MCP_CONFIG: FILE: five should have either command (a program) or url (an address).',
    'MCP_CONFIG: FILE: six.args should be a list of texts.',
    'MCP_CONFIG: FILE: six.allow.0 should be the name of a tool, with * at most at its end.',
    'MCP_CONFIG: FILE: six.trust should be true or false.',
    'MCP_CONFIG: FILE: six.timeoutMs should be a whole number from 100 to 300000.',
    'MCP_CONFIG: FILE: six.channels.0 should be the id of a channel such as C0123456789, or dm.',
    'MCP_CONFIG: FILE: seven needs ${NOWHERE}, which is not set. Set it, or give it a default: ${NOWHERE:-…}.',
    'MCP_CONFIG: FILE: "a b" should be a name of up to 40 letters, digits, - and single _.',
    'MCP_CONFIG: FILE: "a__b" should be a name of up to 40 letters, digits, - and single _.',
    'MCP_CONFIG: FILE: nine.headers should be header names with one-line Latin values; "x y" is not.',
    'MCP_CONFIG: FILE: ten.type should be stdio, as it has a command.',
    'MCP_CONFIG: FILE: eleven.type should be http or sse, as it has an address.',
    'MCP_CONFIG: FILE: "__proto__" should be a name of up to 40 letters, digits, - and single _.',
  ])
})

test('an invalid file is refused without quoting it', () => {
  expect(refusal('{"mcpServers": {"x": {"headers": {"Authorization": "Bearer geheim"')).toEqual([
    'MCP_CONFIG: FILE is not valid JSON.',
  ])
  expect(refusal({ servers: {} })).toEqual([
    'MCP_CONFIG: FILE has an unknown key: "servers". It may contain only mcpServers.',
  ])
  expect(refusal([])).toEqual(['MCP_CONFIG: FILE should contain {"mcpServers": {…}}, with one entry per server.'])
  expect(() => loadMcpConfig('/nowhere/mcp.json', {})).toThrow(
    'MCP_CONFIG: /nowhere/mcp.json cannot be read, or is larger than 1 MB.',
  )
})

test('secrets are values with secret names, from variables or headers, but not common words', () => {
  const [server] = load(
    {
      one: {
        command: 'npx',
        args: ['@modelcontextprotocol/server-x', '--api-key', 'abcd1', '--token=efgh2', '${LICENCE}'],
        env: {
          GITHUB_TOKEN: '${GH}',
          PASSWORD: 'swordfish',
          DATABASE: 'postgres://bot:hun%20ter2@db/x?sslkey=zyx987wvu',
          ODD: 'q8#kd93Jd0',
          NODE_ENV: 'production',
          REGION: 'eu-west-1',
          HOME_URL: 'https://gitlab.example.com/api/v4',
          FILE: '/data/memory.json',
          USER: 'anna@example.com',
          PORT: '8080',
          DEBUG: 'true',
        },
      },
    },
    { GH: 'ghp_0123456789', LICENCE: 'L1C-ENCE-77Z' },
  )
  expect(server?.secrets.sort()).toEqual(
    [
      ...['abcd1', '--token=efgh2', 'efgh2', 'L1C-ENCE-77Z', 'ghp_0123456789', 'swordfish', 'q8#kd93Jd0'],
      ...['postgres://bot:hun%20ter2@db/x?sslkey=zyx987wvu', 'hun%20ter2', 'hun ter2', 'zyx987wvu'],
    ].sort(),
  )
  const [http] = load(
    { two: { url: 'https://x.example.com/mcp?api_key=${K}', headers: { Authorization: 'Bearer abc.def' } } },
    { K: 'k123456' },
  )
  expect(http?.secrets).toEqual(expect.arrayContaining(['k123456', 'Bearer abc.def', 'abc.def']))
})
