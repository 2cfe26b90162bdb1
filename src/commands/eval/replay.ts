/** Replays recorded episodes through the agent, with the recorded completions and observations. */
import { z } from 'zod'
import { defineTool } from '../../agent/define-tool.ts'
import type { AgentDeps } from '../../agent/agent.ts'
import type { Dialect } from '../../agent/contracts/dialect.ts'
import type { Model } from '../../agent/contracts/model.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import { stepOfCalls, type Episode } from './episodes.ts'
import { askAgent, type EvalOutcome } from './ask-agent.ts'

/** The outcome of an episode, and the last call (from 0) that the agent requested. */
export interface ReplayedEpisode {
  outcome: EvalOutcome
  lastCall: number
}

/** Longer than any replay takes: only the recording's step limit ends it. */
const REPLAY_TIMEOUT_MS = 600_000

/**
 * Replays one episode. The agent parses, loops and answers as it does live, except that it does not break loops: the
 * recording's environment did not, and the recorded turns that follow depend on that.
 */
export async function replayEpisode(
  episode: Episode,
  tools: string[],
  dialect: Dialect,
  now: () => Date,
): Promise<ReplayedEpisode> {
  const player = new Player(episode)
  const limits = {
    maxSteps: stepsOf(episode),
    timeoutMs: REPLAY_TIMEOUT_MS,
    toolTimeoutMs: REPLAY_TIMEOUT_MS,
    toolOutputChars: Infinity,
    breakLoops: false,
  }
  const world = { now, fetch: nothingOutside, newNonce: () => 'data' }
  const agent: AgentDeps = { model: player, dialect, tools: player.tools(tools), limits, ...world }
  const outcome = await askAgent(episode, agent, new AbortController().signal)
  return { outcome, lastCall: player.lastCall }
}

/** Returns the recording's own step limit. A step with two calls is two turns here, the first of them unreadable. */
function stepsOf(episode: Episode): number {
  const steps = stepOfCalls(episode)
  const again = steps.length - new Set(steps).size
  return episode.max_steps === undefined ? Math.max(1, episode.calls.length) : episode.max_steps + again
}

/** A completion that is only a call, from a recording that asked for just the action. */
const BARE_CALL = /^\s*([A-Za-z]\w*)\[/

/** Returns the names that the recordings use for tools: those that the dialect parses, and those of bare calls. */
export function toolsIn(episodes: Episode[], dialect: Dialect): string[] {
  const named = episodes.flatMap(({ calls }) => calls.flatMap(({ completion }) => namesIn(completion, dialect)))
  return [...new Set(named)].filter((name) => name.toLowerCase() !== 'finish')
}

function namesIn(completion: string, dialect: Dialect): string[] {
  const bare = BARE_CALL.exec(completion)?.[1]
  const reading = dialect.read({ text: completion }, [])
  const read = reading.kind === 'actions' ? reading.actions.map((action) => action.tool) : []
  return bare === undefined ? read : [bare, ...read]
}

/** A model that plays the calls in order, and tools that return the observation of the current call's step. */
class Player implements Model {
  readonly name = 'recording'
  lastCall = -1
  readonly #episode: Episode
  readonly #steps: number[]

  constructor(episode: Episode) {
    this.#episode = episode
    this.#steps = stepOfCalls(episode)
  }

  async *stream() {
    const call = this.#episode.calls[this.lastCall + 1]
    if (!call) return
    this.lastCall++
    yield { type: 'text' as const, text: call.completion }
  }

  tools(names: string[]): Tool[] {
    const tool = { description: 'As recorded.', schema: z.unknown(), run: async () => this.#observation() }
    return names.map((name) => defineTool({ name, ...tool }))
  }

  #observation(): string {
    const observation = this.#episode.observations[this.#steps[this.lastCall] ?? -1]
    if (observation === undefined) throw new ToolError('The recording has no observation for this call.')
    return observation
  }
}

function nothingOutside(): Promise<never> {
  return Promise.reject(new ToolError('A replay makes no network calls.'))
}
