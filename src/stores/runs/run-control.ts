import { z } from 'zod'
import type { Addition, PendingCall, Permission, Steering } from '../../agent/run-state.ts'
import type { Tool } from '../../agent/contracts/tool.ts'
import type { ThreadKey } from '../../base/place.ts'
import { callKey } from './call-key.ts'
import { questionPartsSchema, questionSchema, type Decision, type Question, type SavedRun } from './types.ts'
import { waitKey } from './wait-keys.ts'

/** Identifies a run: the conversation of its question (`conversationOf`), and the question's id. */
export interface RunRef {
  thread: ThreadKey
  id: string
}

/** The question's message was deleted or edited. */
const withdrawalSchema = z.object({
  /** The question with its current text, to be answered instead of the old one. */
  again: questionSchema.optional(),
})
export type Withdrawal = z.infer<typeof withdrawalSchema>

/** Thrown in the run of a withdrawn question: nothing more is shown, and what was shown is removed. */
export class Withdrawn extends Error {
  override name = 'Withdrawn'
  readonly again: Question | undefined

  constructor({ again }: Withdrawal) {
    super('The question was taken back.')
    this.again = again
  }
}

/** A person's message to a run. */
export const signalSchema = z.union([
  /** With `withdrawn`, nothing of the run is left. */
  z.object({ type: z.literal('stop'), by: z.string(), withdrawn: withdrawalSchema.optional() }),
  /** Messages with the same id count once, however often they are delivered; `user` is the author. */
  z.object({ type: z.literal('message'), id: z.string(), user: z.string(), text: z.string() }),
  /** What the question's own message holds besides its words, from the second of its two events. */
  z.object({ type: z.literal('parts'), parts: questionPartsSchema }),
])
export type Signal = z.infer<typeof signalSchema>

/**
 * `sent`: the signal is stored. The process of the run gets it; without one, the next process that resumes the run.
 * `not_running`: the run has ended or does not exist. `full`: too many messages are unread; stops are always accepted.
 */
export type SignalOutcome = 'sent' | 'not_running' | 'full'

/**
 * `woken`: the decision is stored and the run is resumed. `decided`: an earlier decision holds. `expired`: the run has
 * waited too long, and continues without a decision. `not_running`: the run has ended or does not exist.
 */
export type ResumeOutcome = 'woken' | 'decided' | 'expired' | 'not_running'

/** A question and its run, as a copy. */
export interface LoadedRun {
  question: Question
  saved: SavedRun
}

/** Reaches a run from any process, whether or not a process is working on it. */
export interface RunControl {
  /** Sends a signal to a run. A stop brings a suspended run back to the head of its thread, which ends it. */
  send(run: RunRef, signal: Signal): Promise<SignalOutcome>
  /**
   * Decides about a step that waits for a person, by the wait's key (`waitKey`). The first decision wins. A suspended
   * run comes back to the head of its thread, for any worker; one that is not suspended yet will not be. If a process
   * died while it resumed a run, the next call for the same wait resumes it, whatever was decided then.
   */
  resume(run: RunRef, waitKey: string, decision: Decision): Promise<ResumeOutcome>
  /** Returns the run as it is saved now. @returns undefined if it is unknown or gone */
  load(run: RunRef): Promise<LoadedRun | undefined>
  /**
   * For the process of a run: calls `heard` once with each signal ever sent to it, including those that earlier
   * processes got, in the order of sending and within a second. Resolves when the signals sent so far were delivered.
   * @returns a function that ends the listening
   */
  listen(run: RunRef, heard: (signal: Signal) => void): Promise<() => void>
}

/** The maximum number of stored messages per run. */
export const MAX_SIGNALS = 50

/** The tools that people have allowed for the question's whole thread. */
export interface Grants {
  /** Returns who has allowed it; undefined if nobody has. */
  grantedBy(tool: Tool): Promise<string | undefined>
}

/**
 * The people that a run can wait for. `canBeDecided`: false if there is nobody, such as in an evaluation. `canBeAsked`:
 * the asker is not a bot.
 */
interface AvailablePeople {
  canBeDecided: boolean
  canBeAsked: boolean
  grants?: Grants | undefined
}

