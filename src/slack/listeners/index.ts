import type { App, Context } from '@slack/bolt'
import type { Log } from '../../log.ts'
import type { Queue } from '../../queue/types.ts'
import type { Question } from '../../run/types.ts'
import { noteContent } from '../format/blocks.ts'
import { questionOf, questionOfCommand, type SlackMessage } from './to-question.ts'
import { COMMAND, helpText, isHelp } from '../messages.ts'

/** Who the bot is in its workspace, as auth.test tells. */
export interface Identity {
  team: string
  botUser: string
  botId: string
}

export interface ListenerOptions {
  identity: Identity
  queue: Queue
  /** `mention`: a follow-up must name the bot again. */
  followUps: 'thread' | 'mention'
  dmMemoryMinutes: number
  log: Log
  now(): Date
}

/** Mention, message and `/ask`: each becomes a Question and goes in by one door. The ack waits until it is stored. */
export function registerListeners(app: App, options: ListenerOptions): void {
  app.event('app_mention', async ({ event, body, context }) => {
    await enqueueMessage(event as SlackMessage, { eventId: body.event_id, context }, options)
  })
  app.message(async ({ message, body, context }) => {
    await enqueueMessage(message as SlackMessage, { eventId: body.event_id, context }, options)
  })
  app.command(COMMAND, async ({ command, ack, context }) => {
    const delivery = {
      team: context.teamId ?? options.identity.team,
      botUser: options.identity.botUser,
      now: options.now(),
    }
    const question = questionOfCommand(command, delivery)
    if (question.text === '' || isHelp(question.text))
      return ack({ response_type: 'ephemeral', ...noteContent(helpText(options)) })
    await enqueue(question, options)
    return ack()
  })
}

async function enqueueMessage(
  message: SlackMessage,
  { eventId, context }: { eventId: string; context: Context },
  options: ListenerOptions,
): Promise<void> {
  const { identity, now, followUps } = options
  const asked = questionOf(message, {
    team: context.teamId ?? identity.team,
    eventId,
    botUser: identity.botUser,
    now: now(),
    isLate: (context.retryNum ?? 0) > 0,
  })
  if (!asked || (asked.onlyKnownThread && followUps === 'mention')) return
  await enqueue(asked.question, options, asked.onlyKnownThread)
}

async function enqueue(question: Question, { queue, log }: ListenerOptions, onlyKnownThread = false): Promise<void> {
  const outcome = await queue.accept(question, { onlyKnownThread })
  if (outcome === 'unknown_thread') return
  log.info(
    { question: question.id, surface: question.surface, chars: question.text.length, outcome },
    'question taken in',
  )
}
