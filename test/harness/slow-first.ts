import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait for real seconds, or start many processes: what begins last would keep one core busy alone. */
const SLOW = [
  'playground/recording/play-conversation',
  'model/fallback',
  'commands/doctor/doctor-judgement',
  'playground/page-people',
  'playground/page',
  'slack/files-handed-over',
  'commands/slack/slack-command',
  'playground/page-hood',
  'playground/recording/recorded-scope',
  'slack/stop',
  'model/circuit-breaker',
  'base/redis/redis-tls',
  'playground/recording/record-panel',
  'commands/doctor/auto-dialect',
  'playground/page-place',
  'telemetry/processes',
  'files/parse-file',
  'slack/approvals',
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
