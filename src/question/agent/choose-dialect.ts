/** The operator's dialect: the one that AGENT_DIALECT names, or with `auto` the one that the model is good at. */
import type { Model } from '../../agent/contracts/model.ts'
import type { Log } from '../../base/log.ts'
import type { Config, DialectName } from '../../config.ts'
import { probeNativeCalls } from '../../model/probe-native-calls.ts'
import { probeStructured } from '../../model/probe-structured.ts'

/** For commands that ask no model, such as those that only look at the tools: the dialect is not probed. */
export function withoutAuto(config: Config): Config {
  return { ...config, AGENT_DIALECT: givenDialect(config) }
}

/** A given model, such as the demo, is not probed. */
export function givenDialect({ AGENT_DIALECT: name }: Config): DialectName {
  return name === 'auto' ? 'text' : name
}

/** The time that the start waits for each answer of the model's probes with AGENT_DIALECT=auto. Milliseconds. */
const START_PROBE_MS = 15_000
/** The same while a person waits who has just chosen the model: a small computer reads slowly. */
export const PATIENT_PROBE_MS = 60_000

/**
 * Returns, for `auto`, `native` if the model's tool calls come back usable, else `structured` if its endpoint holds the
 * form, else `text`. A front without access to a model probes none.
 */
export async function chooseDialect(
  config: Config,
  model: Model,
  { log, probeMs = START_PROBE_MS }: { log: Log; probeMs?: number },
): Promise<DialectName> {
  const { AGENT_DIALECT: set, OPENAI_API_KEY: key, OPENAI_BASE_URL: address } = config
  if (set !== 'auto' || (key ?? address) === undefined) return givenDialect(config)
  const found = await probeNativeCalls(model, probeMs)
  const held = found.usable || found.isDown ? undefined : await probeStructured(model, probeMs)
  const dialect = found.usable ? 'native' : held?.isHeld ? 'structured' : 'text'
  const why = [found.usable ? 'Its native tool calls work.' : found.why, held && !held.isHeld ? held.why : '']
    .join(' ')
    .trim()
  const say = !found.usable && found.isDown ? log.warn.bind(log) : log.info.bind(log)
  say({ model: model.name, dialect, why }, 'AGENT_DIALECT=auto has chosen the dialect')
  return dialect
}
