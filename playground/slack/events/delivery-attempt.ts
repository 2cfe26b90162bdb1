/** The kinds of deliveries: an event, a slash command, or a press, named as in Socket Mode. */
export type DeliveryKind = 'events_api' | 'slash_commands' | 'interactive'

/** One try of a delivery. `status` is HTTP's, 200 for an ack on a socket, 0 if there was no answer. */
export interface DeliveryAttempt {
  at: number
  ms: number
  status: number
  /** The content of the ack: text, or JSON as text. */
  body: string
  /** 0 for the first try. */
  retry: number
  /** Why it was tried again; empty for the first try. */
  reason: string
}
