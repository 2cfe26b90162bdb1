/** What is handed over: an event, a slash command, or a press, named as Socket Mode names them. */
export type Kind = 'events_api' | 'slash_commands' | 'interactive'

/** One try to hand something over. `status` is HTTP's, 200 for an ack on a socket, 0 where nothing came back. */
export interface Attempt {
  at: number
  ms: number
  status: number
  /** What came back in the ack: text, or JSON as text. */
  body: string
  /** 0 for the first try. */
  retry: number
  /** Why it was tried again; empty for the first try. */
  reason: string
}
