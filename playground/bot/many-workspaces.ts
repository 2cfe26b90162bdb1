/**
 * `npm run playground -- --workspaces`: two workspaces and an organisation of three, where people install a distributed
 * app.
 */
import { randomBytes } from 'node:crypto'
import type { Env } from '../../src/config.ts'
import type { Journal } from '../journal/journal.ts'
import { startPage, type PageOptions } from '../page-server/page-server.ts'
import { startGateway, type Gateway, type WorkspacePlan } from '../workspaces/gateway.ts'
import { serveWorkspaces } from '../workspaces/workspaces-page.ts'
import { SCOPES, startWorkspace } from './example-slack.ts'

const GLOBEX = { id: 'E0GLOBEX001', name: 'Globex' }

/** People of an organisation have one id in all of its workspaces. */
const PLANS: WorkspacePlan[] = [
  { name: 'Local', digits: { place: 0, person: 0 } },
  { name: 'Beacon', digits: { place: 1, person: 1 } },
  { name: 'Globex Sales', digits: { place: 2, person: 2 }, enterprise: GLOBEX },
  { name: 'Globex Ops', digits: { place: 3, person: 2 }, enterprise: GLOBEX },
  { name: 'Globex Lab', digits: { place: 4, person: 2 }, enterprise: GLOBEX },
]

/** An entry of the page's menu of workspaces. */
interface WorkspaceEntry {
  name: string
  url: string
}

interface ManyWorkspaces {
  gateway: Gateway
  /** Replaces the settings of one workspace. */
  settings: Env
  /** The entries of the menu. Empty until the pages are open. */
  entries: WorkspaceEntry[]
}

export async function playWorkspaces(
  journal: Journal,
  now: () => number,
  key: string | undefined,
): Promise<ManyWorkspaces> {
  const entries: WorkspaceEntry[] = []
  const gateway = await startGateway({
    ...{ plans: PLANS, scopes: SCOPES, now },
    startSlack: (base) => startWorkspace(journal, base),
    serve: (request, response, served) =>
      serveWorkspaces(request, response, served, { now, pageOf: (n) => entries[n]?.url ?? '/workspaces' }),
  })
  const { client, signingSecret, base } = gateway
  const settings = {
    ...{ SLACK_BOT_TOKEN: '', SLACK_APP_TOKEN: '', SLACK_API_URL: `${base}/api/`, SLACK_SIGNING_SECRET: signingSecret },
    ...{ SLACK_CLIENT_ID: client.id, SLACK_CLIENT_SECRET: client.secret, ALLOW_TEAMS: '*', PUBLIC_URL: base },
    SECRETS_KEY: key ?? randomBytes(32).toString('base64url'),
  }
  return { gateway, settings, entries }
}

interface OtherPagesOptions extends Pick<PageOptions, 'notes' | 'parts'> {
  /** The address of the first workspace's page. */
  first: string
}

/** Opens the pages of the other workspaces. @returns a function that closes them */
export async function openOtherPages(
  { gateway, entries }: ManyWorkspaces,
  { first, notes, parts = [] }: OtherPagesOptions,
): Promise<() => Promise<void>> {
  const others = gateway.workspaces.slice(1)
  const pages = await Promise.all(
    others.map(({ slack, name }) =>
      startPage(slack, { port: 0, notes: { ...notes, workspace: name, workspaces: entries }, parts }),
    ),
  )
  const urls = [first, ...pages.map(({ url }) => url)]
  entries.push(...gateway.workspaces.map(({ name, n }) => ({ name, url: urls[n] ?? '' })))
  entries.push({ name: 'Add or remove the app…', url: `${gateway.base}/workspaces` })
  return async () => void (await Promise.all(pages.map((page) => page.close())))
}

export function workspacesNote({ gateway }: ManyWorkspaces): string {
  return `Simulated: two workspaces, and an organisation of three. Install the app first: choose “Add or remove the app…” in the menu of workspaces at the top, or open ${gateway.base}/workspaces.`
}
