import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { listen, readBody } from '../../playground/base/loopback-server.ts'
import type { PageNotes } from '../../playground/page-server/page-state.ts'
import { startPage, type PageOptions } from '../../playground/page-server/page-server.ts'
import type { LocalSlackOptions } from '../../playground/slack/slack.ts'
import { sharedChromium } from './chromium.ts'
import { localSlack } from './local-slack.ts'
import { callSlack } from './slack-calls.ts'

/** How a page looks. */
export interface Look {
  colorScheme?: 'light' | 'dark'
  viewport?: { width: number; height: number }
}

export interface OpenOptions extends Look {
  /** The rest of the address: `?as=bob#random`. */
  at?: string
  /** Called before the page is loaded. */
  before?: (page: Page) => Promise<unknown>
  /** The selector of an element that exists when the page is drawn. Default: the message box. */
  drawn?: string
}

/**
 * The playground's page in a browser. Any complaint of the browser fails the test, unless it is removed from
 * `complaints`.
 */
export interface OpenPage {
  page: Page
  box: ReturnType<Page['getByRole']>
  main: ReturnType<Page['getByRole']>
  thread: ReturnType<Page['getByRole']>
  reply: ReturnType<Page['getByRole']>
  complaints: string[]
  /** Returns axe's findings with their elements, inside the named ones if any. */
  axe(...within: string[]): Promise<string[]>
}

/** Opens pages that close with their test. Call it inside `describe`. */
export function pagesInChromium(): (url: string, options?: OpenOptions) => Promise<OpenPage> {
  return openPage
}

/**
 * One context for all pages of a worker, because creating one, with a process that draws it, costs more than loading a
 * page. It has no transitions, so that axe does not see one in the middle. An empty page stays in it: its process ends
 * with its last page, and starting another is expensive.
 */
let shared: Promise<BrowserContext> | undefined

async function newContext(): Promise<BrowserContext> {
  const browser = await sharedChromium()
  const permissions = ['clipboard-read', 'clipboard-write']
  const context = await browser.newContext({ reducedMotion: 'reduce', permissions, viewport: VIEWPORT })
  await context.newPage()
  return context
}

const VIEWPORT = { width: 1280, height: 900 }

/** Changes the page to a look. What it does not name is as at first: light, and as wide as a desktop. */
export async function setLook(page: Page, { colorScheme = 'light', viewport = VIEWPORT }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(viewport)
  // Pages hear of a change of their size with the next frame, before its callbacks.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}

/** Clears a page's data for the next test, because two servers may get the same port. */
async function closePages(context: BrowserContext): Promise<void> {
  for (const page of context.pages().slice(1)) {
    await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    await page.close()
  }
}

async function openPage(url: string, options: OpenOptions = {}): Promise<OpenPage> {
  const { at = '', before, drawn = '#message-box[aria-label]', ...look } = options
  shared ??= newContext()
  const context = await shared
  const page = await context.newPage()
  if (look.colorScheme || look.viewport) await setLook(page, look)
  const complaints: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => complaints.push(error.message))
  onTestFinished(async () => {
    await closePages(context)
    expect(complaints).toEqual([])
  })
  page.setDefaultTimeout(45_000)
  await before?.(page)
  await page.goto(`${url}/${at}`)
  await page.locator(drawn).first().waitFor({ state: 'attached' })
  return {
    page,
    box: page.getByRole('textbox', { name: /^Message/ }),
    main: page.getByRole('main'),
    thread: page.getByRole('complementary', { name: 'Thread' }),
    reply: page.getByRole('textbox', { name: 'Reply in thread' }),
    complaints,
    axe: (...within) => violations(page, within),
  }
}

/** Opens a panel by its button, which is behind another one on narrow pages. Returns its region, whatever its role. */
export async function openPanel(page: Page, title: string): Promise<ReturnType<Page['locator']>> {
  const button = page.getByRole('button', { name: title, exact: true, includeHidden: true })
  await button.waitFor({ state: 'attached' })
  const all = page.getByRole('button', { name: 'Panels' })
  if (await all.isVisible()) await all.click()
  await button.click()
  const panel = page.locator('#panel')
  await panel.waitFor()
  return panel
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Loads axe into a page once. Its text is half a megabyte, and `@axe-core/playwright` sends it for each check. */
async function violations(page: Page, within: string[]): Promise<string[]> {
  for (const frame of page.frames()) {
    if ((await frame.evaluate('typeof axe')) === 'undefined') await frame.evaluate(AXE)
  }
  const where = within.length > 0 ? `{ include: ${JSON.stringify(within.map((selector) => [selector]))} }` : 'document'
  const { violations: found } = await page.evaluate<AxeResults>(`axe.run(${where}, { resultTypes: ['violations'] })`)
  return found.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)
}

/**
 * Removes the browser's complaints about requests that were answered 400 from `complaints`. They may arrive after the
 * page has shown the result.
 */
export async function expectRefused(complaints: string[], times: number): Promise<void> {
  const refused = 'Failed to load resource: the server responded with a status of 400 (Bad Request)'
  await expect.poll(() => complaints).toEqual(Array.from({ length: times }, () => refused))
  complaints.splice(0)
}

export const NOTES: PageNotes = {
  model: 'none',
  isDemo: false,
  notes: [],
  examples: [{ message: 'Why?' }],
  shortcuts: [{ callback_id: 'about', name: 'Ask about this message' }],
}

/** Serves a page for a local Slack, with an app that records deliveries and answers interactions with `ack`. */
export async function servedPage(
  options: LocalSlackOptions & { ack?: (type: string) => object; parts?: PageOptions['parts'] } = {},
) {
  const { ack = () => ({}), parts = [], ...rest } = options
  const slack = await localSlack({ agent: true, echo: false, ackMs: 30_000, ...rest })
  const came: Record<string, unknown>[] = []
  const app = await listen((request, response) => {
    void readBody(request).then((body) => {
      const form = new URLSearchParams(body).get('payload')
      const read = JSON.parse(form ?? (body.startsWith('{') ? body : '{}')) as Record<string, Record<string, unknown>>
      came.push(read['event'] ?? read)
      response.end(form === null ? '' : JSON.stringify(ack(String(read['type']))))
    })
  })
  onTestFinished(app.close)
  slack.setTarget(app.base)
  const served = await startPage(slack, { port: 0, notes: NOTES, parts })
  onTestFinished(served.close)
  const call = (method: string, args: object) => callSlack(slack, method, { ...args })
  return { slack, url: served.url, came, call }
}
