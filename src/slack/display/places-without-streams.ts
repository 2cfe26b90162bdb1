import type { Question } from '../../stores/runs/types.ts'

/** How long to avoid streams in a place that refuses them, or that had too many of them. Milliseconds. */
const REFUSED_MS = 600_000
const LIMITED_MS = 60_000
/** Error codes that concern only the question, not its place. */
const OWN_FAULTS = new Set(['user_not_found', 'invalid_thread_ts', 'missing_recipient_user_id', 'message_not_found'])

/** Remembers where Slack refuses streams, and until when. A place is all channels of one kind in one workspace. */
export class StreamRefusals {
  readonly #until = new Map<string, number>()

  isRefused(question: Question, now: Date): boolean {
    return (this.#until.get(placeOf(question)) ?? 0) > now.getTime()
  }

  /** Records the code with which Slack refused to open a stream. */
  note(question: Question, code: string, now: Date): void {
    if (OWN_FAULTS.has(code)) return
    this.#until.set(placeOf(question), now.getTime() + (code === 'ratelimited' ? LIMITED_MS : REFUSED_MS))
  }
}

function placeOf({ team, channel }: Question): string {
  return `${team}:${channel.charAt(0)}`
}
