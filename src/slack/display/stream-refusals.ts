import type { Question } from '../../stores/runs/types.ts'

/** For so long a place is not tried again that refuses streams, or has had too many of them. Milliseconds. */
const REFUSED_MS = 600_000
const LIMITED_MS = 60_000
/** These say something about the question alone, not about its place. */
const OWN_FAULTS = new Set(['user_not_found', 'invalid_thread_ts', 'missing_recipient_user_id', 'message_not_found'])

/** Where Slack has refused streams, and until when: channels of one kind in one workspace take them or do not. */
export class StreamRefusals {
  readonly #until = new Map<string, number>()

  isRefused(question: Question, now: Date): boolean {
    return (this.#until.get(placeOf(question)) ?? 0) > now.getTime()
  }

  /** Slack has refused with this code to open a stream. */
  note(question: Question, code: string, now: Date): void {
    if (OWN_FAULTS.has(code)) return
    this.#until.set(placeOf(question), now.getTime() + (code === 'ratelimited' ? LIMITED_MS : REFUSED_MS))
  }
}

function placeOf({ team, channel }: Question): string {
  return `${team}:${channel.charAt(0)}`
}
