/** Pages in questions, from the message to the answer: which addresses are opened, and what the model is told of them. */
import { expect, onTestFinished, test } from 'vitest'
import { BOB, GENERAL } from '../../playground/slack/slack.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'
import { sendJson, startWebServer } from '../harness/web-server.ts'

const STORY =
  '<!doctype html><html><head><title>The lighthouse</title></head><body><article><h1>The lighthouse</h1>' +
  `<p>${'Its lamp is 42 metres above the sea. '.repeat(20)}</p></article></body></html>`

/** Starts a bot beside a web site with pages at every address, and a search engine at /search. */
async function botWithPages() {
  const web = await startWebServer((path, response) => {
    if (!path.startsWith('/search')) return void response.writeHead(200, { 'content-type': 'text/html' }).end(STORY)
    const results = ['one', 'two'].map((name) => ({ title: name, url: `${web.url}/${name}?id=7`, content: 'words' }))
    sendJson(response, { results })
  })
  const host = new URL(web.url).host
  const env = { READ_INTERNAL_HOSTS: host, SEARCH_ENGINE: 'searxng', SEARCH_URL: web.url }
  return { web, bot: await startBot({ onTestFinished }, { env }) }
}

const promptOf = ({ model }: TestBot, key: string) => model.about(key).at(-1)?.prompt ?? ''
const read = (url: string) => act('I open it.', 'read_page', JSON.stringify({ url }))
const OFFERED = 'The question has a link, which read_page can open.'

test('a link pasted into a question is offered to the model, and its page is a source', async () => {
  const { bot, web } = await botWithPages()
  bot.model.on('how high is', read(`${web.url}/story`), finish('42 metres.'))
  const thread = await bot.mention(`how high is it? <${web.url}/story>`)
  expect(await thread.lastAnswer()).toContain('42 metres.')
  expect(await thread.ended()).toContain(`Sources: [1] The lighthouse (${web.url}/story)`)
  expect(promptOf(bot, 'how high is')).toContain(OFFERED)
  expect(promptOf(bot, 'how high is')).toContain('Its lamp is 42 metres above the sea.')
  bot.model.on('how deep is', finish('I do not know.'))
  await (await bot.mention('how deep is the sea?')).ended()
  expect(promptOf(bot, 'how deep is')).not.toContain(OFFERED)
})

test('a link in the thread is opened, one that nobody wrote is not', async () => {
  const { bot, web } = await botWithPages()
  const { thread: root } = await bot.slack.say({ user: BOB, text: `I read <${web.url}/story?a=1&amp;b=2|this>` })
  bot.model.on(
    'what does it say',
    read(`${web.url}/story?a=1&b=2&c=3`),
    read(`${web.url}/story?a=1&b=2`),
    finish('42.'),
  )
  await bot.slack.mention('what does it say?', { channel: GENERAL, thread_ts: root })
  await bot.slack.until(
    () => bot.slack.replies(GENERAL, root).some((one) => bot.slack.shown(one).includes('42.')),
    '42',
  )
  expect(web.paths).toEqual(['/story?a=1&b=2'])
  expect(promptOf(bot, 'what does it say')).toContain('read_page opens only addresses that stand in the question')
})

test('the sources of an earlier answer can be opened later', async () => {
  const { bot, web } = await botWithPages()
  bot.model.on('find lighthouses', act('I search.', 'search', '{"query": "lighthouses"}'), finish('There are two.'))
  const thread = await bot.mention('find lighthouses')
  await thread.ended()
  bot.model.condenses('open the second', 'Open the second result, please.')
  bot.model.on('Open the second result', read(`${web.url}/two?id=8`), read(`${web.url}/two?id=7`), finish('42 metres.'))
  await thread.reply('open the second')
  expect(await thread.lastAnswer()).toContain('42 metres.')
  expect(promptOf(bot, 'Open the second result')).toContain(
    `(sources of earlier answers: one ${web.url}/one?id=7 · two ${web.url}/two?id=7)`,
  )
  expect(web.paths.filter((path) => !path.startsWith('/search'))).toEqual(['/two?id=7'])
})
