/** Pictures of the playground's panels: the inspector, fault injection, and two people at once. */
import type { FrameLocator, Locator, Page } from 'playwright-core'
import type { Playground } from '../../playground/main.ts'
import { ask, ended, thread, type Scene } from './page-scene.ts'

async function openPanel(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

/** Shows a tool call among the exchanges of its thread. */
async function underTheHood(page: Page): Promise<Locator> {
  await ask(page, 'What is 29 to the power 0.23?')
  await ended(page)
  await page.setViewportSize({ width: 1300, height: 1180 })
  await openPanel(page, 'Under the hood')
  await page.getByRole('checkbox', { name: 'This thread' }).check()
  const rows = page.getByRole('grid', { name: 'Recorded traffic' }).locator('.inspector-rows [role=row]')
  await rows.filter({ hasText: 'calculator' }).first().click()
  await page.getByRole('region', { name: 'Entry' }).getByText('Copy as curl').waitFor()
  return page.locator('#panel')
}

/** Turns the model off, and shows what the asker reads. */
async function modelDown(page: Page): Promise<Locator> {
  await openPanel(page, 'Trouble')
  await page.getByRole('switch', { name: 'Model down' }).click()
  await ask(page, 'Who wrote Dune?')
  await thread(page)
    .getByText(/Reference/)
    .waitFor()
  await page.getByRole('switch', { name: 'Model down' }).scrollIntoViewIfNeeded()
  return page.locator('body')
}

/** Bob presses a button of Alice's question, and gets an ephemeral refusal. */
async function sideBySide(page: Page, { url }: Playground): Promise<Locator> {
  await page.goto(`${url}/?as=alice&with=bob#general`)
  const [alice, bob] = ['Alice', 'Bob'].map((name) => page.frameLocator(`iframe[title^="${name}"]`)) as [
    FrameLocator,
    FrameLocator,
  ]
  const box = alice.getByRole('textbox', { name: /^Message/ })
  await box.fill('@thinkaloud Note down: buy milk')
  await box.press('Enter')
  await alice.getByRole('button', { name: 'Once' }).waitFor()
  await bob.getByRole('button', { name: 'Once' }).click()
  await bob.getByText('Only visible to you').first().waitFor()
  return page.locator('body')
}

export const PANEL_SCENES: Record<string, Scene> = {
  'under-the-hood': { isWide: true, play: underTheHood },
  trouble: { isWide: true, play: modelDown },
  'side-by-side': { isWide: true, play: sideBySide },
}
