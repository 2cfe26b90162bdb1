import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { startPlayground } from '../../playground/main.ts'
import { GENERAL } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { temporaryFolder } from '../harness/command.ts'
import { expectRefused, openPanel, pagesInChromium } from '../harness/open-page.ts'
import { act, finish, playModel } from '../harness/played-model.ts'

describeWithChromium('the panel “Prompts”', () => {
  const openPage = pagesInChromium()

  /** Opens the panel beside an answered question. The prompt tells the model how to answer. */
  async function open() {
    const ends = { onTestFinished }
    const prompts = join(await temporaryFolder(ends), 'prompts')
    await cp(join(ROOT, 'prompts'), prompts, { recursive: true })
    const model = await playModel(ends)
    model.decide('6*7', ({ prompt }, n) => {
      const word = prompt.includes('SHOUT') ? 'FORTY-TWO!' : 'It is 42.'
      return n === 0 ? act('I reckon.', 'calculator', '6*7') : finish(word)
    })
    const env = { PLAYGROUND_PORT: '0', OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test', OPENAI_MODEL: 'm' }
    const { url, slack, stop } = await startPlayground(env, { prompts })
    onTestFinished(stop)
    const { thread } = await slack.mention('What is 6*7?')
    await slack.until(() => slack.replies(GENERAL, thread).some((one) => slack.shown(one).includes('It is 42.')), 'it')
    await slack.settle()
    const { page, axe, complaints } = await openPage(url)
    const panel = await openPanel(page, 'Prompts')
    const edit = async (change: (text: string) => string) => {
      const box = panel.getByLabel('Prompt', { exact: true })
      await box.fill(change(await box.inputValue()))
    }
    const messages = () => slack.messages(GENERAL).length
    return { url, page, panel, edit, axe, complaints, messages, file: join(prompts, 'text.md') }
  }

  test('an edited prompt is tried on the last question, both answers side by side; nothing is posted or written', async () => {
    const { panel, page, edit, axe, messages, file } = await open()
    const [before, text] = [messages(), await readFile(file, 'utf8')]
    await expect.poll(() => panel.getByLabel('File').inputValue()).toBe('text')
    await edit((old) => `SHOUT.\n${old}`)
    await panel.getByRole('button', { name: 'Try' }).click()
    const both = panel.getByRole('region', { name: 'Both answers' })
    await both.getByText('FORTY-TWO!').waitFor()
    await expect.poll(() => both.getByText('It is 42.').count()).toBe(1)
    await expect
      .poll(() => both.getByText(/^(?:0 steps|1 step) · \d{1,3}(?:,\d{3})* tokens · (?:\d+\.\d s|\d+ ms)$/).count())
      .toBe(2)
    expect(await axe()).toEqual([])
    expect(messages()).toBe(before)
    expect(await readFile(file, 'utf8')).toBe(text)
    // Edits stay while the panel is closed.
    await panel.getByRole('button', { name: 'Close panel' }).click()
    await openPanel(page, 'Prompts')
    await expect.poll(() => panel.getByLabel('Prompt', { exact: true }).inputValue()).toContain('SHOUT')
  })

  test('saving needs all variables, shows the changes, writes after a confirmation, and overwrites only what was read', async () => {
    const { url, panel, edit, axe, file, complaints } = await open()
    const text = await readFile(file, 'utf8')
    await edit((old) => old.replace('{{today}}', 'today'))
    await panel.getByRole('button', { name: 'Try' }).click()
    await panel.getByText('prompts/text.md lacks the variable {{today}}. Put it back.').waitFor()
    await panel.getByRole('button', { name: 'Save to prompts/' }).click()
    await panel.getByText('prompts/text.md lacks the variable {{today}}. Put it back.').waitFor()
    expect(await readFile(file, 'utf8')).toBe(text)
    await panel.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => panel.getByLabel('Prompt', { exact: true }).inputValue()).toBe(text)
    await expectRefused(complaints, 2)
    await edit((old) => `SHOUT.\n${old}`)
    await panel.getByRole('button', { name: 'Save to prompts/' }).click()
    await panel.locator('ins', { hasText: 'SHOUT.' }).waitFor()
    expect(await axe()).toEqual([])
    expect(await readFile(file, 'utf8')).toBe(text)
    await panel.getByRole('button', { name: 'Write prompts/text.md' }).click()
    await panel.getByText('Saved to prompts/text.md').waitFor()
    expect(await readFile(file, 'utf8')).toBe(`SHOUT.\n${text}`)
    await writeFile(file, `Theirs.\n${text}`)
    await edit((old) => `Mine.\n${old}`)
    await panel.getByRole('button', { name: 'Save to prompts/' }).click()
    await panel.getByRole('button', { name: 'Write prompts/text.md' }).click()
    await panel.getByText('has been changed elsewhere meanwhile').waitFor()
    expect(await readFile(file, 'utf8')).toBe(`Theirs.\n${text}`)
    await expectRefused(complaints, 1)
    // Only prompts can be named, and only by this page.
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(`${url}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    for (const name of ['../package', '/etc/hosts', 'README', 'text.md', '..', ''])
      expect((await post('prompts/save', { name, text: 'x', was: 'x' })).status).toBe(400)
    const other = await post(
      'prompts/save',
      { name: 'text', text: 'x', was: `Theirs.\n${text}` },
      { origin: 'http://evil.example' },
    )
    expect(other.status).toBe(403)
    expect(await readFile(file, 'utf8')).toBe(`Theirs.\n${text}`)
  })
})

test('with AGENT_DIALECT=auto a prompt is tried in the dialect of the earlier answer, without testing the model again', async () => {
  const ends = { onTestFinished }
  const stockCall = { id: 'c1', name: 'stock_level', arguments: '{"article": "K-4711"}' }
  const model = await playModel(ends, ({ raw, body }) => {
    const isProbe = raw.includes('stock_level')
    if (!isProbe) return body.tools ? 'Native: 42.' : finish('Text: 42.')
    return body.messages.some(({ role }) => role === 'tool') ? 'There are 318 pieces.' : { toolCalls: [stockCall] }
  })
  const env = { PLAYGROUND_PORT: '0', OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test', AGENT_DIALECT: 'auto' }
  const { url, slack, stop } = await startPlayground(env)
  onTestFinished(stop)
  const probes = () => model.requests.filter(({ raw }) => raw.includes('stock_level')).length
  const { thread } = await slack.mention('What is 6*7?')
  await slack.until(() => slack.replies(GENERAL, thread).some((one) => slack.shown(one).includes('Native: 42.')), 'it')
  await slack.settle()
  expect(probes()).toBe(2)
  const text = await readFile(join(ROOT, 'prompts/native.md'), 'utf8')
  const response = await fetch(`${url}/prompts/try`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'native', text, channel: GENERAL, thread }),
  })
  expect(await response.json()).toMatchObject({ before: { text: 'Native: 42.' }, now: { text: 'Native: 42.' } })
  expect(probes()).toBe(2)
}, 60_000)
