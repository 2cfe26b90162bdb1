import type { App, AckFn, Receiver, ReceiverEvent } from '@slack/bolt'

/**
 * Bolt acks an event before its listeners run. Here an ack means "stored": it is held back until the listeners, which only
 * take the question in, are done. Where one fails, the delivery gets a 5xx at once (HTTP) or no ack (Socket Mode), and Slack
 * sends it again.
 */
export function ackWhenStored<R extends Receiver>(receiver: R): R {
  const init = receiver.init.bind(receiver)
  receiver.init = (app) =>
    init(Object.create(app, { processEvent: { value: (event: ReceiverEvent) => process(app, event) } }) as App)
  return receiver
}

async function process(app: App, event: ReceiverEvent): Promise<void> {
  let held: { response: Parameters<AckFn<unknown>>[0] } | undefined
  const ack: AckFn<unknown> = async (response) => {
    held ??= { response }
  }
  await app.processEvent({ ...event, ack })
  if (held) await event.ack(held.response as never)
}
