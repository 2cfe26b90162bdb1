/** The permissions of a scheduled run. `grantedBy` (slack/approvals/approvers.ts) has no grant for it either. */
import { withInstructions } from '../agent/dialects/instructions.ts'
import type { Prompts } from '../base/prompts.ts'
import type { Question } from '../stores/runs/types.ts'
import type { Settings } from '../stores/settings/settings.ts'

/**
 * The settings of a scheduled run: each write waits for approval, and there is no permission to search the workspace.
 */
export function scheduledSettings(question: Question, settings: Settings, prompts: Prompts): Settings {
  if (question.kind !== 'occurrence') return settings
  const tools = settings.tools
    .filter((tool) => !tool.needsSearch)
    .map((tool) => (tool.effects === 'write' ? { ...tool, needsApproval: true } : tool))
  if (!isConditional(question)) return { ...settings, tools }
  return { ...settings, tools, dialect: withInstructions(settings.dialect, prompts['quiet-schedule']({})) }
}

/** Returns whether the model may decide that there is nothing to say. */
export function isConditional({ kind, text }: Pick<Question, 'kind' | 'text'>): boolean {
  return kind === 'occurrence' && /\bonly\s+(?:if|when)\b/i.test(text)
}
