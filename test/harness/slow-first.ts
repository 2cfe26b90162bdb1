import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Orders the test files: those that start many processes or browsers first, because the last one would keep one core
 * busy alone, mixed with those that mostly wait, so that not all workers wait at the same time.
 */
const SLOW = [
  'commands/doctor/doctor-judgement',
  'playground/recording/play-conversation',
  'model/fallback',
  'playground/page-people',
  'playground/page',
  'playground/page-hood',
  'tools/hostile-input',
  'commands/slack/slack-command',
  'repo/contracts',
  'playground/page-place',
  'playground/recording/record-panel',
  'slack/stop',
  'model/circuit-breaker',
  'playground/page-run',
  'slack/approvals',
  'base/redis/redis-tls',
  'files/file-store',
  'playground/recording/recorded-scope',
  'telemetry/processes',
  'commands/doctor/auto-dialect',
  'files/parse-file',
  'slack/content',
  'start',
  'main',
]

/** Starts these files first, then the others in vitest's order: the slowest of the last run first. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return at < 0 ? SLOW.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
