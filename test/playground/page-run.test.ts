/** The panel "Run" beside the thread: opened by presses there, updated live, with each way to show a run. */
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Env } from '../../src/config.ts'
import { parseJson } from '../../src/base/parse-json.ts'
import { startPlayground } from '../../playground/main.ts'
import { asRunTrace } from '../../src/stores/runs/run-trace.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { openPanel, pagesInChromium, setLook, type Look } from '../harness/open-page.ts'
import { act, finish, playModel } from '../harness/played-model.ts'
import { deferred } from '../harness/stores.ts'

const WIDE = { width: 1440, height: 900 }
const LOOKS: Look[] = [
  { viewport: WIDE },
  { viewport: WIDE, colorScheme: 'dark' },
  { viewport: { width: 390, height: 780 } },
]
const QUESTION = '@thinkaloud What is 29 to the power 0.23, and half of it?'

describeWithChromium('the panel Run', () => {
  const openPage = pagesInChromium()

  /** Starts the playground, and asks a question. */
  async function open(env: Env = {}) {
    const playground = await startPlayground({ PATH: process.env.PATH, PLAYGROUND_PORT: '0', ...env }, { paceMs: 0 })
    onTestFinished(() => playground.stop())
    const { page, box, thread, axe: axeOn, complaints: faults } = await openPage(playground.url, { viewport: WIDE })
    await box.fill(QUESTION)
    await box.press('Enter')
    const panel = page.locator('#panel')
    const part = panel.getByRole('region', { name: 'Opened part' })
    const opened = async () => (await part.getByRole('heading').first().innerText()).trim()
    const answered = () => thread.getByRole('button', { name: 'Show work' }).waitFor()
    const axe = () => axeOn('#panel')
    return { page, box, thread, panel, part, opened, answered, axe, faults }
  }

  test('a run opens at the step or the answer that is pressed, in every look, also by keyboard alone, and is exported', async () => {
    const { page, thread, panel, part, opened, answered, axe } = await open()
    await answered()
    const step = thread.getByRole('listitem').filter({ hasText: 'Calculator' })
    await step.nth(1).getByText('Calculator', { exact: true }).click()
    await panel.getByText('answered', { exact: true }).first().waitFor()
    await expect.poll(() => opened()).toMatch(/^calculator: step 2/)
    await step.first().getByText('Calculator', { exact: true }).click()
    await part.getByRole('heading', { name: 'calculator: step 1' }).waitFor()
    await thread
      .getByText(/^2\.1[67]/)
      .last()
      .click()
    await part.getByRole('heading', { name: 'Answer', exact: true }).waitFor()
    const flow = panel.getByRole('list', { name: 'Flow of the run' })
    await expect.poll(() => flow.getByRole('button', { pressed: true }).count()).toBe(1)
    for (const look of LOOKS) {
      await setLook(page, look)
      expect(await axe(), JSON.stringify(look)).toEqual([])
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    }
    await setLook(page, { viewport: WIDE })
    // By keyboard alone, through its boxes.
    await page.getByRole('button', { name: 'Close panel' }).press('Enter')
    await panel.waitFor({ state: 'hidden' })
    await thread.getByRole('button', { name: 'Show the run' }).first().press('Enter')
    await part.getByRole('heading', { name: 'calculator: step 1' }).waitFor()
    await panel.getByRole('button', { name: /^Question/ }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await part.getByRole('heading', { name: /^Thought 1/ }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('link', { name: 'Export as JSON' }).press('Enter'),
    ])
    expect(download.suggestedFilename()).toMatch(/^run-[\w.-]+\.json$/)
    const { trace, wrong } = asRunTrace(parseJson(await readFile(await download.path(), 'utf8')))
    expect(wrong).toBeUndefined()
    expect(trace).toMatchObject({ end: 'answered', dialect: 'text' })
    await page.getByRole('button', { name: 'Close panel' }).press('Enter')
    await panel.waitFor({ state: 'hidden' })
  })

  test('Show work opens only the modal, with a link to the run; a private run opens from it and from its answer', async () => {
    const { page, box, thread, panel, part, answered, faults } = await open()
    await answered()
    const dialog = page.getByRole('dialog')
    await thread.getByRole('button', { name: 'Show work' }).click()
    await dialog.getByText('Step 1', { exact: false }).first().waitFor()
    await dialog.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await panel.isVisible()).toBe(false)
    await thread.getByRole('button', { name: 'Show work' }).click()
    await dialog.getByRole('button', { name: 'Open the run' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await panel.getByText('answered', { exact: true }).first().waitFor()
    await panel.getByText('What the colours mean').click()
    await panel.getByText('what the tool gave back').waitFor()
    await page.getByRole('button', { name: 'Close panel' }).click()
    await box.fill('/ask help')
    await box.press('Enter')
    await page.getByText('I answer questions').waitFor()
    await box.fill('/ask private: What is 7*6?')
    await box.press('Enter')
    await page.getByText('Only you see this answer.').waitFor()
    await page.getByText('I answer questions').click()
    await expect.poll(() => panel.isVisible()).toBe(false)
    await page.getByText('7*6 = 42').last().click()
    await part.getByRole('heading', { name: 'Answer', exact: true }).waitFor()
    await expect.poll(() => panel.getByRole('combobox', { name: 'Run' }).innerText()).toContain('What is 7*6?')
    await page.getByRole('button', { name: 'Close panel' }).click()
    await page.getByRole('main').getByRole('button', { name: 'Show work' }).last().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Open the run' }).click()
    await part.getByRole('heading', { name: 'Answer', exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  const WAYS: [string, Env, RegExp][] = [
    ['card', { STEPS: 'card' }, /^🔧 2\. Calculator/u],
    ['stream', { STEPS: 'stream', STEPS_STREAM_CHANNELS: 'true' }, /^Calculator: 2\.169/],
    ['hidden', { STEPS: 'hidden' }, /^never/],
  ]
  test.each(WAYS)('a run shown as %s opens too, at its answer and at a step', async (way, env, step) => {
    const { thread, panel, part, answered } = await open(env)
    await answered()
    await thread
      .getByText(/^2\.1[67]/)
      .last()
      .click()
    await part.getByRole('heading', { name: 'Answer', exact: true }).waitFor()
    await expect
      .poll(() => panel.getByRole('list', { name: 'Timings' }).getByRole('listitem').count())
      .toBeGreaterThan(4)
    if (way === 'hidden') return
    if (way === 'card')
      await thread
        .getByText(/^2 steps/)
        .first()
        .click()
    await thread.getByText(step).first().click()
    await part.getByRole('heading', { name: 'calculator: step 2' }).waitFor()
  })

  test('a run grows in the panel while it continues, and the open part and the focus stay', async () => {
    const rest = deferred()
    const model = await playModel({ onTestFinished })
    model.decide('29', async (_, n) => {
      if (n === 0) return act('I reckon.', 'calculator', '29^0.23')
      await rest.promise
      return n === 1 ? act('And half of it.', 'calculator', '2.169 / 2') : finish('2.169 and 1.085.')
    })
    const { page, panel, part, answered } = await open({
      ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test', OPENAI_MODEL: 'played' },
    })
    await openPanel(page, 'Run')
    await panel.getByText('under way', { exact: true }).waitFor()
    const first = panel.getByRole('list', { name: 'Flow of the run' }).getByRole('button', { name: /^Thought 1/ })
    await first.press('Enter')
    const timings = panel.getByRole('list', { name: 'Timings' }).getByRole('listitem')
    const before = await timings.count()
    rest.resolve()
    await answered()
    await panel.getByText('answered', { exact: true }).first().waitFor()
    await expect.poll(() => timings.count()).toBeGreaterThan(before)
    await part.getByRole('heading', { name: /^Thought 1/ }).waitFor()
    await expect.poll(() => page.locator(':focus').innerText()).toMatch(/^Thought 1/)
  })
})
