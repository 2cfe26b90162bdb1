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
  /** Who may ask, and where. */
  access: Access
  /** Who may have a channel's conversations forgotten. */
  forgetBy: Config['FORGET_BY']
}

/** An empty list of channels or people allows all of them. */
export interface Access {
  /** Ids; `dm` stands for direct messages. */
  channels: string[]
  /** Ids of people, and domains of their e-mail addresses. */
  users: string[]
  /** People of connected workspaces, and guests, may ask. */
  external: boolean
  /** Ids of other bots, of their apps or of their users; all others are not heard. */
  bots: string[]
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
    access: {
      channels: config.ALLOW_CHANNELS,
      users: config.ALLOW_USERS,
      external: config.ALLOW_EXTERNAL,
      bots: config.ALLOW_BOTS,
    },
    forgetBy: config.FORGET_BY,
  }
  return async () => settings
}
