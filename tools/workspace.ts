import type { ToolContext, WorkspaceReader } from '../src/agent/types.ts'
import { ToolError } from '../src/base/errors.ts'

/** Returns what the workspace tools read. @throws ToolError if the question does not come from a workspace */
export async function workspaceOf({ workspace }: ToolContext): Promise<WorkspaceReader> {
  if (!workspace) throw new ToolError('There is no Slack workspace here to read.')
  return workspace()
}
