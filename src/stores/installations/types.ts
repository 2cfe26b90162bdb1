import { z } from 'zod'
import type { ValueStore } from '../values/value-store.ts'

/** One installation of the distributed app: in a workspace, or in a whole organisation. */
export const installationRecord = z.object({
  /** The workspace's id, or the organisation's if it installed the app for all of its workspaces. */
  id: z.string(),
  name: z.string(),
  /** The organisation, if the workspace belongs to one. */
  enterprise: z.string().optional(),
  isOrgWide: z.boolean(),
  appId: z.string(),
  token: z.string(),
  botUser: z.string(),
  /** Empty until `auth.test` has returned it, like `url`. */
  botId: z.string(),
  /** The URL of the workspace, with a trailing slash. */
  url: z.string(),
  scopes: z.array(z.string()),
  /** The person who installed it. */
  installer: z.string(),
  /** Milliseconds since the epoch, by Slack's clock, so that it can be compared with its events. */
  installedAt: z.number(),
  /** With token rotation only, like `expiresAt`. */
  refreshToken: z.string().optional(),
  /** Milliseconds since the epoch, by our clock. */
  expiresAt: z.number().optional(),
  /** Set when Slack refuses to refresh the token for good: whether somebody was notified. */
  refused: z.enum(['untold', 'told']).optional(),
})

export type InstallationRecord = z.infer<typeof installationRecord>

/** A record, with the generation that a later `save` or `remove` can require. Every write makes a new one. */
export interface StoredInstallation {
  record: InstallationRecord
  generation: string
}

/**
 * The installations of the distributed app, and the values about them that processes share: one-use states, locks,
 * notes.
 */
export interface InstallStores {
  records: InstallationStore
  shared: ValueStore
}

/** The installations of the distributed app, by workspace or organisation. */
export interface InstallationStore {
  /** @throws SealBroken if no key opens the record */
  load(id: string): Promise<StoredInstallation | undefined>
  /**
   * Stores a record under its id; with `generation`, only if the stored one has it. @returns whether it was stored
   */
  save(record: InstallationRecord, generation?: string): Promise<boolean>
  /** The same for removing. @returns whether a record was removed */
  remove(id: string, generation?: string): Promise<boolean>
  /** Lists the ids, in order. */
  ids(): Promise<string[]>
}
