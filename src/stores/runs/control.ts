import type { Addition, PendingCall, Permission, Steering } from '../../agent/run-state.ts'
import type { Tool } from '../../agent/types.ts'
import type { ThreadKey } from '../../base/place.ts'
import { callKey } from './call-key.ts'
import { waitKey, type Decision, type Question, type SavedRun } from './types.ts'

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
export type ResumeOutcome = 'woken' | 'decided' | 'expired' | 'not_running'

/** A question and its run, as a copy. */
export interface LoadedRun {
  question: Question
  saved: SavedRun
}

/** How any process reaches a run, whichever process works on it, and also where none does. */
export interface RunControl {
  /** Tells a run something. A stop brings a run that waits for a person back to the head of its thread, which ends it. */
  send(run: RunRef, signal: Signal): Promise<Sent>
  /**
   * Decides about a step that waits for a person, by the wait's key (`waitKey`); the first decision about a wait holds. A run that
   * waits comes back to the head of its thread, for any worker; one that is not waiting yet will not begin to. One whose waking was
   * cut off by the death of a process goes on when it is resumed again, whatever was decided then.
   */
  resume(run: RunRef, waitKey: string, decision: Decision): Promise<ResumeOutcome>
  /** The run as it is saved now, for whoever shows it or decides about it. Undefined where it is not known, or not any more. */
  load(run: RunRef): Promise<LoadedRun | undefined>
  /**
   * For the process that works on a run: `heard` is called once with each signal that was ever sent to the run, those that
   * earlier processes heard too, in the order of their sending and within a second of it. Resolves when what was sent before
   * has been heard.
   * @returns what ends the listening.
   */
  listen(run: RunRef, heard: (signal: Signal) => void): Promise<() => void>
}

/** Of a run's messages, as many are stored at most. */
export const MAX_SIGNALS = 50

/** Which tools people have allowed for the question's whole thread, from now on. */
export interface Grants {
  isGranted(tool: Tool): Promise<boolean>
}

/** Who can be waited for. `canBeDecided`: false where no person can, such as in an evaluation; `canBeAsked`: the asker is no bot. */
export interface People {
  canBeDecided: boolean
  canBeAsked: boolean
  grants?: Grants | undefined
}

/**
 * What people have told a run at work here, as the agent asks for it. A message has its effect once: those that are steps of
 * the saved run have had it, whichever process saved them, and each other one is handed to the agent once. What was decided is in
 * the saved run that the deciding brought back to work.
 */
export class HeardSignals implements Required<Steering> {
  readonly #saved: SavedRun
  readonly #people: People
  readonly #stop = new AbortController()
  readonly #known: Set<string>
  #unread: Addition[] = []
  #withdrawal: Withdrawal | undefined

  constructor(saved: SavedRun, people: People) {
    this.#saved = saved
    this.#people = people
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

  readonly mayRun = (call: PendingCall): Permission | Promise<Permission> => {
    const decision = this.#approvalOf(call)
    if (decision) return permissionOf(decision, call)
    const { tool, isRepeat, step } = call
    const asked = step.waiting?.for
    if (asked?.kind === 'question' && asked.version !== tool.version)
      return { no: `${tool.name} was not run: the tool, or its server, has changed since it asked.` }
    // A card stands there for this call, which what is allowed for other calls since does not decide.
    const isAsked = step.waiting !== undefined && step.waiting.for?.kind !== 'question'
    if (!tool.needsApproval && !isRepeat && !isAsked) return 'yes'
    const { canBeDecided, grants } = this.#people
    const otherwise = canBeDecided ? 'wait' : { no: `${tool.name} was not run: nobody can allow it here.` }
    if (isRepeat || isAsked || !grants) return otherwise
    return grants.isGranted(tool).then((isGranted) => (isGranted ? 'yes' : otherwise))
  }

  readonly answered: Required<Steering>['answered'] = (n, step) => {
    const decision = this.#saved.decisions[waitKey(n, step.waiting)]
    if (!decision) return this.#people.canBeDecided && this.#people.canBeAsked ? 'wait' : undefined
    if (decision.outcome !== 'answered') return { action: 'cancel' }
    const { action, content } = decision
    return { action, ...(content ? { content } : {}) }
  }

  /** A call is allowed once: that it was stands also where its tool has asked the asker something since. */
  #approvalOf({ n, step: { waiting } }: PendingCall): Decision | undefined {
    const { decisions } = this.#saved
    if (waiting?.for?.kind !== 'question') return decisions[waitKey(n, waiting)]
    const rounds = Array.from({ length: waiting.round ?? 1 }, (_, i) => decisions[waitKey(n, { round: i + 1 })])
    return rounds.findLast((decision) => decision?.outcome === 'allowed')
  }
}

/** A person allows what was shown, and nothing else. */
function permissionOf(decision: Decision, { tool, input }: PendingCall): Permission {
  const no = (why: string): Permission => ({ no: `${tool.name} was not run: ${why}` })
  if (decision.outcome === 'allowed') {
    const isSame = decision.key === callKey(tool.name, input, tool.version)
    return isSame ? 'yes' : no('the tool, or what it would be sent, has changed since a person allowed it.')
  }
  if (decision.outcome === 'expired') return no('nobody allowed it in time.')
  const reason = 'reason' in decision && decision.reason ? ` The reason given: ${decision.reason}` : ''
  return no(`a person did not allow it.${reason}`)
}
