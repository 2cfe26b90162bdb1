import type { ToolContext, WorkspaceReader } from '../src/agent/contracts/tool.ts'
import { ToolError } from '../src/base/errors.ts'

/** Opens the reader of the asker's workspace. @throws ToolError if the question comes from no workspace */
export async function workspaceOf({ workspace }: ToolContext): Promise<WorkspaceReader> {
  if (!workspace) throw new ToolError('There is no Slack workspace to read here.')
  return workspace()
}
