import type { KnownBlock } from '@slack/web-api'
import { shownThought } from '../../agent/shown-thought.ts'
import { inputForPeople } from '../../agent/tool-input.ts'
import { actionTitle } from '../../agent/tool-title.ts'
import { escapeWithin, withoutLinks, withVisibleMarks } from '../format/escape.ts'
import { richTextBlock } from '../format/plain-elements.ts'
import { unreadableTitle } from '../format/messages.ts'
import { TASK_CHARS } from '../format/work-card.ts'
import type { ShownStep } from './types.ts'

/** A step as a chunk of a stream. */
export interface TaskUpdate {
  type: 'task_update'
  id: string
  title: string
  status: 'in_progress' | 'complete'
  details?: string
  output?: string
}

export function taskOf({ n, step }: ShownStep): TaskUpdate {
  const { observation } = step
  const thought = shownThought(step)
  const isReadable = step.kind === 'tool'
  const title = isReadable
    ? [actionTitle(step.action), inputForPeople(step.action.input)].filter(Boolean).join(': ')
    : unreadableTitle(step)
  // Never `error`, which shows a red triangle: a tool's ordinary failure is not a fault of the bot.
  const failed = observation && !observation.ok && isReadable ? ' (failed)' : ''
  return {
    type: 'task_update',
    id: `step-${n}`,
    title: short(title + failed),
    status: observation ? 'complete' : 'in_progress',
    ...(thought && isReadable ? { details: short(thought) } : {}),
    ...(observation && isReadable
      ? { output: short(withVisibleMarks([observation.note, observation.text].join(' '))) }
      : {}),
  }
}

function short(text: string): string {
  const line = withoutLinks(text.replace(/\s+/g, ' ').trim())
  return escapeWithin(line, { max: TASK_CHARS - 40, maxEscaped: TASK_CHARS })
}

/** The same tasks for a message that is not a stream any more. */
export function planBlock(title: string, tasks: TaskUpdate[]): KnownBlock {
  return {
    type: 'plan',
    title,
    tasks: tasks.map(({ id, title: name, status, details, output }) => ({
      type: 'task_card' as const,
      task_id: id,
      title: name,
      status,
      ...(details ? { details: richTextBlock(details) } : {}),
      ...(output ? { output: richTextBlock(output) } : {}),
    })),
  }
}

/** The steps of a streamed message, and those whose changes the stream does not have. */
export class StreamSteps {
  readonly #steps = new Map<number, ShownStep>()
  readonly #unsent = new Set<number>()

  /** Takes the current state of steps. @returns whether the task of any of them has changed */
  update(steps: ShownStep[]): boolean {
    const changed = steps.filter((step) => {
      const before = this.#steps.get(step.n)
      return JSON.stringify(before && taskOf(before)) !== JSON.stringify(taskOf(step))
    })
    for (const step of steps) this.#steps.set(step.n, step)
    for (const step of changed) this.unsend(step)
    return changed.length > 0
  }

  /** Takes the current state of a step, to be sent even if its task has not changed. */
  mark(step: ShownStep): void {
    this.#steps.set(step.n, step)
    this.unsend(step)
  }

  /** The steps to send, in their current state, in order. */
  get unsent(): ShownStep[] {
    return this.all.filter(({ n }) => this.#unsent.has(n))
  }

  /** All steps, in order. */
  get all(): ShownStep[] {
    return [...this.#steps.values()].sort((a, b) => a.n - b.n)
  }

  markSent(): void {
    this.#unsent.clear()
  }

  /** Takes back that a step was sent. */
  unsend({ n }: Pick<ShownStep, 'n'>): void {
    this.#unsent.add(n)
  }
}
