import { settledWithin } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Installation, Installations } from './installations.ts'
import { refusalCode } from './slack-errors.ts'

/** Knows whether a workspace lets apps search. Slack is asked once per installation and process. */
export interface SearchInfo {
  /** Waits for Slack's answer for `PATIENCE_MS` at most; false until Slack confirms it. */
  isOn(installation: Installation): Promise<boolean>
}

/** Milliseconds. */
const PATIENCE_MS = 3_000

interface SearchStatus {
  isOn: boolean
  /** Resolves when Slack has answered, or after `PATIENCE_MS`. */
  answered: Promise<unknown>
}

/** Asks Slack in the background, at once for the only workspace, and logs each answer in one line. */
export function askSearchInfo(installations: Installations, log: Log, signal: AbortSignal): SearchInfo {
  const known = new WeakMap<Installation, SearchStatus>()
  const ask = (installation: Installation): SearchStatus => {
    const asked: SearchStatus = { isOn: false, answered: Promise.resolve() }
    asked.answered = settledWithin(PATIENCE_MS, [askOnce(installation, asked, log, signal)])
    known.set(installation, asked)
    return asked
  }
  void installations.of(installations.defaultTeam).then(
    (only) => only && ask(only),
    () => undefined,
  )
  return {
    async isOn(installation) {
      const asked = known.get(installation) ?? ask(installation)
      await asked.answered
      return asked.isOn
    },
  }
}

async function askOnce(
  { client, identity: { team } }: Installation,
  asked: SearchStatus,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  try {
    const answer = await client.call('assistant.search.info', {}, { effort: 'patient', signal })
    asked.isOn = true
    const how = answer.is_ai_search_enabled === true ? 'by words and by meaning' : 'by words'
    log.info({ team }, `workspace search is on: Slack searches ${how}`)
  } catch (error) {
    if (signal.aborted) return
    const code = refusalCode(error)
    const why = WHY_OFF[code ?? ''] ?? 'Slack refused it'
    log.info({ team, error: code ?? messageOf(error) }, `workspace search is off: ${why}`)
  }
}

const WHY_OFF: Record<string, string> = {
  missing_scope: 'the app lacks the scope search:read.public',
  feature_not_enabled: 'the workspace does not let apps search',
  unknown_method: 'this Slack has no search for apps',
}
