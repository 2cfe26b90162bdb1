/** What blocks in a thread's messages cost: questions below ten messages with 2 kB of blocks each, and with text alone. */
import { freePort, start } from './measured-process.ts'
import { quantile } from './quantile.ts'
import type { BenchSlack } from './servers.ts'
import { atMost } from '../targets.ts'

/** The maximum ratio of CPU per question. */
const TO_REACH = 1.1
const MESSAGES = 10
const ROUNDS = 7

const SENTENCE = 'The pump of hall 3 runs at 1417 rpm, and its seal leaks. '
const WORDS = SENTENCE.repeat(18).trim()

/** An alert in the usual blocks, about 2 kB as JSON; its text is the copy that Slack makes of them. */
const BLOCKS = [
  { type: 'header', text: { type: 'plain_text', text: 'Pump 3', emoji: true } },
  ...[4, 4, 4, 5].map((times) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: SENTENCE.repeat(times).trim(), verbatim: false },
    fields: ['*Since*\n09:14', '*Host*\nhall-3'].map((words) => ({ type: 'mrkdwn', text: words, verbatim: false })),
  })),
  { type: 'context', elements: [{ type: 'mrkdwn', text: 'Monitor · <https://monitor.example/3|open>' }] },
]

const FORMS: Record<string, object> = { text: { text: WORDS }, blocks: { text: WORDS, blocks: BLOCKS } }

/** The two forms take turns in one process, so that what else the machine does weighs on both. */
export async function threadBlocks(
  command: string[],
  env: Record<string, string>,
  { slack, questions }: { slack: BenchSlack; questions: number },
): Promise<void> {
  const port = await freePort()
  const bot = await start(command, { ...env, PORT: String(port), WORKER_CONCURRENCY: '50' })
  const target = `http://127.0.0.1:${port}/slack/events`
  const spent: Record<string, number[]> = { text: [], blocks: [] }
  for (let round = -2; round < ROUNDS; round++)
    for (const [form, message] of Object.entries(FORMS)) {
      const cpu = bot.cpuMs()
      const below = Array.from({ length: MESSAGES }, () => ({ user: 'U0ASKER', ...message }))
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          for (let i = 0; i < questions / 10; i++) await slack.ask(target, slack.thread(below))
        }),
      )
      if (round >= 0) spent[form]?.push((bot.cpuMs() - cpu) / questions)
    }
  await bot.stop()
  const [text = 0, blocks = 0] = Object.values(spent).map((all) => quantile(all, 0.5))
  const bytes = JSON.stringify(BLOCKS).length
  console.log(
    `CPU ms/question below ${MESSAGES} messages of text: ${text.toFixed(2)}; with ${bytes} bytes of blocks in each: ${blocks.toFixed(2)}`,
  )
  console.log(`ratio: ${atMost(blocks / text, TO_REACH)}`)
}
