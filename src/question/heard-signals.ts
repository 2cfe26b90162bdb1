/** Decides which of a run's calls wait for a person, and hands the agent what people have sent to the run. */
import type { Tool } from '../agent/contracts/tool.ts'
import type { Addition, PendingCall, Permission, Steering } from '../agent/run-state.ts'
import { callKey } from '../stores/runs/call-key.ts'
import { Withdrawn, type Signal, type Withdrawal } from '../stores/runs/run-control.ts'
import type { Decision, SavedRun } from '../stores/runs/types.ts'
import { waitKey } from '../stores/runs/wait-keys.ts'

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
    return { action, content }
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
