import type { RunDisplay } from '../display/run-display.ts'
import { escapeText } from '../format/escape.ts'
import type { QuestionWork } from '../question-work.ts'

/**
 * Uploads the files that the run's tools made into the thread, below its steps, each once. Names the files that Slack
 * refuses. A run that is for the asker alone sends none: a thread's files are for all.
 * @throws LeaseLost
 */
export async function sendMadeFiles({ run, outbox }: QuestionWork, display: RunDisplay): Promise<void> {
  const files = run.saved.steps.flatMap((step) => (step.kind === 'tool' && step.observation?.file) || [])
  const names = files.map(({ name }) => escapeText(name)).join(', ')
  if (outbox.isForAsker) return display.tell('files-unsent', `📎 I did not send ${names}: everyone here would see it.`)
  await display.settled()
  const unsent: string[] = []
  for (const [i, { name, text }] of files.entries())
    if (!(await outbox.sendFile(`file-${i + 1}`, { name, title: name, text }))) unsent.push(escapeText(name))
  const why = 'Slack does not accept files from me here. The app may lack the scope files:write.'
  if (unsent.length > 0) await display.tell('files-unsent', `📎 I could not send ${unsent.join(', ')}: ${why}`)
}
