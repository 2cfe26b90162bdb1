/**
 * Replays a recorded conversation: people's acts are repeated, models and tools give their recorded answers, and the
 * final states are compared.
 */
import { errorText } from '../base/error-text.ts'
import { pageActions } from '../page-server/page-actions.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { PlayedUpstream } from '../model/model-pieces.ts'
import type { Json } from '../slack/types.ts'
import { isAtWork } from './at-work.ts'
import type { Act, RecordedConversation, WorkspaceState } from './conversation-file.ts'
import { namesIn, Places, unnamed } from './place-names.ts'
import { ReplayCalls } from './replay-calls.ts'
import { differenceText, stateDifference, type StateDifference } from './state-difference.ts'
import { workspaceState } from './workspace-state.ts'

/** The result of a replay. */
export interface ReplayResult {
  came: WorkspaceState
  differences: StateDifference[]
  /** Sentences on unexpected calls, and on acts that could not be done. */
  problems: string[]
  /** The number of recorded model calls that were not made. */
  unused: number
}

export interface Replay {
  /** The recorded models. */
  upstream: PlayedUpstream
  /** Returns a tool's recorded output. @throws the recorded error, or a sentence if the recording has no such call */
  tool(name: string, input: unknown): Promise<unknown>
  /** Replays the acts in a workspace with the bot. */
  play(slack: LocalSlack): Promise<ReplayResult>
}

/**
 * Describes the differences from the recording, and how to look at them. Empty if there are none. `file` is the
 * conversation's file.
 */
export function failureText(
  { differences, problems }: Pick<ReplayResult, 'differences' | 'problems'>,
  file: string,
): string {
  if (differences.length + problems.length === 0) return ''
  const fault = [...problems, differenceText(differences)].filter(Boolean).join('\n\n')
  return `${fault}\n\nBoth side by side: npm run playground -- --conversation ${file}`
}

/**
 * The number of checks without progress before a replay gives up, and the pause between checks in ms. Together ten
 * seconds.
 */
const PATIENCE = 200
const LOOK_MS = 50
/** The time without activity after which the conversation counts as finished, in ms. */
const REST_MS = 120
/** The longest pause between two openings of the Home that is reproduced, in ms. */
const HOME_MS = 3_200

export function createReplay(conversation: RecordedConversation): Replay {
  const calls = new ReplayCalls(conversation)
  return {
    upstream: calls,
    tool: (name, input) => calls.tool(name, input),
    play: (slack) => play(conversation, calls, slack),
  }
}

async function play(conversation: RecordedConversation, calls: ReplayCalls, slack: LocalSlack): Promise<ReplayResult> {
  const places = new Places(slack)
  const stage = { slack, places, calls, actions: pageActions(slack), homes: new Map<string, number>() }
  try {
    for (const [i, act] of conversation.acts.entries())
      await perform(act, stage, `Act ${i + 1}, ${act.act} of ${act.as},`)
    const came = await endState(conversation, stage)
    const { problems, unused } = calls
    return { came, differences: stateDifference(conversation.after, came), problems, unused }
  } finally {
    places.end()
  }
}

interface Stage {
  slack: LocalSlack
  places: Places
  calls: ReplayCalls
  actions: ReturnType<typeof pageActions>
  /** The time at which each person last opened the Home, in ms. */
  homes: Map<string, number>
}

async function perform(act: Act, stage: Stage, what: string): Promise<void> {
  const { slack, places, calls, actions } = stage
  const { after, during = [] } = act
  const held = during.map((one) => calls.gate(one))
  const isThere = () => calls.ended.models >= after.models && calls.ended.tools >= after.tools
  await soon(stage, () => isThere() && places.size >= after.messages)
  if (!(await soon(stage, () => held.every(({ isReached }) => isReached))))
    calls.problems.push(`${what} was done while the bot was at work, but it was not.`)
  if (held.length === 0) await atRest(stage)
  else await slack.settle(REST_MS)
  const { sinceMs } = act
  const pauseMs = (stage.homes.get(act.as) ?? 0) + Math.min(sinceMs ?? 0, HOME_MS) - Date.now()
  if (sinceMs !== undefined && pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  if (act.act === 'home') stage.homes.set(act.as, Date.now())
  const action = actions.get(`/${act.act}`)
  const user = [...slack.store.users.values()].find(({ name }) => name === act.as)?.id
  try {
    await soon(stage, () => namesIn(act.with).every((name) => places.names().byName.has(name)))
    if (!action || !user) throw new Error(`The playground has no ${action ? `person ${act.as}` : `action ${act.act}`}.`)
    await action({ ...unnamed(act.with, places.names()), ...filesOf(act, slack, user) }, user)
  } catch (error) {
    calls.problems.push(`${what} was refused: ${errorText(error)}`)
  }
  await slack.settle(REST_MS / 2)
  for (const { release } of held) release()
}

function filesOf({ files = [] }: Act, slack: LocalSlack, user: string): Json {
  if (files.length === 0) return {}
  const ids = files.map(({ name, alt, text, base64 }) => {
    const bytes = text ?? Buffer.from(base64 ?? '', 'base64')
    return slack.upload({ name, bytes, ...(alt && { altText: alt }) }, user).id
  })
  return { files: ids }
}

/** Returns the final state: the expected one once it holds for a while, or the one when nothing more happens. */
async function endState({ after, models }: RecordedConversation, stage: Stage): Promise<WorkspaceState> {
  const { places, calls } = stage
  const isSame = () => stateDifference(after, workspaceState(places)).length === 0
  // If no call remains, the conversation is over after the last answer.
  const isSaid = () => calls.problems.length > 0 || calls.ended.models >= models.length
  await soon(stage, after.messages.length > 0 ? isSame : isSaid)
  await atRest(stage)
  return workspaceState(places)
}

async function atRest(stage: Pick<Stage, 'slack' | 'calls'>): Promise<void> {
  await soon(stage, () => !isAtWork(stage.slack))
  await stage.slack.settle(REST_MS)
}

/** Waits for a condition while the bot makes progress. A busy machine may take as long as it needs. */
async function soon({ slack, calls }: Pick<Stage, 'slack' | 'calls'>, check: () => boolean): Promise<boolean> {
  const passed = () => slack.calls.length + calls.ended.models + calls.ended.tools
  let [looks, seen] = [0, passed()]
  while (!check()) {
    if (looks > PATIENCE) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    looks = passed() === seen ? looks + 1 : 0
    seen = passed()
  }
  return true
}
