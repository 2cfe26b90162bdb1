import type { Queue } from '../../queue/types.ts'
import type { RunControl } from '../../run/control.ts'
import { conversationOf, type Question } from '../../run/types.ts'

/** How the id of the message ends by which a run is told of its question's files. */
export const FILES_MESSAGE = ':files'

/**
 * An `app_mention` may come without the files of its message, and before the `message` event that has them: the question is
 * told of them, in `text`, while it waits or runs.
 */
export async function tellOfFiles(
  question: Question,
  text: string,
  { queue, control }: { queue: Queue; control: RunControl },
): Promise<void> {
  const { id, user } = question
  const thread = conversationOf(await queue.place(question))
  const { running, waiting } = await queue.inThread(thread)
  const taken = [...(running ? [running] : []), ...waiting].find((one) => one.id === id)
  if (!taken || taken.files) return
  await control.send({ thread, id }, { type: 'message', id: `${id}${FILES_MESSAGE}`, user, text })
}
