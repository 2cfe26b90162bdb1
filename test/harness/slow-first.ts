import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The test files that take longest. They start first, because the last file would keep one core busy alone. */
const SLOW = [
  'commands/doctor/doctor-judgement',
  'playground/recording/recorded-scope',
  'slack/stop',
  'playground/page-people',
  'model/fallback',
  'playground/page-inspector',
  'playground/page-place',
  'playground/recording/record-panel',
  'playground/page',
  'slack/approvals',
  'slack/card',
  'commands/slack/slack-command',
  'base/redis/redis',
  'files/parse-file',
  'queue/redis-queue',
  'playground/recording/play-conversation',
  'base/redis/redis-tls',
  'slack/content',
  'slack/for-asker',
  'slack/schedule-runs',
  'playground/notes-server',
  'commands/doctor/auto-dialect',
  'playground/page-run',
  'commands/doctor/doctor-command',
  'main',
  'mcp/hostile-servers',
  'slack/streamed-answers',
  'slack/edited-questions',
  'queue/redis-faults',
  'agent/loop',
  'tools/hostile-input',
  'queue/run-control',
  'slack/app-home',
  'slack/schedule-changes',
  'stores/limits/limits',
  'start',
  'repo/contracts',
  'telemetry/processes',
]

/** Starts these files first, and then the others in vitest's order: the slowest of the last run first. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return at < 0 ? SLOW.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
