import type { ToolContext, WorkspaceReader } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'

/** Returns what the tools of a workspace read. @throws ToolError if the question comes from no workspace */
export async function workspaceOf({ workspace }: ToolContext): Promise<WorkspaceReader> {
  if (!workspace) throw new ToolError('There is no Slack workspace to read here.')
  return workspace()
}
