import { randomUUID } from 'node:crypto'
import { settledWithin } from '../../base/async.ts'
import { messageOf, ToolError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { hideSecrets } from './hide-config-secrets.ts'
import { jsonHash } from './json-hash.ts'
import {
  readRecord,
  versionOf,
  whyOff,
  withAccepted,
  withListed,
  type PinNote,
  type ServerRecord,
} from './tool-pins.ts'
import type { ValueStore } from '../../stores/values/value-store.ts'
import { seenTools } from './seen-tools.ts'
import type { McpServer } from '../servers/mcp-server.ts'
import type { McpServerConfig, PersonLogin, ServerTools } from '../types.ts'

interface ToolCatalogDeps {
  store: ValueStore
  log: Log
  /** Milliseconds since the epoch. */
  now(): number
  /** The server, perhaps with a person's own login; undefined in a process that calls no tools. */
  server?: (() => Promise<McpServer>) | undefined
  /** The login that lists the tools, if the catalogue is one person's. Another login starts a new catalogue. */
  as?: PersonLogin | undefined
  /** Called after the server has listed its tools. */
  onListed?: () => void
}

/** How long a question waits for a server whose tools are unknown. Milliseconds. */
const FIRST_MS = 10_000
/** How long a server is not called again after it could not list its tools. Milliseconds. */
const RETRY_MS = 60_000
/** How long a check for changes counts as recent. Milliseconds. */
const FRESH_MS = 5_000
const LIST_MS = 30_000
const LOCK_MS = 10_000

/**
 * The tools of one server, as all processes know them: listed again from time to time, and checked before each call.
 */
export class ToolCatalog {
  readonly config: McpServerConfig
  readonly #deps: ToolCatalogDeps
  /** The target that the versions of its tools are bound to. */
  readonly target: string
  readonly #identity: string
  #record: ServerRecord | undefined
  /**
   * The stamp of the record as it was last read or written. A different stamp in the store means that another process
   * has written.
   */
  #stamp: unknown
  #listed: ServerTools | undefined
  #listedAt = -Infinity
  #working: Promise<void> | undefined
  #checkedAt = -Infinity
  #failure: { at: number; why: string } | undefined
  #isClosed = false

  constructor(config: McpServerConfig, deps: ToolCatalogDeps) {
    this.config = config
    this.#deps = deps
    this.#identity = deps.as ? jsonHash([identityOf(config), deps.as.since]) : identityOf(config)
    this.target = targetOf(config)
  }

  /** Returns the same object as long as nothing has changed. */
  get record(): ServerRecord | undefined {
    return this.#record
  }

  /** Returns the server's own names of its tools; undefined while they are unknown. */
  get names(): string[] | undefined {
    const entries = this.#record && Object.entries(this.#record.tools)
    return entries?.flatMap(([name, { seen }]) => (seen ? [name] : []))
  }

  /** Returns why the tools are unknown. */
  get failure(): string | undefined {
    return this.#record ? undefined : this.#failure?.why
  }

  /**
   * Checks in the background for changes. With `waits`, waits for a server whose tools are unknown.
   */
  async ready(waits: boolean): Promise<void> {
    if (!this.#working && this.#deps.now() - this.#checkedAt >= FRESH_MS) {
      this.#working = this.#checkForChanges()
        .catch((error: unknown) => this.#fail(messageOf(error)))
        .finally(() => (this.#working = undefined))
    }
    if (waits && !this.#record && this.#working) await settledWithin(FIRST_MS, [this.#working])
  }

  /** Lists the tools now. */
  async refresh(): Promise<void> {
    await this.#list(AbortSignal.timeout(LIST_MS)).catch((error: unknown) => this.#fail(messageOf(error)))
  }

  /** From now on, a request that is cut off does not count as a failure of the server. */
  close(): void {
    this.#isClosed = true
  }

  /** Loads the record that all processes share. */
  async load(): Promise<void> {
    const stamp = await this.#deps.store.get(this.#key('stamp'))
    if (stamp === undefined || stamp === this.#stamp) return
    const record = readRecord(await this.#deps.store.get(this.#key('tools')))
    if (record?.identity !== this.#identity) return
    this.#record = record
    this.#stamp = stamp
  }

  /**
   * Checks that a tool still has this version. With `isFresh` the server is asked now; otherwise a list of the last few
   * seconds is enough.
   * @throws ToolError if the tool may not be called as it is now
   */
  async check(
    tool: string,
    { signal, version, isFresh }: { signal: AbortSignal; version: string; isFresh: boolean },
  ): Promise<void> {
    if (isFresh || this.#deps.now() - this.#listedAt >= FRESH_MS) await this.#list(signal, { isFresh })
    const entry = this.#record?.tools[tool]
    const { seen, pin } = entry ?? {}
    const isOther = seen && versionOf({ seen, pin }, this.target) !== version
    const why =
      (entry ? whyOff(entry, this.config) : 'is no longer listed') ??
      (isOther ? 'has changed since it was shown' : undefined)
    if (why !== undefined) throw new ToolError(`The tool ${tool} of the server ${this.config.name} ${why}.`)
  }

  /** Accepts tools as they are listed now, if `isMeant`. @returns their names */
  async accept(matches: (entry: NonNullable<ServerRecord['tools'][string]['seen']>) => boolean): Promise<string[]> {
    return this.#change(async (before) => {
      const accepted = Object.values(before?.tools ?? {}).flatMap(({ seen, pin }) =>
        seen && seen.broken === undefined && !this.#isAccepted({ seen, pin }) && matches(seen) ? [seen.name] : [],
      )
      const record = accepted.reduce<ServerRecord | undefined>((now, name) => now && withAccepted(now, name), before)
      return { record, result: accepted }
    })
  }

  /** Returns whether an admin has accepted the tool as it is now. */
  #isAccepted(entry: ServerRecord['tools'][string]): boolean {
    return entry.pin?.accepted === true && whyOff(entry, this.config) === undefined
  }

  async #checkForChanges(): Promise<void> {
    const { now, server } = this.#deps
    this.#checkedAt = now()
    await this.load()
    if (!server || (this.#failure && now() - this.#failure.at < RETRY_MS)) return
    const mustList = this.config.kind === 'http' || !this.#record || (await server()).status().state === 'up'
    if (mustList) await this.#list(AbortSignal.timeout(LIST_MS))
  }

  #fail(why: string): void {
    if (this.#isClosed) return
    const { now, log } = this.#deps
    const isRepeated = this.#failure?.why === why
    this.#failure = { at: now(), why }
    if (!isRepeated) log.warn({ server: this.config.name, error: why }, 'the tools of an MCP server cannot be listed')
  }

  async #list(signal: AbortSignal, { isFresh = false }: { isFresh?: boolean } = {}): Promise<void> {
    const { log, server } = this.#deps
    if (!server) throw new ToolError('This process calls no tools.')
    const listed = await (await server()).list(signal, { isFresh })
    this.#failure = undefined
    if (listed === this.#listed && this.#record) {
      await this.load()
      this.#listedAt = this.#deps.now()
      return
    }
    const { seen, cleanings } = seenTools(listed.tools)
    const notes = await this.#change(async (before) => {
      const after = withListed(before, seen, { identity: this.#identity, trust: this.config.trust })
      return { record: after.record, result: after.notes }
    })
    // Set only now, so that a call that is checked meanwhile is not checked against the old record.
    this.#listedAt = this.#deps.now()
    this.#listed = listed
    this.#deps.onListed?.()
    const { name } = this.config
    for (const { tool, faults } of cleanings)
      log.warn({ server: name, tool, faults }, 'the description of an MCP tool is cleaned before a model reads it')
    for (const note of notes)
      log[note.what === 'notation' ? 'info' : 'warn']({ server: name, tool: note.tool }, NOTES[note.what])
  }

  /** Changes the shared record. Changes run one after the other. */
  async #change<T>(
    work: (before: ServerRecord | undefined) => Promise<{ record: ServerRecord | undefined; result: T }>,
  ): Promise<T> {
    const { store } = this.#deps
    return store.lock(this.#key('tools'), LOCK_MS, async () => {
      const stored = readRecord(await store.get(this.#key('tools')))
      const before = stored?.identity === this.#identity ? stored : undefined
      const { record, result } = await work(before)
      const isNew = record !== undefined && JSON.stringify(record) !== JSON.stringify(before)
      if (isNew) {
        await store.put(this.#key('tools'), record)
        await store.put(this.#key('stamp'), randomUUID())
      }
      await this.load()
      return result
    })
  }

  #key(part: string): string {
    return `${part}:${this.config.name}`
  }
}

const NOTES: Record<PinNote['what'], string> = {
  new: 'an MCP server has a new tool',
  changed: 'an MCP tool has changed since it was accepted: it is off until an admin turns it on',
  notation: 'an MCP tool has the same description in another notation',
}

/**
 * Hashes the command or address without its secrets: a server with a changed key is still the same server, and its pins
 * stay. Host, port and path of an address count even if the whole address is a secret.
 */
function identityOf(config: McpServerConfig): string {
  const what = config.kind === 'stdio' ? [config.command, config.args, config.cwd] : [config.url]
  return jsonHash(withoutSecrets(what, config))
}

/**
 * Hashes the identity with the environment or the headers, which may name another account, tenant or database. A change
 * ends earlier approvals.
 */
function targetOf(config: McpServerConfig): string {
  const more = config.kind === 'stdio' ? config.env : config.headers
  return jsonHash([identityOf(config), withoutSecrets(more, config)])
}

function withoutSecrets(value: unknown, config: McpServerConfig): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, config))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([name, one]) => [name, withoutSecrets(one, config)])
  if (typeof value !== 'string') return value
  const hide = hideSecrets(config.secrets)
  const [, flag = '', rest = value] = /^(--?[\w-]+=)(.+)$/s.exec(value) ?? []
  if (!rest.includes('://') || !URL.canParse(rest)) return hide.text(value)
  const { protocol, host, pathname, searchParams } = new URL(rest)
  return [flag, protocol, host, hide.text(pathname), [...new Set(searchParams.keys())].sort()]
}
