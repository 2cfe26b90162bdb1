import { release } from '../../question/usage-admission.ts'
import { scheduledSettings } from '../../question/scheduled-settings.ts'
import { stopRun } from '../../question/stop-question.ts'
import { Mentions } from '../client/mentions.ts'
import { Outbox } from '../client/outbox.ts'
import { chooseDisplay } from '../display/choose-display.ts'
import { RunDisplay } from '../display/run-display.ts'
import type { StreamRefusals } from '../display/places-without-streams.ts'
import type { QuestionWork } from '../question-work.ts'
import type { Services } from '../services.ts'

/** Collects what the work on the question of an outbox needs. */
export async function openWork(
  outbox: Outbox,
  services: Services,
  streamsRefused: StreamRefusals,
  admitted: QuestionWork['admitted'],
): Promise<QuestionWork> {
  const { installation, question, run, signal, log } = outbox
  const { now, threads, connections } = services
  const ofPlace = await services.settingsFor({ ...question, waits: true })
  const settings = scheduledSettings(question, ofPlace, services.agent.prompts)
  const mentions = new Mentions(installation.directory, question)
  return {
    services,
    question,
    run,
    signal,
    settings,
    installation,
    mentions,
    outbox,
    admitted,
    async openDisplay({ steps = settings.steps, signal: other } = {}) {
      await mentions.lookUpSaved(run.saved, question.isRepeat ? `<@${question.user}>` : '')
      const own = other ? new Outbox(installation, question, run, other, log) : outbox
      const stop = () => void stopRun(question, services)
      const shown = { outbox: own, mentions, settings, threads, connections, streamsRefused, stopRun: stop, now }
      return new RunDisplay(shown, chooseDisplay(shown, steps))
    },
    release: (options) => release({ question, run, settings, services }, options),
  }
}
