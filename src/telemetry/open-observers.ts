import { secretsOf, type Config } from '../config.ts'
import type { ModelMeter } from '../model/choose-model.ts'
import type { Log } from '../base/log.ts'
import type { AnswerWatch } from '../question/answer.ts'
import type { Stores } from '../question/stores/open-stores.ts'
import { observedModel } from './observed-model.ts'
import { createRunRecorder, type RunRecorder, type RunRecorderOptions } from './run-trace-recorder.ts'
import type { Telemetry } from './telemetry.ts'
import { watchedEvents } from './run-observers.ts'

/** The observers of the work. Each exists only if its setting turns it on. */
export interface Observers {
  telemetry: Telemetry | undefined
  recorder: RunRecorder | undefined
}

/** Records the runs of this process if RUN_TRACES or `onTrace` is set. A front runs none. */
export function runRecorder(
  config: Config,
  stores: Pick<Stores, 'archive' | 'durable'>,
  log: Log,
  now: () => number,
  onTrace: RunRecorderOptions['onTrace'],
): RunRecorder | undefined {
  if (config.ROLE === 'front' || (!config.RUN_TRACES && !onTrace)) return undefined
  const { archive, durable } = stores
  return createRunRecorder({ archive, durable, log, now, onTrace, secrets: secretsOf(config) })
}

/** Shows the calls of models to the observers. `now` is in ms. Undefined if nothing observes. */
export function modelMeter({ telemetry, recorder }: Observers, now: () => number): ModelMeter | undefined {
  const observers = [telemetry, recorder].flatMap((one) => (one ? [one.modelCalls] : []))
  if (observers.length === 0) return undefined
  return {
    model: (model) => observedModel(model, observers, now),
    breaker: (model, isOpen) => telemetry?.note({ kind: 'breaker', model, isOpen }),
  }
}

/** Shows the events of runs to the observers. `now` is in ms. Undefined if nothing observes. */
export function answerWatch({ telemetry, recorder }: Observers, now: () => number): AnswerWatch | undefined {
  if (!telemetry && !recorder) return undefined
  return {
    events: (events, tools) => {
      const begin = () => [telemetry?.runObserver(tools) ?? [], recorder?.runObserver() ?? []].flat()
      return watchedEvents(events, begin, now)
    },
    refused: (question, limit) => telemetry?.note({ kind: 'refused', question, limit }),
  }
}
