import type { Addition, Permission, Steering } from '../agent/run-state.ts'
import type { ThreadKey } from '../history/types.ts'
import type { Decision, Question, SavedRun } from './types.ts'

/** Which run is meant: the conversation that its question belongs to (`conversationOf`), and the question's id. */
export interface RunRef {
  thread: ThreadKey
  id: string
}

/** The question's message was deleted or edited. `again`: the same question as it reads now, to be answered in its place. */
export interface Withdrawal {
  again?: Question
}

/** Thrown out of the work on a question that was taken back: nothing more is shown, and what was shown goes. */
export class Withdrawn extends Error {
  override name = 'Withdrawn'
  readonly again: Question | undefined

  constructor({ again }: Withdrawal) {
    super('The question was taken back.')
    this.again = again
  }
}

/**
 * What a person tells a run. A stop with `withdrawn` leaves nothing of the run. A message's id makes it one, however often it is
 * delivered; `user` is who wrote it.
 */
export type Signal =
  { type: 'stop'; by: string; withdrawn?: Withdrawal } | { type: 'message'; id: string; user: string; text: string }

/**
 * `sent`: the signal is stored, and the process that works on the run hears it; if none does, the next one that takes the run
 * up. `not_running`: the run has ended, or there is none. `full`: too many messages are unheard; a stop is never too many.
 */
export type Sent = 'sent' | 'not_running' | 'full'

/**
 * `woken`: the decision is stored, and the run goes on. `decided`: somebody was faster; that decision holds. `expired`: the
 * run has waited for too long, and goes on without a decision. `not_running`: the run has ended, or there is none.
 */
export type Woken = 'woken' | 'decided' | 'expired' | 'not_running'

/** How any process reaches a run, whichever process works on it, and also where none does. */
export interface RunControl {
  /** Tells a run something. A stop brings a run that waits for a person back to the head of its thread, which ends it. */
  send(run: RunRef, signal: Signal): Promise<Sent>
  /**
   * Decides about a step that waits for a person; the first decision about a step holds. A run that waits comes back to the
   * head of its thread, for any worker; one that is not waiting yet will not begin to.
   */
  wake(run: RunRef, step: number, decision: Decision): Promise<Woken>
  /**
   * For the process that works on a run: `heard` is called once with each signal that was ever sent to the run, those that
   * earlier processes heard too, in the order of their sending and within a second of it. Resolves when what was sent before
   * has been heard.
   * @returns what ends the listening.
   */
  listen(run: RunRef, heard: (signal: Signal) => void): Promise<() => void>
}

/** Of a run's messages, as many are stored at most. */
export const MOST_SIGNALS = 50

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
    const reason = 'reason' in decision && decision.reason ? ` The reason given: ${decision.reason}` : ''
    return { no: `${tool.name} was not run: a person did not allow it.${reason}` }
  }
}