/**
 * The signals and decisions of a running question, as the agent asks for them. A message takes effect once: messages
 * that are steps of the saved run have taken effect, and every other one is handed to the agent once. Decisions are in
 * the saved run that was resumed with them.
 */
export class HeardSignals implements Required<Steering> {
  readonly #saved: SavedRun
  readonly #people: AvailablePeople
  readonly #stop = new AbortController()
  readonly #known: Set<string>
  #unread: Addition[] = []
  #withdrawal: Withdrawal | undefined

  constructor(saved: SavedRun, people: AvailablePeople) {
    this.#saved = saved
    this.#people = people
    this.#known = new Set(saved.steps.flatMap((step) => (step.kind === 'message' ? [step.id] : [])))
  }

  readonly hear = (signal: Signal): void => {
    if (signal.type === 'stop') {
      this.#withdrawal = signal.withdrawn ?? this.#withdrawal
      return this.#stop.abort(new DOMException('A person asked to stop.', 'AbortError'))
    }
    if (signal.type === 'parts' || this.#known.has(signal.id)) return
    this.#known.add(signal.id)
    this.#unread.push({ id: signal.id, user: signal.user, text: signal.text })
  }

  /** @throws Withdrawn once the asker has withdrawn the question; the newest of several edits counts */
  throwIfWithdrawn(): void {
    if (this.#withdrawal) throw new Withdrawn(this.#withdrawal)
  }

  readonly stopAsked = (): AbortSignal => this.#stop.signal

  readonly added = (): Addition[] => {
    const added = this.#unread
    this.#unread = []
    return added
  }

  readonly mayRun = (call: PendingCall): Permission | Promise<Permission> => {
    const decision = this.#approvalOf(call)
    if (decision) return permissionOf(decision, call)
    const { tool, isRepeat, step } = call
    const awaited = step.waiting?.for
    if (awaited?.kind === 'question' && awaited.version !== tool.version)
      return { no: `${tool.name} was not run: the tool or its server has changed since the request.` }
    // A card is shown for this call, so a grant that was made for another call since does not decide it.
    const hasCard = step.waiting !== undefined && step.waiting.for?.kind !== 'question'
    if (!tool.needsApproval && !isRepeat && !hasCard) return 'yes'
    const { canBeDecided, grants } = this.#people
    const otherwise = canBeDecided ? 'wait' : { no: `${tool.name} was not run: nobody can approve it here.` }
    if (isRepeat || hasCard || !grants) return otherwise
    return grants.grantedBy(tool).then((by) => (by === undefined ? otherwise : 'yes'))
  }

  readonly answered: Required<Steering>['answered'] = (n, step) => {
    const decision = this.#saved.decisions[waitKey(n, step.waiting)]
    if (!decision) return this.#people.canBeDecided && this.#people.canBeAsked ? 'wait' : undefined
    if (decision.outcome !== 'answered') return { action: 'cancel' }
    const { action, content } = decision
    return { action, ...(content ? { content } : {}) }
  }

  /** A call is allowed once, even if its tool has asked the asker something since. */
  #approvalOf({ n, step: { waiting } }: PendingCall): Decision | undefined {
    const { decisions } = this.#saved
    if (waiting?.for?.kind !== 'question') return decisions[waitKey(n, waiting)]
    const rounds = Array.from({ length: waiting.round ?? 1 }, (_, i) => decisions[waitKey(n, { round: i + 1 })])
    return rounds.findLast((decision) => decision?.outcome === 'allowed')
  }
}

/** A person's approval is for exactly the shown content. */
function permissionOf(decision: Decision, { tool, input }: PendingCall): Permission {
  const no = (why: string): Permission => ({ no: `${tool.name} was not run: ${why}` })
  if (decision.outcome === 'allowed') {
    const isSame = decision.key === callKey(tool.name, input, tool.version)
    return isSame ? 'yes' : no('the tool or its input has changed since it was approved.')
  }
  if (decision.outcome === 'expired') return no('nobody approved it in time.')
  const reason = 'reason' in decision && decision.reason ? ` The reason given: ${decision.reason}` : ''
  return no(`a person denied it.${reason}`)
}
