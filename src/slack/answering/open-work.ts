import { messageOf } from '../../base/errors.ts'
import { release } from '../../question/admission.ts'
import { conversationOf, isRepeat, type Question, type Run } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { Mentions } from '../client/mentions.ts'
import { Outbox } from '../client/outbox.ts'
import { chooseDisplay } from '../display/choose-display.ts'
import { RunDisplay } from '../display/run-display.ts'
import type { StreamRefusals } from '../display/stream-refusals.ts'
import type { QuestionWork } from '../question-work.ts'
import type { Services } from '../services.ts'
import { scheduledSettings } from './scheduled-run.ts'

interface WorkParts {
  services: Services
  installation: Installation
  signal: AbortSignal
  streamsRefused: StreamRefusals
}

/** Collects what the work on one question needs. */
export async function openWork(question: Question, run: Run, parts: WorkParts): Promise<QuestionWork> {
  const { services, installation, signal, streamsRefused } = parts
  const { log, now, fetch, threads } = services
  const quietWords = () => services.agent.answer.prompts['quiet-schedule']({})
  const settings = scheduledSettings(question, await services.settingsFor({ ...question, waits: true }), quietWords)
  const mentions = new Mentions(installation.directory, question)
  const outboxUnder = (signal: AbortSignal) => new Outbox({ installation, question, run, signal, log, fetch })
  const outbox = outboxUnder(signal)
  return {
    ...{ services, question, run, signal, settings, installation, mentions, outbox },
    async openDisplay({ steps = settings.steps, signal: other } = {}) {
      await mentions.lookUpSaved(run.saved, isRepeat(question.id) ? `<@${question.user}>` : '')
      const { streamInChannels, approvers } = settings
      const shared = { log, now, outbox: other ? outboxUnder(other) : outbox, signal: other ?? signal }
      const named = (text: string) => mentions.forPeople(text)
      const stop = () => stopRun(question, services)
      const display = chooseDisplay({ ...shared, steps, streamInChannels, streamsRefused, named, stopRun: stop })
      const linkHosts = [...settings.linkHosts, installation.identity.url]
      const { connections } = services
      return new RunDisplay({ ...shared, display, threads, linkHosts, approvers, mentions, connections })
    },
    release: (options) => release({ question, run, settings, services }, options),
  }
}

/** Stops a run after a person has stopped its stream in Slack. */
function stopRun(question: Question, { control, log }: Services): void {
  const run = { thread: conversationOf(question), id: question.id }
  control.send(run, { type: 'stop', by: question.user }).catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'a run whose stream was stopped could not be stopped')
  })
}
