/** A scene for a picture of the README: its part of the page, and a person's actions there. */
import type { Locator, Page } from 'playwright-core'
import type { Playground } from '../../playground/main.ts'
import type { Ends } from '../harness/ends.ts'

export const QUESTION = 'What is the age of Frank Herbert raised to the 0.23 power?'

export interface Scene {
  /** The name of the picture's file, if it differs. */
  file?: string
  /** Shows the whole page instead of the result of `play`. */
  isWide?: boolean
  env?: Record<string, string>
  /** Starts what the bot needs, and returns its settings. */
  prepare?(t: Ends): Promise<Record<string, string>>
  paceMs?: number
  /** Shows only the end of a scrolling pane, with this height in points. */
  lastPoints?: number
  /** Does what a person would do. Returns what the picture shows. */
  play(page: Page, playground: Playground): Promise<Locator>
}

export async function write(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: /^Message/ })
  await box.fill(text)
  await box.press('Enter')
}

export async function ask(page: Page, question = QUESTION): Promise<void> {
  await write(page, `@thinkaloud ${question}`)
  await thread(page).waitFor()
}

export async function ended(page: Page, answers = 1): Promise<void> {
  const buttons = thread(page).getByRole('button', { name: 'Show work' })
  await buttons.nth(answers - 1).waitFor()
  // The status is gone at the same time.
  await page.locator('#thread-stop').waitFor({ state: 'hidden' })
}

export function thread(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Thread' })
}

export async function dialog(page: Page): Promise<Locator> {
  await page.getByRole('dialog').waitFor()
  return page.getByRole('dialog')
}

/** Opens the App Home of the person at the page. */
export async function home(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Close thread' }).click()
  await page.getByRole('button', { name: 'Channels' }).click()
  await page.getByRole('button', { name: 'Thinkaloud', exact: true }).click()
  await page.getByRole('button', { name: 'Home', exact: true }).click()
  await page.getByText('Your latest questions').waitFor()
  return page.locator('#home')
}
