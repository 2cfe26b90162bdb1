/**
 * `npm run playground -- --conversation FILE`: plays a recorded conversation, and shows the expected state beside the
 * actual one.
 */
import { readFile } from 'node:fs/promises'
import type { Config } from '../../src/config.ts'
import { ConfigError, messageOf } from '../../src/base/errors.ts'
import { startPage } from '../page-server/page-server.ts'
import { readConversation, type RecordedConversation } from '../recording/conversation-file.ts'
import { comparedPart } from '../recording/recording-part.ts'
import { replayWithBot } from './replay-bot.ts'

/** Plays it and opens the page on its workspace. @throws Error if the file is no conversation, or the port is in use */
export async function showConversation(file: string, { PLAYGROUND_PORT: port }: Pick<Config, 'PLAYGROUND_PORT'>) {
  const conversation = await conversationOf(file)
  const replayed = await replayWithBot(conversation)
  const { differences, problems, slack } = replayed
  const isSame = differences.length + problems.length === 0
  const notes = [
    isSame ? `${file} ends as it was recorded.` : `${file} does not end as it was recorded.`,
    'Replayed: the model and the tools answer as recorded. You see what the bot did with it; the panel “Record” shows beside it what was expected.',
  ]
  const about = { model: `recording of ${conversation.name}`, isDemo: false, notes, examples: [], shortcuts: [] }
  const page = await startPage(slack, { port, notes: about, parts: [comparedPart(file, replayed)] }).catch(
    async (error: unknown) => {
      await replayed.stop()
      throw error
    },
  )
  const stop = async () => {
    await page.close()
    await replayed.stop()
  }
  return { url: page.url, notes, stop }
}

async function conversationOf(file: string): Promise<RecordedConversation> {
  try {
    return readConversation(await readFile(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`${file}: ${messageOf(error)}`)
  }
}
