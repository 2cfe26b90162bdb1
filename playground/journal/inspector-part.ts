/**
 * The server side of the panel "Under the hood". The page gets a shortened list of the journal, and each entry in full
 * when it is opened.
 */
import { curlOf } from './as-curl.ts'
import type { JournalEntry } from './journal.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { PagePart } from '../page-server/page-part.ts'
import { sendAgain, whyNotAgain, type AgainOptions } from './send-again.ts'
import type { Json } from '../slack/types.ts'

interface InspectorPartOptions extends AgainOptions {
  slack: LocalSlack
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** The minimum time between two notifications of a page, in ms. */
const TELL_MS = 150
/** The number of characters of an error in the list. */
const ERROR_CHARS = 160

export function inspectorPart(options: InspectorPartOptions): PagePart {
  const { journal } = options
  const changes = createChanges(options)
  const entryAt = (n: unknown): JournalEntry => {
    const entry = journal.find(Number(n))
    if (!entry) throw new Error(`Number ${String(n)} is not in the journal any more.`)
    return entry
  }
  return {
    panel: 'inspector',
    gets: {
      '/journal': (params) => changes.since(Number(params.get('since') ?? 0)),
      '/journal/entry': (params) => opened(entryAt(params.get('n')), options, params.get('page') ?? ''),
      '/journal/find': (params) =>
        find(options, params.get('words') ?? '', changes.from(Number(params.get('since') ?? 0))),
    },
    posts: {
      '/journal/again': async ({ n }) => ({ n: await sendAgain(entryAt(n), options) }),
    },
    watch: (tell) => {
      let timer: NodeJS.Timeout | undefined
      const unwatch = journal.watch(() => {
        timer ??= setTimeout(() => {
          timer = undefined
          tell({ type: 'journal', ...changes.now() })
        }, TELL_MS)
      })
      return () => {
        unwatch()
        clearTimeout(timer)
      }
    },
  }
}

/** Returns the changes after a given count of changes. `journal` changes when the playground restarts. */
function createChanges({ journal, now = Date.now }: InspectorPartOptions) {
  const id = String(now())
  const revs = new Map<number, number>()
  let rev = 0
  journal.watch(({ n }) => {
    rev += 1
    revs.set(n, rev)
    const [oldest] = revs.keys()
    if (oldest !== undefined && !journal.find(oldest)) revs.delete(oldest)
  })
  // The first change has all existing entries.
  const from = (since: number) => journal.entries().filter(({ n }) => (revs.get(n) ?? 0) > since || since <= 0)
  const current = () => ({ journal: id, rev })
  return {
    now: current,
    from,
    since: (since: number): Json => {
      const first = journal.entries()[0]?.n ?? 0
      return { ...current(), first, rows: from(since).map(rowOf) }
    },
  }
}

/** Returns one line of the list. */
function rowOf(entry: JournalEntry): Json {
  const { n, at, ms, name, thread, ok, error, of } = entry
  return {
    n,
    at,
    ms,
    kind: sortOf(entry),
    name: name.slice(0, 200),
    thread,
    ok,
    error: error?.slice(0, ERROR_CHARS),
    of,
  }
}

/** Returns the kind of a delivery in words. */
function sortOf({ kind, request }: JournalEntry): string {
  if (kind !== 'delivery') return kind
  if (request['type'] === 'slash_commands') return 'command'
  return request['type'] === 'interactive' ? 'interaction' : 'event'
}

/** Returns the assignment of the token that a curl command needs. The local Slack's token is valid nowhere else. */
function tokenOf(curl: string, { botToken, appToken }: LocalSlack): string | undefined {
  const tokens = Object.entries({ SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken })
  const needed = tokens.find(([name]) => curl.includes(`$${name}`))
  return needed?.join('=')
}

/** Returns a whole entry with its actions and the model's previous answer. */
function opened(entry: JournalEntry, options: InspectorPartOptions, page: string): Json {
  const { journal, slack, modelUrl, now = Date.now } = options
  const place = { apiUrl: slack.apiUrl, modelUrl, target: slack.target(), signingSecret: slack.signingSecret }
  const curl = curlOf(entry, journal.whole(entry), { ...place, page, now: now() })
  const again = journal.entries().filter(({ of }) => of === entry.n)
  const first = entry.of === undefined ? undefined : journal.find(entry.of)
  return {
    entry: { ...entry, sort: sortOf(entry) },
    curl,
    needsToken: curl && tokenOf(curl, slack),
    whyNotAgain: whyNotAgain(entry, options),
    again: again.map(({ n }) => n),
    first: first && { n: first.n, ok: first.ok, error: first.error, response: first.response },
  }
}

/** Returns the numbers of the entries that contain these words. Yields to the event loop in between. */
async function find({ journal }: InspectorPartOptions, words: string, entries: readonly JournalEntry[]): Promise<Json> {
  const wanted = words.trim().toLowerCase()
  const ns: number[] = []
  for (const [index, entry] of entries.entries()) {
    if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve))
    const { name, error = '', request, response } = entry
    if (journal.find(entry.n) && holds([name, error, request, response], wanted)) ns.push(entry.n)
  }
  return { ns }
}

function holds(value: unknown, wanted: string): boolean {
  if (typeof value !== 'object' || value === null) return String(value).toLowerCase().includes(wanted)
  return Object.entries(value).some(([key, one]) => key.toLowerCase().includes(wanted) || holds(one, wanted))
}
