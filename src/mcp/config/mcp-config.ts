import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import type { Env } from '../../config.ts'
import { ConfigError } from '../../base/errors.ts'
import { isRecord } from '../../base/parse-json.ts'
import { createValueReader, type ValueReader } from './config-values.ts'
import {
  hasOwnAuthorization,
  type HttpServerConfig,
  type McpConfig,
  type McpServerConfig,
  type OAuthSettings,
} from '../types.ts'

/** The maximum size of MCP_CONFIG's file. Bytes. */
const MAX_FILE = 1_000_000

const texts = z.record(z.string(), z.string('a text'), 'an object of names and texts')
const patterns = z.array(
  z.string().regex(/^(?:[^\s*]{1,200}\*?|\*)$/, 'the name of a tool, with * at most at its end'),
  'a list of names of tools',
)
const rules = {
  allow: patterns.optional(),
  ask: patterns.optional(),
  deny: patterns.optional(),
  trust: z.boolean('true or false').default(false),
  timeoutMs: z.int('a whole number from 100 to 300000').min(100).max(300_000).optional(),
  channels: z
    .array(
      z.string().regex(/^(?:[CG][A-Z0-9]{5,}|dm)$/, 'the id of a channel such as C0123456789, or dm'),
      'a list of ids of channels',
    )
    .optional(),
}

const stdio = z.strictObject({
  type: z.literal('stdio', 'stdio, as it has a command').optional(),
  command: z.string('a program’s name or path').min(1, 'a program’s name or path'),
  args: z.array(z.string('a text'), 'a list of texts').default([]),
  env: texts.default({}),
  cwd: z.string('a folder').optional(),
  login: z.literal('workspace', 'workspace: people can only log in to a server with a url').optional(),
  ...rules,
})

const http = z.strictObject({
  type: z.enum(['http', 'streamable-http', 'sse'], 'http or sse, as it has an address').optional(),
  url: z.string('an address that begins with https:// or http://'),
  headers: texts.default({}),
  login: z.enum(['workspace', 'person'], 'workspace or person').optional(),
  oauth: z
    .strictObject(
      {
        clientId: z.string('a text').min(1, 'a text').optional(),
        clientSecret: z.string('a text').min(1, 'a text').optional(),
        scope: z.string('scopes with spaces between them').min(1, 'scopes with spaces between them').optional(),
      },
      'an object with clientId, clientSecret or scope',
    )
    .optional(),
  ...rules,
})

type WrittenServer = z.infer<typeof stdio> | z.infer<typeof http>

/**
 * Reads MCP_CONFIG's file: `{"mcpServers": {"name": {"command", "args", "env", "cwd"} | {"type", "url", "headers"}}}`
 * and our own keys (README). `${VAR}` and `${VAR:-default}` are filled in from `env`.
 * @throws ConfigError with one sentence a line, each with the file, the server and the key, and none with a value
 */
export function loadMcpConfig(file: string, env: Env): McpConfig {
  const problems: string[] = []
  const servers = readServers(file).flatMap(([name, value]) => {
    const say = (what: string) => problems.push(`MCP_CONFIG: ${file}: ${what}`)
    const written = parseServer(name, value, say)
    const server = written && fillIn(name, written, { env, say })
    return server ? [server] : []
  })
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { servers }
}

function readServers(file: string): [string, unknown][] {
  const whole = z.strictObject({ mcpServers: z.custom<object>(isRecord) }).safeParse(readJson(file))
  // Taken as written: zod silently drops a name such as __proto__.
  if (whole.data) return Object.entries(whole.data.mcpServers)
  const unknown = whole.error?.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : [])) ?? []
  throw new ConfigError(
    unknown.length > 0
      ? `MCP_CONFIG: ${file} has an unknown key: ${quotedList(unknown)}. It may contain only mcpServers.`
      : `MCP_CONFIG: ${file} should contain {"mcpServers": {…}}, with one entry per server.`,
  )
}

function readJson(file: string): unknown {
  let text: string
  try {
    if (statSync(file).size > MAX_FILE) throw new Error('too large')
    text = readFileSync(file, 'utf8')
  } catch {
    throw new ConfigError(`MCP_CONFIG: ${file} cannot be read, or is larger than 1 MB.`)
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    // The parser's own message quotes the file.
    throw new ConfigError(`MCP_CONFIG: ${file} is not valid JSON.`)
  }
}

