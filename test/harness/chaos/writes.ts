/** Questions with calls of an MCP server that change something, and their expected endings. */
import { expect } from 'vitest'
import type { AuditEntry } from '../../../src/stores/audit/types.ts'
import { ALICE } from '../../../playground/slack/slack.ts'
import type { Ends } from '../ends.ts'
import { eventually } from '../stores.ts'
import { startCountingServer, type CountingServer } from './counting-server.ts'
import { expectAudit } from './pressing.ts'
import { openScene, type AskedThread, type Scene, type SceneOptions } from './scene.ts'
import { expectRecovery, matching } from './expect-recovery.ts'

export const ALLOWED = { how: 'once', decidedBy: ALICE } as const

/** The final state of one question in the thread and in the audit list. */
export interface Ending {
  thread: AskedThread
  posts: (string | RegExp)[]
  audit: Partial<AuditEntry>[]
}

/** Opens a scene with such a server. */
export async function openOffice(
  t: Ends,
  options: SceneOptions = {},
): Promise<{ scene: Scene; server: CountingServer }> {
  const server = await startCountingServer(t)
  // A held call has not failed.
  const env = { MCP_CONFIG: server.config, TOOL_TIMEOUT_MS: '60000', ...options.env }
  return { scene: await openScene(t, { ...options, env }), server }
}

/** Checks the state in the thread and in the audit list. */
export async function expectEnding(scene: Scene, { thread, posts, audit }: Ending): Promise<void> {
  await eventually(() => expect(scene.postsIn(thread)).toEqual(posts.map(matching)), 60_000)
  await expectAudit(scene, thread, audit)
}

/** Checks that all is well, and that each thread has its ending. */
export async function expectEndings(scene: Scene, endings: Ending[]): Promise<void> {
  for (const ending of endings) await expectEnding(scene, ending)
  await expectRecovery(scene, { posts: new Map(endings.map(({ thread, posts }) => [thread, posts])) })
}

/** Returns the posts of a question with one allowed call. The step says so if the call's end is unknown. */
export function writePosts(name: string, { isKnown = true } = {}): (string | RegExp)[] {
  const step = isKnown ? `${name} step-1` : unknown(`${name} step-1`)
  return [step, `${name} approval-1`, `${name} answer-1`]
}

function unknown(post: string): RegExp {
  return new RegExp(`^${post}, but: [^]*It is not known whether shelf__\\w+ took effect`)
}
