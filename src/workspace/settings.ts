import type { Dialect, Tool } from '../agent/types.ts'
import type { Config } from '../config.ts'
import type { Question } from '../run/types.ts'

/** What is set for one place in Slack, as it is at the moment of a question. */
export interface Settings {
  /** A reply a step, one streamed message with a task a step, or the answer alone. */
  steps: Config['STEPS']
  dialect: Dialect
  tools: Tool[]
  /** `mention`: a follow-up must name the bot again. */
  followUps: Config['FOLLOW_UPS']
  /** How far apart the messages of one conversation in a direct message may be; 0 if each is its own. */
  dmMemoryMinutes: number
  /** Hosts whose links open, besides those of a run's sources. */
  linkHosts: string[]
}

/** Where a question is asked. */
export type SettingsPlace = Pick<Question, 'team' | 'channel'>

/** Asked at each question, so that nothing needs a restart to hear of a change. */
export type SettingsFor = (place: SettingsPlace) => Promise<Settings>

/** The same settings for every place: those of the environment. */
export function settingsFromConfig(config: Config, agent: Pick<Settings, 'dialect' | 'tools'>): SettingsFor {
  const settings: Settings = {
    steps: config.STEPS,
    dialect: agent.dialect,
    tools: agent.tools,
    followUps: config.FOLLOW_UPS,
    dmMemoryMinutes: config.DM_MEMORY_MINUTES,
    linkHosts: config.LINK_HOSTS,
  }
  return async () => settings
}
