/**
 * `npm run pictures [-- NAME …]`: makes README's pictures anew, of the playground's page in Chromium with the real bot and the demo
 * model: all of them, or those that are named. Needs a font with emoji (Debian: fonts-noto-color-emoji). Look at each before it is
 * committed.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { startPlayground } from '../../src/playground/playground-main.ts'
import { ROOT } from '../../src/package-root.ts'
import { launchChromium } from '../harness/chromium.ts'
import { smallPng } from './small-png.ts'

const FOLDER = join(ROOT, 'src/playground')
const QUESTION = 'What is the age of Frank Herbert raised to the 0.23 power?'
/** Slow enough for a picture between two words, on a busy machine too. */
const SLOW_MS = 300
/** A page that is narrow enough shows the thread alone. 640 points are 800 pixels. */
const NARROW = { viewport: { width: 640, height: 900 }, deviceScaleFactor: 1.25 }
const WIDE = { viewport: { width: 1100, height: 860 }, deviceScaleFactor: 1.25 }
const LOWEST = 300
const HIGHEST = 1300

interface Scene {
  /** The picture's own file, where it has one. */
  file?: string
  /** The whole page, and not what `play` says. */
  isWide?: boolean
  env?: Record<string, string>
  paceMs?: number
  /** Does what a person would do, and says what is in the picture. */
  play(page: Page): Promise<Locator>
}

const SCENES: Record<string, Scene> = {
  playground: {
    file: 'page/screenshot.png',
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
  'app-home': {
    env: { LIMIT_USER_HOUR: '20', BUDGET_USER_DAY_TOKENS: '200000' },
    async play(page) {
      await ask(page)
      await ended(page)
      await page.getByRole('button', { name: 'Close thread' }).click()
      await page.getByRole('button', { name: 'Channels' }).click()
      await page.getByRole('button', { name: 'Thinkaloud', exact: true }).click()
      await page.getByRole('button', { name: 'Home', exact: true }).click()
      await page.getByText('What you asked last').waitFor()
      return page.locator('#home')
    },
  },
}

async function write(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: /^Message/ })
  await box.fill(text)
  await box.press('Enter')
}

async function ask(page: Page, question = QUESTION): Promise<void> {
  await write(page, `@thinkaloud ${question}`)
  await thread(page).waitFor()
}

async function ended(page: Page, answers = 1): Promise<void> {
  const buttons = thread(page).getByRole('button', { name: 'Show work' })
  await buttons.nth(answers - 1).waitFor()
  // By then the status is gone too.
  await page.locator('#thread-stop').waitFor({ state: 'hidden' })
}

function thread(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Thread' })
}

async function dialog(page: Page): Promise<Locator> {
  await page.getByRole('dialog').waitFor()
  return page.getByRole('dialog')
}

/** Makes the page as high as what is in it, so that nothing is scrolled and nothing is empty. */
async function fit(page: Page): Promise<void> {
  const width = NARROW.viewport.width
  await page.setViewportSize({ width, height: LOWEST })
  const hidden = await page
    .locator('#thread-scroller:visible, #home:visible')
    .evaluateAll((panes) => panes.map((pane) => pane.scrollHeight - pane.clientHeight))
  await page.setViewportSize({ width, height: Math.min(HIGHEST, LOWEST + Math.max(0, ...hidden)) })
}

async function take(browser: Browser, name: string, scene: Scene): Promise<void> {
  const { env = {}, paceMs, isWide = false, play, file = `pictures/${name}.png` } = scene
  const playground = await startPlayground({ PLAYGROUND_PORT: '0', ...env }, paceMs === undefined ? {} : { paceMs })
  const context = await browser.newContext(isWide ? WIDE : NARROW)
  try {
    const page = await context.newPage()
    await page.goto(playground.url)
    const seen = await play(page)
    if (!isWide && !(await page.getByRole('dialog').isVisible())) await fit(page)
    const png = smallPng(await seen.screenshot({ animations: 'disabled' }))
    await writeFile(join(FOLDER, file), png)
    console.log(`${file} ${Math.ceil(png.length / 1024)} kB`)
  } finally {
    await context.close()
    await playground.stop()
  }
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
