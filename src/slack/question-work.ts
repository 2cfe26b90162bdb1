import type { ExpiringCache } from '../base/expiring-cache.ts'
import type { Release, RunWork } from '../question/services.ts'
import type { Settings } from '../stores/settings/settings.ts'
import type { Installation } from './client/installations.ts'
import type { Mentions } from './client/mentions.ts'
import type { Outbox } from './client/outbox.ts'
import type { RunDisplay } from './display/run-display.ts'
import type { Services } from './services.ts'

/** One question from Slack that a worker has taken, and everything that the work on it needs. */
export interface QuestionWork extends RunWork {
  services: Services
  installation: Installation
  mentions: Mentions
  outbox: Outbox
  /** The people that were admitted lately, by team, channel and person. They are not looked up again for a while. */
  admitted: ExpiringCache<true>
  /** Opens a display of the run. `steps` and `signal` replace the question's own. */
  openDisplay(options?: { steps?: Settings['steps']; signal?: AbortSignal }): Promise<RunDisplay>
  /**
   * Books the question's cost and frees its place among the team's runs. Called before the question's end is shown, so
   * that the next question finds both done.
   */
  release(options?: Release): Promise<void>
}