function parseServer(name: string, value: unknown, say: (what: string) => void): WrittenServer | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name) || name.includes('__')) {
    say(`${JSON.stringify(name.slice(0, 60))} should be a name of up to 40 letters, digits, - and single _.`)
    return undefined
  }
  const result = schemaFor(value)?.safeParse(value)
  if (result?.data) return result.data
  if (!result) say(`${name} should have either command (a program) or url (an address).`)
  for (const issue of result?.error?.issues ?? []) say(issueSentence(name, issue))
  return undefined
}

function schemaFor(value: unknown) {
  if (!isRecord(value)) return undefined
  const has = (key: string) => Object.hasOwn(value, key)
  if (has('command') === has('url')) return undefined
  return has('command') ? stdio : http
}

function issueSentence(name: string, issue: z.core.$ZodIssue): string {
  const key = [name, ...issue.path].join('.')
  if (issue.code === 'unrecognized_keys')
    return `${key} has ${quotedList(issue.keys)}, which is not a key of ${issue.path.length === 0 ? 'a server' : 'an object'}.`
  const wanted =
    issue.code === 'too_small' || issue.code === 'too_big' ? 'a whole number from 100 to 300000' : issue.message
  return `${key} should be ${wanted}.`
}

function quotedList(keys: string[]): string {
  return keys.map((key) => JSON.stringify(key.slice(0, 60))).join(', ')
}

function fillIn(name: string, written: WrittenServer, { env, say: report }: { env: Env; say(what: string): void }) {
  const values = createValueReader(env)
  const server = 'command' in written ? stdioOf(name, written, values) : httpOf(name, written, values)
  for (const variable of values.missing)
    report(`${name} needs \${${variable}}, which is not set. Set it, or give it a default: \${${variable}:-…}.`)
  const fault = values.missing.size === 0 && server.kind === 'http' ? addressFault(server) : undefined
  if (fault) report(`${name}.${fault}`)
  return fault === undefined && values.missing.size === 0 ? server : undefined
}

function stdioOf(name: string, written: z.infer<typeof stdio>, values: ValueReader): McpServerConfig {
  const { command, args, env, cwd } = written
  const read = {
    command: values.read(command, 'command'),
    args: args.map((arg, at) => values.read(arg, flagOf(arg, args[at - 1]))),
    env: readAll(env, values),
    cwd: readGiven(cwd, 'cwd', values),
  }
  return { name, kind: 'stdio', ...rulesOf(written), ...read, secrets: values.secrets() }
}

/** Returns the flag whose value an argument is, in `--token x` and in `--token=x`. */
function flagOf(arg: string, before = ''): string {
  return /^--?[\w-]+(?==)/.exec(arg)?.[0] ?? (before.startsWith('-') ? before : '')
}

function httpOf(name: string, written: z.infer<typeof http>, values: ValueReader): HttpServerConfig {
  const { type, url, headers, oauth, login } = written
  const read = {
    url: values.read(url, 'url'),
    headers: readAll(headers, values),
    oauth: oauth && oauthOf(oauth, values),
    login: login === 'person' ? login : undefined,
  }
  return { name, kind: 'http', ...rulesOf(written), ...read, sse: type === 'sse', secrets: values.secrets() }
}

function oauthOf({ clientId, clientSecret, scope }: OAuthSettings, values: ValueReader): OAuthSettings {
  return {
    clientId: readGiven(clientId, 'clientId', values),
    clientSecret: readGiven(clientSecret, 'clientSecret', values),
    scope: readGiven(scope, 'scope', values),
  }
}

function readGiven(text: string | undefined, name: string, values: ValueReader): string | undefined {
  return text === undefined ? undefined : values.read(text, name)
}

function rulesOf({ allow, ask, deny, trust, timeoutMs, channels }: WrittenServer) {
  return { allow, ask, deny, trust, timeoutMs, channels }
}

function readAll(written: Record<string, string>, values: ValueReader): Record<string, string> {
  return Object.fromEntries(Object.entries(written).map(([key, value]) => [key, values.read(value, key, true)]))
}

function addressFault(server: HttpServerConfig): string | undefined {
  const { url, headers, login } = server
  if (login === 'person' && hasOwnAuthorization(server))
    return 'login is person, so headers should contain no Authorization: each person has a login of their own.'
  const at = URL.canParse(url) ? new URL(url) : undefined
  if (!at || !/^https?:$/.test(at.protocol)) return 'url should be an address that begins with https:// or http://.'
  if (at.username !== '' || at.password !== '') return 'url should contain no user name or password. Use headers.'
  const wrong = Object.entries(headers).find(([key, value]) => !isHeader(key, value))
  return wrong && `headers should be header names with one-line Latin values; ${quotedList([wrong[0]])} is not.`
}

function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
