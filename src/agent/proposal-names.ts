/** The names of the tools that only open a card for the asker (slack/proposals). */
const PROPOSALS: readonly string[] = [
  'propose_schedule',
  'propose_memory',
  'show_memory',
  'show_schedules',
  'answer_privately',
  'propose_settings',
]

export function isProposal(tool: string): boolean {
  return PROPOSALS.includes(tool)
}
