/**
 * Replays every file of test/conversations through the real bot on a local Slack. The workspace must end in the
 * recorded state.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../src/base/package-root.ts'
import { readConversation } from '../playground/recording/conversation-file.ts'
import { replayWithBot } from '../playground/bot/replay-bot.ts'
import { failureText } from '../playground/recording/play-conversation.ts'

const FOLDER = 'test/conversations'

test.for(readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith('.json')))(
  '%s ends as it was recorded',
  async (file, t) => {
    const conversation = readConversation(readFileSync(join(ROOT, FOLDER, file), 'utf8'))
    const replayed = await replayWithBot(conversation)
    t.onTestFinished(replayed.stop)
    expect(failureText(replayed, `${FOLDER}/${file}`)).toBe('')
    expect(replayed.slack.refusals).toEqual([])
  },
)
