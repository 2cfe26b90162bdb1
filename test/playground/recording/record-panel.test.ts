import { existsSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../../src/base/package-root.ts'
import { startPlayground } from '../../../playground/main.ts'
import { readConversation } from '../../../playground/recording/conversation-file.ts'
import { showConversation } from '../../../playground/bot/show-conversation.ts'
import { describeWithChromium } from '../../harness/chromium.ts'
import { temporaryFolder } from '../../harness/command.ts'
import { expectRefused, openPanel, pagesInChromium } from '../../harness/open-page.ts'

describeWithChromium('the panel “Record”', () => {
  const openPage = pagesInChromium()

  async function open(url: string) {
    const opened = await openPage(url)
    return { ...opened, panel: await openPanel(opened.page, 'Record') }
  }

  async function asked() {
    const conversations = await temporaryFolder({ onTestFinished })
    const { url, slack, stop } = await startPlayground({ PLAYGROUND_PORT: '0' }, { paceMs: 0, conversations })
    onTestFinished(stop)
    const { page, panel, box, axe, complaints } = await open(url)
    await box.fill('@thinkaloud What is 6*7? ')
    await page.keyboard.press('Enter')
    await page.getByText('Good answer').or(page.getByLabel('Good answer')).first().waitFor()
    await slack.settle()
    return { page, panel, axe, complaints, conversations }
  }

  test('shows what would be saved, downloads it, and saves it under a new name inside the folder', async () => {
    const { page, panel, axe, complaints, conversations } = await asked()
    expect(await panel.getByLabel('Name').inputValue()).toBe('what-is-6-7')
    expect(await panel.getByLabel('What').innerText()).toContain('This thread')
    await panel.getByRole('button', { name: 'Preview' }).click()
    await panel.getByText('alice: say @thinkaloud What is 6*7?').waitFor()
    await panel.getByText('calculator {"expression":"6*7"}').waitFor()
    expect(await axe()).toEqual([])

    await panel.getByLabel('Name').fill('taken-home')
    const coming = page.waitForEvent('download')
    await panel.getByRole('button', { name: 'Download' }).click()
    const download = await coming
    expect(download.suggestedFilename()).toBe('taken-home.json')
    expect(readConversation(await readFile(await download.path(), 'utf8')).name).toBe('taken-home')
    expect(existsSync(join(conversations, 'taken-home.json'))).toBe(false)

    const save = async (name: string) => {
      await panel.getByLabel('Name').fill(name)
      await panel.getByRole('button', { name: 'Save' }).click()
    }
    await save('../../package')
    await panel.getByText('A name has up to 60 lower-case letters').waitFor()
    await writeFile(join(conversations, 'taken.json'), 'mine')
    await save('taken')
    await panel.getByText('A conversation with this name exists').waitFor()
    expect(readdirSync(conversations)).toEqual(['taken.json'])
    expect(await readFile(join(conversations, 'taken.json'), 'utf8')).toBe('mine')
    await expectRefused(complaints, 2)

    // It is saved after a replay with the same result.
    await save('six-times-seven')
    await panel.getByText('Saved as test/conversations/six-times-seven.json').waitFor()
    const saved = readConversation(await readFile(join(conversations, 'six-times-seven.json'), 'utf8'))
    expect(saved.acts.map(({ act, as }) => [act, as])).toEqual([['say', 'alice']])
    expect(saved.tools).toEqual([{ tool: 'calculator', input: { expression: '6*7' }, output: '42' }])
  })

  test('a failing test shows the expected beside the actual state', async (t) => {
    const file = join(ROOT, 'test/conversations/mention-with-steps.json')
    const changed = join(await temporaryFolder(t), 'changed.json')
    const conversation = readConversation(await readFile(file, 'utf8'))
    for (const message of conversation.after.messages)
      message.shown = message.shown.map((line) => line.replaceAll('1.08', '9.99'))
    await writeFile(changed, JSON.stringify(conversation))
    const { url, stop } = await showConversation(changed, { PLAYGROUND_PORT: 0 })
    t.onTestFinished(stop)
    const { panel, axe } = await open(url)
    await panel.getByText('It did not end as it was recorded').waitFor()
    await panel.getByRole('heading', { name: 'Expected' }).first().waitFor()
    await expect.poll(() => panel.locator('mark', { hasText: '9.99' }).count()).toBeGreaterThan(0)
    expect(await axe()).toEqual([])
  })
})
