import type { Release, RunWork } from '../question/services.ts'
import type { Settings } from '../stores/settings/settings.ts'
import type { Installation } from './client/installations.ts'
import type { Mentions } from './client/mentions.ts'
import type { Outbox } from './client/outbox.ts'
import type { RunDisplay } from './display/run-display.ts'
import type { Services } from './services.ts'

/** One question from Slack that a worker has taken, and what the work on it takes. */
export interface QuestionWork extends RunWork {
  services: Services
  installation: Installation
  mentions: Mentions
  outbox: Outbox
  /** Opens a display of the run; `steps` and `signal` take the place of the question's own. */
  openDisplay(options?: { steps?: Settings['steps']; signal?: AbortSignal }): Promise<RunDisplay>
  /**
   * Books the question's cost and frees its place among the team's runs. Called before the thread shows how the question ended, so
   * that the next one finds both done.
   */
  release(options?: Release): Promise<void>
}
