/**
 * `npm run pictures [-- NAME …]`: takes README's pictures, all or the named ones, in light and dark: of the
 * playground's page in Chromium, with the real bot and the demo model. Needs a font with emoji (Debian:
 * fonts-noto-color-emoji). Look at each one before you commit it.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { startPlayground } from '../../playground/main.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { launchChromium } from '../harness/chromium.ts'
import { FILE_SCENES } from './file-scenes.ts'
import { MCP_SCENES } from './mcp-scenes.ts'
import { PANEL_SCENES } from './panel-scenes.ts'
import { ask, dialog, ended, home, thread, write, type Scene } from './page-scene.ts'
import { RUN_SCENES } from './run-scenes.ts'
import { SHOWN_SCENES } from './shown-scenes.ts'
import { smallPng } from './small-png.ts'

const FOLDER = join(ROOT, 'docs/pictures')
/** Slow enough for a picture between two words, even on a busy machine. */
const SLOW_MS = 300
/** A page that is narrow enough to show only the thread. 640 points are 800 pixels. */
const NARROW = { viewport: { width: 640, height: 900 }, deviceScaleFactor: 1.25 }
const WIDE = { viewport: { width: 1300, height: 820 }, deviceScaleFactor: 1.25 }
const LOWEST = 300
const HIGHEST = 1450

const SCENES: Record<string, Scene> = {
  playground: {
    file: 'screenshot.png',
    isWide: true,
    async play(page) {
      await ask(page, 'Who wrote Dune?')
      await ended(page)
      const box = page.getByRole('textbox', { name: 'Reply in thread' })
      await box.fill('and how old was he?')
      await box.press('Enter')
      await ended(page, 2)
      return page.locator('body')
    },
  },
  replies: { play: async (page) => (await ask(page), await ended(page), thread(page)) },
  'card-at-work': {
    env: { STEPS: 'card' },
    paceMs: SLOW_MS,
    play: async (page) => (await ask(page), await page.getByText('1 of 2').waitFor(), thread(page)),
  },
  'card-folded': { env: { STEPS: 'card' }, play: async (page) => (await ask(page), await ended(page), thread(page)) },
  stream: {
    env: { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' },
    paceMs: SLOW_MS,
    play: async (page) => (await ask(page), await page.getByText(/lived to/).waitFor(), thread(page)),
  },
  hidden: { env: { STEPS: 'hidden' }, play: async (page) => (await ask(page), await ended(page), thread(page)) },
  'show-work': {
    env: { STEPS: 'card' },
    async play(page) {
      await ask(page)
      await ended(page)
      await page.getByRole('button', { name: 'Show work' }).click()
      return dialog(page)
    },
  },
  'ask-settings': {
    async play(page) {
      await write(page, '/ask settings')
      return dialog(page)
    },
  },
  'schedule-card': {
    isWide: true,
    async play(page) {
      await write(page, '/ask every Monday at 9 What did I miss in #general since last run?')
      await page.getByText('not saved yet').waitFor()
      return page.locator('body')
    },
  },
  'app-home': {
    env: { LIMIT_USER_HOUR: '20', BUDGET_USER_DAY_TOKENS: '200000', TOOLS: 'calculator,wikipedia,make_file' },
    async play(page) {
      await ask(page)
      await ended(page)
      return home(page)
    },
  },
  ...FILE_SCENES,
  ...MCP_SCENES,
  ...RUN_SCENES,
  ...PANEL_SCENES,
  ...SHOWN_SCENES,
}

/** Makes the page as high as its content, so that nothing is empty or scrolled unless the scene wants it. */
async function fit(page: Page, { lastPoints = HIGHEST }: Scene): Promise<void> {
  const width = NARROW.viewport.width
  await page.setViewportSize({ width, height: LOWEST })
  const panes = page.locator('#thread-scroller:visible, #home:visible')
  const hidden = await panes.evaluateAll((all) => all.map((pane) => pane.scrollHeight - pane.clientHeight))
  await page.setViewportSize({ width, height: Math.min(lastPoints, LOWEST + Math.max(0, ...hidden)) })
  if (lastPoints < HIGHEST) await panes.evaluateAll((all) => all.forEach((pane) => pane.scrollTo(0, pane.scrollHeight)))
}

async function take(browser: Browser, name: string, scene: Scene): Promise<void> {
  const { env = {}, paceMs, isWide = false, play, prepare, file = `${name}.png` } = scene
  const ends: (() => Promise<void> | void)[] = []
  try {
    const prepared = await prepare?.({ onTestFinished: (end) => void ends.push(end) })
    const settings = { PLAYGROUND_PORT: '0', ...env, ...prepared }
    const playground = await startPlayground(settings, paceMs === undefined ? {} : { paceMs })
    ends.push(() => playground.stop())
    const context = await browser.newContext(isWide ? WIDE : NARROW)
    ends.push(() => context.close())
    const page = await context.newPage()
    await page.goto(playground.url)
    const seen = await play(page, playground)
    // Buttons that appear on hover would hide a part of the message.
    await page.mouse.move(0, 0)
    if (!isWide && !(await page.getByRole('dialog').isVisible())) await fit(page, scene)
    await save(seen, file)
    await page.emulateMedia({ colorScheme: 'dark' })
    await save(seen, file.replace('.png', '-dark.png'))
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

async function save(seen: Locator, file: string): Promise<void> {
  const png = smallPng(await seen.screenshot({ animations: 'disabled' }))
  await writeFile(join(FOLDER, file), png)
  console.log(`${file} ${Math.ceil(png.length / 1024)} kB`)
}

async function main(names: string[]): Promise<void> {
  const unknown = names.filter((name) => !(name in SCENES))
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: there are ${Object.keys(SCENES).join(', ')}.`)
  const browser = await launchChromium()
  try {
    for (const [name, scene] of Object.entries(SCENES))
      if (names.length === 0 || names.includes(name)) await take(browser, name, scene)
  } finally {
    await browser.close()
  }
}

await main(process.argv.slice(2))
