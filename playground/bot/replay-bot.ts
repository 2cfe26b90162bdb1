/**
 * Plays a recorded conversation with the real bot on its own local Slack. The recording stands in for the model and the
 * tools.
 */
import { join } from 'node:path'
import { startBot } from '../../src/bot.ts'
import { loadConfig, type Env } from '../../src/config.ts'
import type { Log } from '../../src/base/log.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { startModelEndpoint } from '../model/model-endpoint.ts'
import type { RecordedConversation } from '../recording/conversation-file.ts'
import { createReplay, type ReplayResult } from '../recording/play-conversation.ts'
import type { LocalSlack } from '../slack/slack.ts'
import { replayingSeam } from './tool-seams.ts'
import { startWorkspace } from './example-slack.ts'

/** A finished replay. Its workspace stays until `stop`. */
interface ReplayedBot extends ReplayResult {
  slack: LocalSlack
  stop(): Promise<void>
}

/** The folder of recorded conversations in a checkout. */
export const CONVERSATIONS = join(ROOT, 'test/conversations')

/** The settings that a recording may contain. None of them names a path, an address or a key. */
const REPLAYED_SETTINGS =
  /^(?:AGENT_\w+|RUN_MAX_\w+|TOOLS|TOOL_\w+|STEPS|STEPS_STREAM_CHANNELS|FOLLOW_UPS|LINK_HOSTS|ALLOW_\w+|APPROV\w+|SETTINGS_BY|LIMIT_\w+|DM_MEMORY_MINUTES|OPENAI_MODEL|OPENAI_STREAM)$/

/** Returns those of the settings that a recording contains. */
export function replayedSettings(settings: Env): Record<string, string> {
  const kept = Object.entries(settings).flatMap(([name, value]): [string, string][] =>
    value && REPLAYED_SETTINGS.test(name) ? [[name, value]] : [],
  )
  return Object.fromEntries(kept)
}

/** Plays a recording. @throws ConfigError for unknown settings */
export async function replayWithBot(conversation: RecordedConversation, log?: Log): Promise<ReplayedBot> {
  const replay = createReplay(conversation)
  const slack = await startWorkspace()
  const stops = [() => slack.close()]
  const stop = async () => {
    for (const end of stops.toReversed()) await end()
  }
  try {
    const endpoint = await startModelEndpoint({ upstream: replay.upstream })
    stops.push(() => endpoint.close())
    const config = loadConfig({
      LOG_LEVEL: 'silent',
      // A recording knows none of this checkout's skills.
      SKILLS_DIR: 'no-skills',
      ...replayedSettings(conversation.settings),
      ...{ SLACK_API_URL: slack.apiUrl, SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken },
      ...{ OPENAI_BASE_URL: endpoint.url, HOST: '127.0.0.1', PORT: '0', SHUTDOWN_MS: '2000' },
    })
    const toolSeam = replayingSeam(replay, conversation)
    const bot = await startBot(config, { toolSeam, ...(log && { log }) })
    stops.push(() => bot.stop())
    return { ...(await replay.play(slack)), slack, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
