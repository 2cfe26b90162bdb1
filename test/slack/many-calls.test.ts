import { expect, test } from 'vitest'
import { startBot } from '../harness/bot.ts'

test.for(['replies', 'card', 'stream'])(
  'a turn of 500 native calls is five steps in the thread, and one note (STEPS=%s)',
  async (steps, t) => {
    const toolCalls = Array.from({ length: 500 }, (_, i) => ({
      name: 'calculator',
      arguments: JSON.stringify({ expression: `${i}+1` }),
    }))
    const { mention, slack } = await startBot(t, {
      env: { AGENT_DIALECT: 'native', STEPS: steps, STEPS_STREAM_CHANNELS: 'true' },
      model: [{ toolCalls }, 'That is enough.'],
    })
    const thread = await mention('All of them?')
    expect(await thread.lastAnswer()).toMatch(/^That is enough\./)
    if (steps === 'card') await slack.until(() => thread.shown()[0]?.startsWith('5 steps, '), 'the folded card')
    const shown = slack.replies(thread.channel, thread.ts).map((message) => JSON.stringify(message))
    expect(shown.filter((one) => one.includes('Only the first 5 of 500 calls were run'))).toHaveLength(1)
    if (steps === 'replies') expect(thread.steps()).toHaveLength(5)
  },
)
