/** The panel of fault switches: one person changes them, all see them, and the server keeps them. */
import { expect, onTestFinished, test } from 'vitest'
import { playgroundFaults } from '../../playground/faults/playground-faults.ts'
import { startPage } from '../../playground/page-server/page-server.ts'
import { takeable } from '../../playground/faults/slack-faults.ts'
import { faultsPart } from '../../playground/faults/faults-part.ts'
import { SWITCHES } from '../../playground/faults/switch-list.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { localSlack } from '../harness/local-slack.ts'
import {
  expectRefused,
  NOTES,
  openPanel,
  pagesInChromium,
  setLook,
  type Look,
  type OpenOptions,
} from '../harness/open-page.ts'

const LOOKS: Look[] = [{}, { colorScheme: 'dark' }, { viewport: { width: 320, height: 640 } }]
const NO_REDIS = 'Start the playground with --redis.'

async function served() {
  const slack = await localSlack({ ackMs: 20, retryMs: [] })
  const { faultSwitches, sockets } = slack
  let cuts = 0
  const once = { socketCut: () => (sockets.cut(), void (cuts += 1)) }
  const part = faultsPart({ faultSwitches, scopes: takeable(), missing: { redisGone: NO_REDIS }, once })
  const page = await startPage(slack, { port: 0, notes: NOTES, parts: [part] })
  onTestFinished(page.close)
  const post = (path: string, body: object) =>
    fetch(`${page.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return { slack, faultSwitches, url: page.url, post, cuts: () => cuts }
}

test('an invalid change gets a message, and no switch changes', async () => {
  const { post, faultSwitches } = await served()
  const refused = async (body: object) => {
    const response = await post('/faults', body)
    return [response.status, ((await response.json()) as { error: string }).error]
  }
  expect(await refused({ name: 'weather', on: true })).toEqual([400, 'There is no switch weather.'])
  expect(await refused({ name: 'constructor', on: true })).toEqual([400, 'There is no switch constructor.'])
  expect(await refused({ name: 'redisGone', on: true })).toEqual([400, NO_REDIS])
  expect(await refused({ name: 'slow', value: 1e9 })).toEqual([
    400,
    'Slow Slack: it should be a whole number from 1 to 30.',
  ])
  expect(await refused({ name: 'scope', value: 'admin' })).toEqual([
    400,
    expect.stringContaining('one of app_mentions:read'),
  ])
  expect(faultSwitches.states().filter(({ isOn }) => isOn)).toEqual([])
})

test('a switch affects the playground’s parts, and says how to start a missing part', async () => {
  const slack = await localSlack()
  const did: string[] = []
  const notes = { change: () => void did.push('change'), restore: () => void did.push('restore') }
  const joined = playgroundFaults(slack, { scopes: ['chat:write'], notes })
  const told = JSON.stringify(await joined.gets?.['/faults']?.(new URLSearchParams(), ''))
  expect(told).toContain('npm run playground -- --redis')
  expect(told).not.toContain('MCP_CONFIG')
  await joined.posts?.['/faults']?.({ name: 'mcpChanged', on: true }, '')
  slack.faultSwitches.clear()
  expect(did).toEqual(['change', 'restore'])
  const alone = playgroundFaults(slack, { scopes: [] })
  expect(() => alone.posts?.['/faults']?.({ name: 'mcpChanged', on: true }, '')).toThrow('MCP_CONFIG names others')
})

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()

  async function open(url: string, options: OpenOptions = {}) {
    const { page, axe, complaints } = await openPage(url, options)
    const panel = page.locator('#panel')
    const toggle = (name: string) => panel.getByRole('switch', { name, exact: true })
    const show = async (title = 'Trouble') => {
      await openPanel(page, title)
      await toggle('Slow Slack').waitFor()
    }
    return { page, panel, toggle, show, axe, complaints }
  }

  test('a switch is changed by keyboard, shown on all open pages, and kept after a reload', async () => {
    const { url, faultSwitches } = await served()
    const [alice, bob] = [await open(url), await open(url, { at: '?as=bob' })]
    await alice.show()
    await expect.poll(() => alice.panel.getByRole('switch').count()).toBe(SWITCHES.length)
    await expect.poll(() => alice.toggle('Slow Slack').getAttribute('aria-checked')).toBe('false')
    await alice.toggle('Slow Slack').press('Space')
    await alice.panel.locator('#fault-slow[aria-checked="true"]').waitFor()
    expect(faultSwitches.number('slow')).toBe(2)
    await bob.page.getByRole('button', { name: 'Trouble: 1 on' }).waitFor()
    await bob.show('Trouble: 1 on')
    await expect.poll(() => bob.toggle('Slow Slack').getAttribute('aria-checked')).toBe('true')
    await bob.panel.getByRole('spinbutton', { name: 'Slow Slack: Each call (s)' }).fill('7')
    await bob.page.keyboard.press('Tab')
    await expect.poll(() => faultSwitches.number('slow')).toBe(7)
    await expect.poll(() => alice.panel.getByRole('spinbutton', { name: /^Slow Slack/ }).inputValue()).toBe('7')
    await alice.page.reload()
    await alice.page.getByRole('button', { name: 'Trouble: 1 on' }).waitFor()
    await bob.panel.getByRole('button', { name: 'Turn everything off' }).click()
    await alice.page.getByRole('button', { name: 'Trouble', exact: true }).waitFor()
    expect(faultSwitches.isOn('slow')).toBe(false)
    await expect.poll(() => bob.panel.getByRole('button', { name: 'Turn everything off' }).isDisabled()).toBe(true)
  })

  test('a scope is chosen, a socket is cut once, and a missing part says how to start it; axe finds nothing', async () => {
    const { url, faultSwitches, cuts } = await served()
    const { page, panel, toggle, show, axe, complaints } = await open(url)
    await show()
    await panel.getByRole('combobox', { name: 'A scope taken away: Scope' }).selectOption('files:read')
    await toggle('A scope taken away').click()
    await expect.poll(() => faultSwitches.choice('scope')).toBe('files:read')
    await panel.getByRole('button', { name: 'Cut once' }).click()
    await expect.poll(cuts).toBe(1)
    await expect.poll(() => toggle('Redis gone').isDisabled()).toBe(true)
    await expect.poll(() => panel.getByText(NO_REDIS).isVisible()).toBe(true)
    const number = panel.getByRole('spinbutton', { name: /^Slow Slack/ })
    await number.fill('99')
    await number.press('Enter')
    await panel.getByText('Slow Slack: it should be a whole number from 1 to 30.').waitFor()
    await expect.poll(() => number.inputValue()).toBe('2')
    await expectRefused(complaints, 1)
    const isWide = 'document.getElementById("panel-box").scrollWidth > document.getElementById("panel-box").clientWidth'
    for (const look of LOOKS) {
      await setLook(page, look)
      await expect.poll(() => page.evaluate(isWide)).toBe(false)
      expect(await axe('.top', '#panel'), JSON.stringify(look)).toEqual([])
    }
  })
})
