import type { Queue } from '../../queue/types.ts'
import type { RunControl } from '../../stores/runs/control.ts'
import { conversationOf, type Question } from '../../stores/runs/types.ts'

/**
 * An `app_mention` may come without the files of its message, and before the `message` event that has them: while the question
 * waits or runs, it is taken back, and asked again as `question`, with the files. Such a run is seldom older than a moment.
 */
export async function askWithFiles(
  question: Question,
  { queue, control }: { queue: Queue; control: RunControl },
): Promise<void> {
  const { id, user } = question
  const placed = await queue.place(question)
  const thread = conversationOf(placed)
  const { running, waiting } = await queue.inThread(thread)
  const taken = [...(running ? [running] : []), ...waiting].find((one) => one.id === id)
  if (!taken || taken.files) return
  const again = { ...placed, id: `${id}:files` }
  await control.send({ thread, id }, { type: 'stop', by: user, withdrawn: { again } })
}
