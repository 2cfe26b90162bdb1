/** Several people at the page: what each of them sees, one after the other and two side by side. */
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlayground, type Playground } from '../../playground/main.ts'
import { ALICE, BOB, GENERAL, RANDOM, TEAM } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { pagesInChromium, setLook, type Look, type OpenOptions } from '../harness/open-page.ts'
import { act, finish, playModel } from '../harness/played-model.ts'
import { callSlack } from '../harness/slack-calls.ts'

describeWithChromium('people at the page', () => {
  let playground: Playground
  beforeAll(async () => {
    playground = await startPlayground({ PLAYGROUND_PORT: '0' })
  })
  afterAll(() => playground.stop())
  const openPage = pagesInChromium()

  /** Opens the page of one person, or of two side by side. */
  const open = async (at: string, options?: OpenOptions & { on?: Playground }) => (await opened(at, options)).page
  function opened(at: string, { on = playground, ...options }: OpenOptions & { on?: Playground } = {}) {
    return openPage(on.url, { at, drawn: '#message-box[aria-label], iframe', ...options })
  }

  const sideOf = (page: Page, name: string) => page.frameLocator(`iframe[title^="${name}"]`)
  const messageBox = (at: Page | FrameLocator) => at.getByRole('textbox', { name: /^Message/ })
  const thread = (at: Page | FrameLocator) => at.getByRole('complementary', { name: 'Thread' })
  const main = (at: FrameLocator) => at.getByRole('main')
  const switchOf = (at: Page | FrameLocator) => at.getByRole('button', { name: /^Act as/ })
  const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

  async function channels(at: Page | FrameLocator): Promise<string[]> {
    await messageBox(at).waitFor({ state: 'attached' })
    const items = await at.locator('#sidebar button').all()
    const names = await Promise.all(items.map((item) => item.getAttribute('aria-label')))
    return names.map((name) => String(name).replace(', unread', ''))
  }

  async function say(at: Page | FrameLocator, text: string) {
    await messageBox(at).fill(text)
    await messageBox(at).press('Enter')
  }

  const ALICES = ['general', 'random', 'launch, private', 'acme, with another company', 'Thinkaloud']
  const BOBS = ['general', 'random', 'acme, with another company', 'Thinkaloud']
  const DAVES = ['random', 'launch, private', 'Thinkaloud']

  test('the menu closes on Escape and a press elsewhere; by keyboard alone it switches to another person’s channels', async () => {
    const page = await open('#random')
    const menu = page.getByRole('menu', { name: 'Act as' })
    await switchOf(page).click()
    await page.locator('[role=menuitemradio]:focus').waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    await expect
      .poll(() => switchOf(page).evaluate('document.activeElement.getAttribute("aria-expanded")'))
      .toBe('false')
    await switchOf(page).click()
    await messageBox(page).click()
    await menu.waitFor({ state: 'hidden' })
    await switchOf(page).press('Enter')
    await expect.poll(() => page.getByRole('menuitemradio', { checked: true }).innerText()).toMatch(/Alice\s+a member/)
    await page.locator('[role=menuitemradio]:focus').waitFor()
    await expect.poll(() => channels(page)).toEqual(ALICES)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Act as: Bob, a member of the workspace' }).waitFor()
    await expect.poll(() => channels(page)).toEqual(BOBS)
    await page.reload()
    await say(page, 'I am Bob now')
    await page.getByRole('main').getByText('I am Bob now').waitFor()
    expect(playground.slack.messages(RANDOM).at(-1)).toMatchObject({ user: BOB, text: 'I am Bob now' })
    await page.goBack()
    await page.getByRole('button', { name: /^Act as: Alice/ }).waitFor()
    await expect.poll(() => new URL(page.url()).hash).toBe('#random')
  })

  test('a guest and a person of another company are marked, see few channels, and read that they may not ask', async () => {
    const page = await open('?as=dave&with=erin#random|acme')
    const [dave, erin] = [sideOf(page, 'Dave'), sideOf(page, 'Erin')]
    await expect.poll(() => channels(dave)).toEqual(DAVES)
    await expect.poll(() => channels(erin)).toEqual(['acme, with another company'])
    await say(dave, '@thinkaloud What is 6*7?')
    await dave.getByText('I do not take questions from guests').waitFor()
    await messageBox(erin).fill('/a')
    await expect.poll(() => erin.getByRole('option').count()).toBe(0)
    await say(erin, '@thinkaloud What is 6*7?')
    await erin.getByText('people in my own workspace').waitFor()
    await say(erin, '/ask What is 6*7?')
    await erin.getByText('/ask is not a valid command.').waitFor()
    const carols = await open('?as=carol#acme')
    await playground.slack.say({ channel: 'C0ACME00001', user: 'U0ERIN00001', text: 'from afar' })
    const item = carols.getByRole('main').getByRole('listitem').filter({ hasText: 'from afar' })
    await item.getByTitle('of Acme: sees only channels shared by Slack Connect').waitFor()
    await expect.poll(() => carols.getByText('Only visible to you').count()).toBe(0)
    await messageBox(carols).fill('@da')
    await carols.getByRole('option', { name: /@dave Dave, a guest/ }).waitFor()
    await carols.getByRole('button', { name: 'random' }).click()
    await carols.getByRole('main').getByText('What is 6*7?').waitFor()
    await expect.poll(() => carols.getByText('Only visible to you').count()).toBe(0)
  })

  test('each person has their own unread marks, which a reload keeps', async () => {
    const bobs = await open('?as=bob#general')
    const carols = await open('?as=carol#general')
    for (const page of [bobs, carols]) await messageBox(page).waitFor()
    await playground.slack.say({ channel: RANDOM, user: ALICE, text: 'anybody here?' })
    const unread = (page: Page) => page.getByRole('button', { name: 'random, unread' })
    await unread(bobs).waitFor()
    await bobs.reload()
    await unread(bobs).click()
    await bobs.getByText('anybody here?').waitFor()
    await bobs.getByRole('button', { name: 'general' }).click()
    await bobs.reload()
    await bobs.getByRole('button', { name: 'random', exact: true }).waitFor()
    await unread(carols).waitFor()
  })

  test('two people side by side are chosen at the page, each with their own place and focus; one side can switch', async () => {
    const page = await open('?as=alice#general')
    await page.getByRole('button', { name: 'Side by side' }).click()
    await page.getByRole('menuitem', { name: /Bob/ }).click()
    const [alice, bob] = [sideOf(page, 'Alice'), sideOf(page, 'Bob')]
    await messageBox(bob).waitFor()
    await expect.poll(() => page.title()).toBe('Alice and Bob – Thinkaloud playground')
    await bob.getByRole('button', { name: 'Channels' }).click()
    await bob.getByRole('button', { name: 'acme, with another company' }).click()
    await messageBox(alice).fill('half a sentence')
    await say(bob, 'only in acme')
    await bob.getByText('only in acme').waitFor()
    await expect.poll(() => messageBox(alice).inputValue()).toBe('half a sentence')
    await expect.poll(() => new URL(page.url()).hash).toBe('#general|acme')
    await page.reload()
    await bob.getByText('only in acme').waitFor()
    await expect.poll(() => messageBox(alice).getAttribute('aria-label')).toBe('Message #general')
    // To a third person and back.
    await messageBox(alice).fill('half a sentence')
    await switchOf(bob).click()
    await bob.getByRole('menuitemradio', { name: /Dave/ }).click()
    await expect.poll(() => channels(sideOf(page, 'Dave'))).toEqual(DAVES)
    await expect.poll(() => query(page)).toEqual({ as: 'alice', with: 'dave' })
    await expect.poll(() => messageBox(alice).inputValue()).toBe('half a sentence')
    await page.goBack()
    await messageBox(bob).waitFor()
    await expect.poll(() => messageBox(alice).inputValue()).toBe('half a sentence')
    await page.getByRole('button', { name: 'Close side by side' }).click()
    await page.getByRole('button', { name: /^Act as: Alice/ }).waitFor()
    await expect.poll(() => [query(page), new URL(page.url()).hash]).toEqual([{ as: 'alice' }, '#general'])
  })

  test('a channel’s stream is live only for its recipient; a private answer, a form and a Home are on one side', async () => {
    const page = await open('?as=alice&with=bob#general')
    const [alice, bob] = [sideOf(page, 'Alice'), sideOf(page, 'Bob')]
    for (const side of [alice, bob]) await messageBox(side).waitFor()
    const call = (method: string, args: object) => callSlack(playground.slack, method, { channel: GENERAL, ...args })
    const whom = { recipient_user_id: ALICE, recipient_team_id: TEAM }
    const { ts } = await call('chat.startStream', { ...whom, markdown_text: 'It begins' })
    await main(bob).getByText('It begins').waitFor()
    await call('chat.appendStream', { ts, markdown_text: ' and goes on' })
    await main(alice).getByText('It begins and goes on').waitFor()
    // For the other person later messages appear, but nothing more of the stream.
    await playground.slack.say({ user: ALICE, text: 'meanwhile' })
    await main(bob).getByText('meanwhile').waitFor()
    await expect.poll(() => main(bob).getByText('and goes on').count()).toBe(0)
    await page.reload()
    await main(bob).getByText('It begins').waitFor()
    await main(bob).getByRole('img', { name: 'still writing' }).waitFor()
    await expect.poll(() => main(bob).getByText('and goes on').count()).toBe(0)
    await call('chat.stopStream', { ts, markdown_text: ' to its end.' })
    for (const side of [alice, bob]) await main(side).getByText('It begins and goes on to its end.').waitFor()
    await say(alice, '/ask private: What is 6*7?')
    await alice.getByText(/= 42/).waitFor()
    await say(alice, '/ask settings')
    await alice.getByRole('dialog').waitFor()
    await say(bob, 'a word after it')
    await bob.getByText('a word after it').waitFor()
    await expect.poll(() => bob.getByText(/= 42|Only visible to you/).count()).toBe(0)
    await expect.poll(() => bob.getByRole('dialog').count()).toBe(0)
    await alice.getByRole('dialog').press('Escape')
    await alice.getByText('a word after it').waitFor()
    for (const [side, asked] of [
      [alice, 1],
      [bob, 0],
    ] as const) {
      await side.getByRole('button', { name: 'Channels' }).click()
      await side.getByRole('button', { name: 'Thinkaloud', exact: true }).click()
      await side.getByRole('button', { name: 'Home', exact: true }).click()
      const home = side.getByRole('region', { name: 'Home of the app' })
      await home.getByText('Ask me anything').waitFor()
      await expect.poll(() => home.getByText('What is 6*7?').count()).toBe(asked)
    }
  })

  test('the wrong person’s press is refused with a message, the admin’s counts, and both sides show it', async (t) => {
    const model = await playModel(t, [act('I note it.', 'notes__add', '{"text": "buy milk"}'), finish('It is noted.')])
    const own = await startPlayground({
      PLAYGROUND_PORT: '0',
      ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test', OPENAI_MODEL: 'played' },
    })
    t.onTestFinished(own.stop)
    const page = await open('?as=bob&with=carol#general', { on: own })
    const [bob, carol] = [sideOf(page, 'Bob'), sideOf(page, 'Carol')]
    for (const side of [bob, carol]) await messageBox(side).waitFor()
    await own.slack.mention('Note down: buy milk')
    await thread(bob).getByRole('button', { name: 'Allow once' }).click()
    await thread(bob).getByText('You cannot approve this').waitFor()
    await expect.poll(() => carol.getByText('You cannot approve this').count()).toBe(0)
    expect(own.notesServer?.notes()).toEqual([])
    await thread(carol).getByRole('button', { name: 'Allow once' }).click()
    for (const side of [bob, carol]) {
      await thread(side)
        .getByText(/by @Carol/)
        .waitFor()
      await thread(side).getByText('It is noted.').waitFor()
    }
    expect(own.notesServer?.notes()).toEqual(['buy milk'])
  })

  const LOOKS: Look[] = [
    { viewport: { width: 1280, height: 780 } },
    { viewport: { width: 1280, height: 780 }, colorScheme: 'dark' },
    { viewport: { width: 390, height: 780 } },
    { viewport: { width: 320, height: 780 } },
  ]
  test('axe finds nothing on two sides and on the open switch, in the light and in the dark, on phones too', async () => {
    const { page, axe } = await opened('?as=carol&with=dave#random')
    for (const name of ['Carol', 'Dave']) await messageBox(sideOf(page, name)).waitFor()
    for (const look of LOOKS) {
      await setLook(page, look)
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await axe(), JSON.stringify(look)).toEqual([])
    }
    const { page: alone, axe: axeAlone } = await opened('?as=carol#random')
    for (const look of LOOKS) {
      await setLook(alone, look)
      await switchOf(alone).click()
      await alone.getByRole('menu', { name: 'Act as' }).waitFor()
      expect(await axeAlone('.top'), JSON.stringify(look)).toEqual([])
      const width = look.viewport?.width ?? 0
      // A phone has no room for it.
      await expect
        .poll(async () => (await alone.getByRole('main').boundingBox())?.width)
        .toBe(width > 860 ? width - 232 : width)
      await alone.keyboard.press('Escape')
    }
  })
})
