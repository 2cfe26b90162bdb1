/** INSTRUCTIONS_FILE: the operator's instructions for the model in every channel. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RANDOM } from '../../../playground/slack/slack.ts'
import { startBot } from '../../harness/bot.ts'
import { temporaryFolder } from '../../harness/command.ts'
import type { Ends } from '../../harness/ends.ts'
import { finish } from '../../harness/played-model.ts'
import { loadConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/base/log.ts'
import { createAgent } from '../../../src/question/agent/create-agent.ts'

async function fileWith(t: Ends, text: string): Promise<string> {
  const file = join(await temporaryFolder(t), 'instructions.txt')
  await writeFile(file, text)
  return file
}

test('reaches the model in every channel, before what differs from question to question', async (t) => {
  const INSTRUCTIONS_FILE = await fileWith(t, 'Always answer in British English.\n')
  const bot = await startBot(t, { env: { INSTRUCTIONS_FILE }, model: () => finish('Right.') })
  await (await bot.mention('First?')).ended()
  await (await bot.mention('Second?', { channel: RANDOM })).ended()
  const systems = bot.model.requests.map(({ body }) => body.messages[0])
  expect(systems).toHaveLength(2)
  for (const system of systems)
    expect(system).toMatchObject({
      role: 'system',
      content: expect.stringMatching(
        /\n\nWhoever runs you asks you .*\n\nAlways answer in British English\.\n\nYou are "Thinkaloud"/,
      ),
    })
})

test.for([
  ['that is not there', undefined, /^INSTRUCTIONS_FILE cannot be read: ENOENT/],
  ['that is empty', ' \n', /^INSTRUCTIONS_FILE is empty: /],
  ['that is too long', 'x'.repeat(10_001), /^INSTRUCTIONS_FILE is too long: .* from 10001 to 10000 characters\.$/],
] as const)('a file %s ends the start with a sentence', async ([, text, sentence], t) => {
  const INSTRUCTIONS_FILE = text === undefined ? '/nowhere/instructions.txt' : await fileWith(t, text)
  const config = loadConfig({ OPENAI_API_KEY: 'k', INSTRUCTIONS_FILE })
  await expect(createAgent(config, { log: createLog('silent'), net: {}, now: () => new Date() })).rejects.toMatchObject(
    {
      name: 'ConfigError',
      message: expect.stringMatching(sentence),
    },
  )
})
