import { settledWithin } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Installations } from './installations.ts'
import { refusalCode } from './slack-errors.ts'

/** Whether the workspace lets apps search. False until Slack confirms it. */
export interface SearchInfo {
  isOn: boolean
  /** Resolves when Slack has answered, or after `PATIENCE_MS`. Early questions wait for it. */
  told: Promise<unknown>
}

/** Milliseconds. */
const PATIENCE_MS = 3_000

/** Asks Slack in the background and logs the answer in one line. */
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
