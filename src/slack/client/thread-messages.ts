/** The Web API, as far as it is read here. */
interface Client {
  call(
    method: string,
    args: Record<string, unknown>,
    options: { effort: 'patient'; signal?: AbortSignal | undefined },
  ): Promise<Record<string, unknown>>
}

/** Where messages are read: a thread from `since` on (a Slack ts), or without `thread` the channel itself. */
export interface MessagePlace {
  channel: string
  thread?: string | undefined
  since: string
  signal?: AbortSignal | undefined
}

/** A message as `conversations.replies` and `conversations.history` give it. */
export interface ThreadMessage {
  ts: string
  thread_ts?: string
  user?: string
  bot_id?: string
  text?: string
  subtype?: string
  metadata?: { event_type?: string; event_payload?: Record<string, unknown> }
  /** `in_progress` while a streamed message is open. */
  streaming_state?: string
}

/** The messages of a place, oldest first in a thread, page by page. @throws SlackRefusal */
export async function* readMessages(
  client: Client,
  { channel, thread, since, signal }: MessagePlace,
): AsyncGenerator<ThreadMessage> {
  const method = thread ? 'conversations.replies' : 'conversations.history'
  const base = { channel, oldest: since, inclusive: true, include_all_metadata: true, limit: 200 }
  for (let cursor: string | undefined; ;) {
    const args = { ...base, ...(thread ? { ts: thread } : {}), ...(cursor ? { cursor } : {}) }
    const page = await client.call(method, args, { effort: 'patient', signal })
    if (Array.isArray(page.messages)) yield* page.messages as ThreadMessage[]
    cursor = (page.response_metadata as { next_cursor?: string } | undefined)?.next_cursor
    if (!cursor) return
  }
}
