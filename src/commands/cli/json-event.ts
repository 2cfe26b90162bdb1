import type { AnswerEvent } from '../../question/answer.ts'

/**
 * Returns an event as `npm run cli -- --json` prints it, on one line: flat, and only what is new. Other programs read
 * these lines, so their fields stay the same even if the events change.
 */
export function jsonOf(event: AnswerEvent): object {
  if (!('step' in event)) return event
  const { type, n } = event
  switch (type) {
    case 'thought': {
      const { turn, thought, reasoning } = event.step
      const unreadable = event.step.kind === 'unreadable' ? { unreadable: event.step.text } : {}
      // A model that writes nothing beside its calls has no other thought.
      return { type, step: n, turn, text: thought || (reasoning ?? ''), ...(reasoning && { reasoning }), ...unreadable }
    }
    case 'action':
      return { type, step: n, turn: event.step.turn, action: event.step.action }
    case 'observation':
      return { type, step: n, observation: event.step.observation, ms: event.ms }
    case 'message':
      return { type, step: n, turn: event.step.turn, text: event.step.text, user: event.step.user }
    case 'waiting':
      return { type, step: n, turn: event.step.turn, action: event.step.action, ...event.step.waiting }
    case 'begun':
      return { type, step: n, turn: event.step.turn, action: event.step.action }
  }
}
