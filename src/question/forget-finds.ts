import type { Run } from '../stores/runs/types.ts'

/** What stands in the place of what a tool found in the workspace, once the run is over. */
const NOT_KEPT = '(What was found is not kept.)'

/** Takes what tools found in the workspace out of a run that is over: Slack lets it be used at the moment, and not be stored. */
export async function forgetFinds(run: Run): Promise<void> {
  const parts = run.saved.steps.flatMap((step, i) => {
    if (step.kind !== 'tool' || !step.observation?.passing) return []
    const value = { ...step, observation: { ...step.observation, text: NOT_KEPT } }
    return [{ part: 'step' as const, n: i + 1, value }]
  })
  if (parts.length > 0) await run.save(...parts)
}
