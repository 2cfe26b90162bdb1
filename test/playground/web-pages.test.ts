/** The simulated web of the playground: a link that is pasted there is read by the bot. */
import { expect, onTestFinished, test } from 'vitest'
import { startPlayground } from '../../playground/main.ts'
import { GENERAL } from '../../playground/slack/slack.ts'
import { act, finish, playModel } from '../harness/played-model.ts'

test('three pages of the simulated web can be pasted: a table, news, and a login', async () => {
  const model = await playModel({ onTestFinished })
  const env = { PLAYGROUND_PORT: '0', OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-x', AGENT_DIALECT: 'text' }
  const { slack, notes, stop } = await startPlayground({ ...env, OPENAI_MODEL: 'played-model' }, { paceMs: 0 })
  onTestFinished(stop)
  const pages = notes.join('\n').match(/http:\/\/127\.0\.0\.1:\d+\/pages\/\w+/g) ?? []
  expect(pages.map((page) => page.split('/').at(-1))).toEqual(['shipping', 'release', 'members'])
  const expected = [
    /5 kg \| 6\.70 \| 15\.50/,
    /Published: 2026-11-12\n[^]*starts in 0\.8 seconds/,
    /This is a login page/,
  ]
  for (const [i, page] of pages.entries()) {
    const question = `number ${i} says what?`
    model.on(question, act('I open it.', 'read_page', JSON.stringify({ url: page })), finish(`Read ${i}.`))
    const { thread } = await slack.mention(`number ${i} says what? <${page}>`)
    await slack.until(() => slack.replies(GENERAL, thread).some((one) => slack.shown(one).includes(`Read ${i}.`)), 'it')
    expect(model.about(question).at(-1)?.prompt).toMatch(expected[i]!)
  }
})
