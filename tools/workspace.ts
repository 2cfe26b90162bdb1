import type { ToolContext, WorkspaceReader } from '../src/agent/types.ts'
import { ToolError } from '../src/base/errors.ts'

/** What the tools of a workspace read. @throws ToolError where the question comes from none */
export async function workspaceOf({ workspace }: ToolContext): Promise<WorkspaceReader> {
  if (!workspace) throw new ToolError('There is no Slack workspace here to read.')
  return workspace()
}
