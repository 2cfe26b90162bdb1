import { describe, expect, test } from 'vitest'
import { GENERAL } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const bot = await startBot(fileEnds())
const { slack, model } = bot
let count = 0

/** Returns the bot's messages for this answer, as people read them. Slack must have accepted all. */
async function answered(text: string): Promise<string[]> {
  const name = `answer-${count++}-`
  model.on(name, { text: finish(text), chunkChars: 1000 })
  const thread = await bot.mention(`What is ${name}?`)
  await thread.ended()
  return thread.shown()
}

describe.concurrent('an answer', () => {
  test('in Markdown is shown as Slack shows it', async () => {
    const markdown =
      '# Dune\n\n**Frank Herbert** wrote it in *1965*:\n\n- [page](https://example.com/dune)\n- `code`\n\n```js\nlet x = 1 < 2\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |'
    const [shown] = await answered(markdown)
    expect(shown).toMatch(
      /^\*Dune\*\n\n\*Frank Herbert\* wrote it in _1965_:\n\n• page \(`https:\/\/example\.com\/dune`\)\n• `code`\n\n```\nlet x = 1 < 2\n```\na, b\na\nb\n1\n2\n\d+\.\d s/,
    )
  })

  test('of fifty kilobytes comes whole, in order, with one footer', async () => {
    const paragraphs = Array.from({ length: 250 }, (_, i) => `Paragraph ${i}: ${'words of it '.repeat(16)}end.`)
    const messages = await answered(paragraphs.join('\n\n'))
    expect(messages).toHaveLength(5)
    expect(messages.join('\n').match(/Paragraph \d+: (words of it ){16}end\./g)).toEqual(paragraphs)
    expect(messages.filter((message) => /\d+\.\d s · /.test(message))).toEqual([messages.at(-1)])
  })

  test.each([
    ['one line of 60 kB', 'x'.repeat(60_000), /^x{2900}/],
    [
      '200 items',
      Array.from({ length: 200 }, (_, i) => `- item ${i}`).join('\n'),
      /^• item 0\n• item 1\n[^]*• item 199\n/,
    ],
    ['a fence of 30 kB', `\`\`\`\n${'line of code\n'.repeat(2300)}\`\`\``, /^```\nline of code\n/],
    ['only emoji', '🎉🎊👨‍👩‍👧‍👦'.repeat(500), /^🎉🎊👨‍👩‍👧‍👦/],
    ['half an emoji', 'before \ud83d after', /^before \ufffd after\n/],
    ['control characters', 'a\u0000b\u0007c\u001b[31m', /^abc\[31m\n/],
    ['signs of five characters', '&<>'.repeat(4000), /^&<>&<>/],
    ['right to left', 'שלום \u202eabc\u202c عالم', /^שלום/],
    ['nested beyond reason', `${'> '.repeat(3000)}deep`, /deep/],
    ['open marks without end', '**a '.repeat(5000), /^\*\*a \*\*a/],
    ['its own footer', '3 steps · 9.9 s\nand more', /^3 steps · 9\.9 s\nand more\n\d+\.\d s/],
  ])('of %s is taken by Slack', async (_, text, pattern) => {
    const messages = await answered(text)
    expect(messages.join('\n')).toMatch(pattern)
  })

  test('of white space is no answer: the model is asked again', async () => {
    model.on('white space', finish(' \n\t \n'), finish('\u200b\u200b'), finish('Words.'))
    const thread = await bot.mention('white space')
    expect(await thread.lastAnswer()).toMatch(/Words\./)
  })

  test('to a question of 40,000 characters comes too', async () => {
    const text = `long question ${'why? '.repeat(7990)}`
    model.on('long question', act('Long.', 'calculator', '1+1'), finish('short answer'))
    const thread = await bot.mention(text)
    expect(await thread.lastAnswer()).toBe('short answer')
    expect(model.about('long question')[0]?.prompt).toContain(text.trim())
  })

  test('in another language keeps it, spaces or not', async () => {
    const [shown] = await answered('这是**重点**：`代码`。\n\nEs ist *wichtig*, ça va?')
    expect(shown).toMatch(/^这是\u200b\*重点\*\u200b：\u200b`代码`\u200b。\n\nEs ist _wichtig_, ça va\?\n/)
  })
})

test('the text of a step, which notifications and search show, is what the model and the tool wrote', async () => {
  model.on('stars', act('I count(*) my next_task.', 'calculator', '2 * 3 * 4'), finish('24.'))
  const thread = await bot.mention('How many stars?')
  await thread.ended()
  const sent = slack.calls.filter(({ args }) => String(args['text']).includes('I count'))
  expect(sent[0]).toMatchObject({ method: 'chat.postMessage', args: { mrkdwn: false } })
  expect(sent.at(-1)?.args['text']).toBe('💭 I count(*) my next_task.\n🔧 calculator 2 * 3 * 4\n👁 24')
})

test('Slack would have refused nothing, and every message is in its thread', () => {
  expect(slack.refusals).toEqual([])
  expect(slack.messages(GENERAL).filter(({ bot_id, thread_ts }) => bot_id && !thread_ts)).toEqual([])
})
