import { readManifest } from '../../src/base/app-manifest.ts'
import { addExamplePeople } from '../slack/example-workspace.ts'
import type { Journal } from '../journal/journal.ts'
import { startLocalSlack, type LocalSlack } from '../slack/slack.ts'

/** The manifest of an agent. */
const MANIFEST = readManifest('agent')

/** The scopes that the app has in the workspace. */
export const SCOPES = MANIFEST.scopes

/** Starts the workspace of the playground, and of all replays. `base`: the beginning of its own addresses. */
export async function startWorkspace(journal?: Journal, base?: string): Promise<LocalSlack> {
  const shouldEscape = MANIFEST.shouldEscape['/ask'] ?? false
  const slack = await startLocalSlack({
    ...{ agent: true, search: 'words', scopes: SCOPES, shouldEscape },
    ...(journal && { journal }),
    ...(base !== undefined && { base }),
  })
  addExamplePeople(slack.store)
  return slack
}
