import type { Addition, Permission, Steering } from '../agent/run-state.ts'
import { Withdrawn, type Signal, type Withdrawal } from './control.ts'
import type { SavedRun } from './types.ts'

/**
 * What people have told a run at work here, as the agent asks for it. A message has its effect once: those that are steps of
 * the saved run have had it, whichever process saved them, and each other one is handed to the agent once.
 */
export class HeardSignals implements Required<Steering> {
  readonly #saved: SavedRun
  readonly #canBeDecided: boolean
  readonly #stop = new AbortController()
  readonly #known: Set<string>
  #unread: Addition[] = []
  #withdrawal: Withdrawal | undefined

  /** `canBeDecided`: false where no person can be waited for, such as in an evaluation. */
  constructor(saved: SavedRun, canBeDecided: boolean) {
    this.#saved = saved
    this.#canBeDecided = canBeDecided
    this.#known = new Set(saved.steps.flatMap((step) => (step.kind === 'message' ? [step.id] : [])))
  }

  readonly hear = (signal: Signal): void => {
    if (signal.type === 'stop') {
      this.#withdrawal = signal.withdrawn ?? this.#withdrawal
      return this.#stop.abort(new DOMException('A person asked to stop.', 'AbortError'))
    }
    if (this.#known.has(signal.id)) return
    this.#known.add(signal.id)
    this.#unread.push({ id: signal.id, user: signal.user, text: signal.text })
  }

  /** @throws Withdrawn once the asker took the question back; of several edits the newest counts. */
  throwIfWithdrawn(): void {
    if (this.#withdrawal) throw new Withdrawn(this.#withdrawal)
  }

  readonly stopAsked = (): AbortSignal => this.#stop.signal

  readonly added = (): Addition[] => {
    const added = this.#unread
    this.#unread = []
    return added
  }

  /** What was decided about a step is in the saved run that the deciding brought back to work. */
  readonly mayRun: Required<Steering>['mayRun'] = ({ n, tool }): Permission => {
    const decision = this.#saved.decisions[n]
    if (!tool.needsApproval || decision?.outcome === 'allowed') return 'yes'
    if (!decision && this.#canBeDecided) return 'wait'
    if (!decision) return { no: `${tool.name} was not run: nobody can allow it here.` }
    if (decision.outcome === 'expired') return { no: `${tool.name} was not run: nobody allowed it in time.` }
    const reason = decision.reason ? ` The reason given: ${decision.reason}` : ''
    return { no: `${tool.name} was not run: a person did not allow it.${reason}` }
  }
}
