/** Sends journal entries again. Each becomes a new entry that names the first one. */
import { isObject } from '../slack/args.ts'
import type { DeliveryAttempt, DeliveryKind } from '../slack/events/delivery-attempt.ts'
import { errorText } from '../base/error-text.ts'
import type { JournalEntry, Journal } from './journal.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import { AGAIN_HEADER } from './again-header.ts'
import type { Json } from '../slack/types.ts'

/** Calls a tool outside of any run. @throws Error if the tool cannot be called so, or fails */
export type RunTool = (tool: string, input: unknown) => Promise<Json>

export interface AgainOptions {
  journal: Journal
  slack: Pick<LocalSlack, 'apiUrl' | 'botToken' | 'appToken' | 'redeliver'>
  /** The model endpoint's URL, with `/v1`. */
  modelUrl: string
  runTool?: RunTool | undefined
}

/** Returns why an entry cannot be sent again. Returns undefined if it can. */
export function whyNotAgain(entry: JournalEntry, { journal, runTool }: AgainOptions): string | undefined {
  if (entry.kind === 'fault') return 'This was never sent.'
  if (entry.kind === 'tool' && !runTool) return 'There are no tools here to call.'
  if (entry.name === 'upload') return 'The bytes of an upload are not kept.'
  return journal.whole(entry) ? undefined : 'It was too long to be kept whole.'
}

/**
 * Sends an entry again. @returns the number of the new entry, as soon as it exists @throws Error if it cannot be sent
 */
export function sendAgain(entry: JournalEntry, options: AgainOptions): Promise<number> {
  const { journal } = options
  const whole = journal.whole(entry)
  const why = whyNotAgain(entry, options)
  if (why !== undefined || !whole) return Promise.reject(new Error(why))
  const before = journal.entries().at(-1)?.n ?? 0
  return new Promise((resolve, reject) => {
    const unwatch = journal.watch(({ n, of }) => n > before && of === entry.n && resolve(n))
    send(entry, whole, options)
      .then(() => reject(new Error('It was not sent.')), reject)
      .finally(unwatch)
  })
}

async function send(entry: JournalEntry, whole: Json, options: AgainOptions): Promise<void> {
  if (entry.kind === 'delivery') return deliver(entry, whole, options)
  if (entry.kind === 'tool') return callTool(entry, whole, options)
  const { apiUrl, botToken, appToken } = options.slack
  const { path, headers, body, args } = whole
  const { authorization }: Json = isObject(headers) ? headers : {}
  const token = authorization === 'Bearer $SLACK_APP_TOKEN' ? appToken : botToken
  const isModel = entry.kind === 'model'
  const isRead = entry.name === 'download' || path === '/v1/models'
  const answer = await fetch(new URL(isModel ? options.modelUrl : apiUrl).origin + String(path), {
    method: isRead ? 'GET' : 'POST',
    headers: {
      [AGAIN_HEADER]: String(entry.n),
      ...(!isRead && { 'content-type': 'application/json; charset=utf-8' }),
      ...(!isModel && authorization !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(!isRead && { body: JSON.stringify(isModel ? body : args) }),
    redirect: 'manual',
  })
  await answer.arrayBuffer()
}

/** Sends a delivery as a retry, with its retry number. */
async function deliver(entry: JournalEntry, { type, payload }: Json, { journal, slack }: AgainOptions) {
  const first: unknown[] = Array.isArray(entry.response?.['attempts']) ? entry.response['attempts'] : []
  const more = journal.entries().filter(({ of }) => of === entry.n)
  const attempts = [...first, ...more].map((): DeliveryAttempt => ({
    at: 0,
    ms: 0,
    status: 0,
    body: '',
    retry: 0,
    reason: '',
  }))
  const kind: DeliveryKind = type === 'interactive' || type === 'slash_commands' ? type : 'events_api'
  await slack.redeliver({ kind, payload: isObject(payload) ? payload : {}, attempts, entry })
}

async function callTool({ n, name, thread }: JournalEntry, { tool, input }: Json, { journal, runTool }: AgainOptions) {
  const entry = journal.begin({ kind: 'tool', name, of: n, request: { tool, input }, ...(thread && { thread }) })
  try {
    journal.end(entry, { ok: true, response: (await runTool?.(String(tool), input)) ?? {} })
  } catch (error) {
    journal.end(entry, { ok: false, error: errorText(error) })
  }
}
