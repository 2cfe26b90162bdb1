import type { Person } from '../../base/place.ts'

/** What a person can connect with a login of their own. Two implementations: a server of MCP_CONFIG, and Slack. */
export interface Account {
  /** What people call it. */
  name: string
  /**
   * Begins a login whose answer comes to `callback`. @returns the page for the browser, the state that comes back, and
   * what `finish` takes: JSON with secrets
   * @throws ToolError with a sentence for the person
   */
  begin(person: Person, callback: string): Promise<{ address: URL; state: string; flow: unknown }>
  /** Takes the parameters that the browser came back with, and stores the login. @throws ToolError likewise */
  finish(person: Person, flow: unknown, answer: URLSearchParams): Promise<void>
  /** Returns what the bot may do with the person's login; undefined without one. */
  look(person: Person): Promise<ConnectedAccount | undefined>
  /** Deletes the login, and revokes it where that is possible. */
  disconnect(person: Person): Promise<void>
}

export interface ConnectedAccount {
  /** Words for people, such as the titles of tools. */
  may: string[]
  /** Milliseconds since the epoch; absent if it was not used yet. */
  usedAt?: number | undefined
}
