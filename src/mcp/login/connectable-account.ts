import type { Person } from '../../base/place.ts'

/** An account that people connect with their own login. Two implementations: a server of MCP_CONFIG, and Slack. */
export interface Account {
  /** The name that people see. */
  name: string
  /** Its login itself shows who the person is in Slack. */
  provesIdentity?: true
  /**
   * Begins a login whose answer comes to `callback`. @returns the page for the browser, the state that comes back, and
   * what `finish` takes: JSON with secrets
   * @throws ToolError with a sentence for the person
   */
  begin(person: Person, callback: string): Promise<{ address: URL; state: string; flow: unknown }>
  /**
   * Takes the parameters that the browser came back with, and stores the login. @throws ToolError with a sentence for
   * the person
   */
  finish(person: Person, flow: unknown, answer: URLSearchParams): Promise<void>
  /** Returns the rights that the person's login gives the bot. Undefined without a login. */
  look(person: Person): Promise<ConnectedAccount | undefined>
  /** Deletes the login. @returns a function that revokes it if possible, and never rejects */
  disconnect(person: Person): Promise<() => Promise<void>>
}

export interface ConnectedAccount {
  /** Words for people, such as the titles of tools. */
  may: string[]
  /** Milliseconds since the epoch. Absent if it was never used. */
  usedAt?: number | undefined
}
