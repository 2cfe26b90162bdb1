import { settledWithin } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Installations } from './installations.ts'
import { refusalCode } from './slack-errors.ts'

/** Whether the workspace lets apps search. It is not so until Slack has said it. */
export interface SearchInfo {
  isOn: boolean
  /** Fulfilled when Slack has said it, or has not for a while: until then a question of the first moments waits. */
  told: Promise<unknown>
}

/** For how long, in ms. */
const PATIENCE_MS = 3_000

/** Asks Slack in the background, and says in one log line what it answers. */
export function askSearchInfo(installations: Installations, log: Log, signal: AbortSignal): SearchInfo {
  const info: SearchInfo = { isOn: false, told: Promise.resolve() }
  const ask = async () => {
    const installation = await installations.of(installations.defaultTeam)
    const answer = await installation?.client.call('assistant.search.info', {}, { effort: 'patient', signal })
    info.isOn = answer !== undefined
    const how = answer?.is_ai_search_enabled === true ? 'by words and by meaning' : 'by words'
    log.info({}, `workspace search is on: Slack searches ${how}`)
  }
  const asking = ask().catch((error: unknown) => {
    if (signal.aborted) return
    const code = refusalCode(error)
    log.info(
      { error: code ?? messageOf(error) },
      `workspace search is off: ${WHY_OFF[code ?? ''] ?? 'Slack refused it'}`,
    )
  })
  info.told = settledWithin(PATIENCE_MS, [asking])
  return info
}

const WHY_OFF: Record<string, string> = {
  missing_scope: 'the app has not the scope search:read.public',
  feature_not_enabled: 'the workspace does not let apps search',
  unknown_method: 'this Slack has no search for apps',
}
