import { release } from '../../question/admission.ts'
import { scheduledSettings } from '../../question/scheduled-settings.ts'
import { stopRun } from '../../question/stop-question.ts'
import type { Question, Run } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { Mentions } from '../client/mentions.ts'
import { Outbox } from '../client/outbox.ts'
import { chooseDisplay } from '../display/choose-display.ts'
import { RunDisplay } from '../display/run-display.ts'
import type { StreamRefusals } from '../display/places-without-streams.ts'
import type { QuestionWork } from '../question-work.ts'
import type { Services } from '../services.ts'

interface WorkParts {
  services: Services
  installation: Installation
  signal: AbortSignal
  streamsRefused: StreamRefusals
}

/** Collects what the work on one question needs. */
export async function openWork(question: Question, run: Run, parts: WorkParts): Promise<QuestionWork> {
  const { services, installation, signal, streamsRefused } = parts
  const { now, threads } = services
  const log = services.log.child({ question: question.id })
  const ofPlace = await services.settingsFor({ ...question, waits: true })
  const settings = scheduledSettings(question, ofPlace, services.agent.prompts)
  const mentions = new Mentions(installation.directory, question)
  const outboxUnder = (signal: AbortSignal) => new Outbox(installation, question, run, signal, log)
  const outbox = outboxUnder(signal)
  return {
    services,
    question,
    run,
    signal,
    settings,
    installation,
    mentions,
    outbox,
    async openDisplay({ steps = settings.steps, signal: other } = {}) {
      await mentions.lookUpSaved(run.saved, question.isRepeat ? `<@${question.user}>` : '')
      const { streamInChannels, approvers, hasFullFooter } = settings
      const shared = { log, now, outbox: other ? outboxUnder(other) : outbox, signal: other ?? signal }
      const forPeople = (text: string) => mentions.forPeople(text)
      const stop = () => void stopRun(question, services)
      const display = chooseDisplay({ ...shared, steps, streamInChannels, streamsRefused, forPeople, stopRun: stop })
      const linkHosts = [...settings.linkHosts, installation.identity.url]
      const { connections } = services
      const facts = { installation, linkHosts, approvers, hasFullFooter }
      return new RunDisplay({ ...shared, ...facts, display, threads, mentions, connections })
    },
    release: (options) => release({ question, run, settings, services }, options),
  }
}
