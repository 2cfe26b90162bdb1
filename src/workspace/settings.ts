import type { Dialect, Model, Tool } from '../agent/types.ts'
import type { Config } from '../config.ts'
import type { Place } from '../history/types.ts'
import type { ChannelSettings, ChannelSettingsStore } from './channel-settings.ts'

/** What is set for one place in Slack, as it is at the moment of a question. */
export interface Settings {
  /** A reply a step, one streamed message with a task a step, or the answer alone. */
  steps: Config['STEPS']
  model: Model
  dialect: Dialect
  tools: Tool[]
  /** What the channel wants the model to be told; the dialect tells it. Empty where it wants nothing. */
  instructions: string
  /** `mention`: a follow-up must name the bot again. */
  followUps: Config['FOLLOW_UPS']
  whoMayStop: NonNullable<ChannelSettings['whoMayStop']>
  /** Who may have a channel forgotten. */
  whoMayForget: NonNullable<ChannelSettings['whoMayForget']>
  /** Who may change the settings of a channel. */
  settingsBy: Config['SETTINGS_BY']
  /** How far apart the messages of one conversation in a direct message may be; 0 if each is its own. */
  dmMemoryMinutes: number
  /** Hosts whose links open, besides those of a run's sources. */
  linkHosts: string[]
  /** Who may ask, and where. */
  access: Access
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
export type SettingsPlace = Place

/** Asked at each question, so that nothing needs a restart to hear of a change. */
export type SettingsFor = (place: SettingsPlace) => Promise<Settings>

type AgentSettings = Pick<Settings, 'model' | 'dialect' | 'tools'>

/** The same settings for every place: those of the environment. */
export function settingsFromConfig(config: Config, agent: AgentSettings): SettingsFor {
  const settings: Settings = {
    steps: config.STEPS,
    ...{ model: agent.model, dialect: agent.dialect, tools: agent.tools, instructions: '' },
    followUps: config.FOLLOW_UPS,
    whoMayStop: 'asker',
    whoMayForget: config.FORGET_BY === 'members' ? 'anyone' : 'admins',
    settingsBy: config.SETTINGS_BY,
    dmMemoryMinutes: config.DM_MEMORY_MINUTES,
    linkHosts: config.LINK_HOSTS,
    access: {
      channels: config.ALLOW_CHANNELS,
      users: config.ALLOW_USERS,
      external: config.ALLOW_EXTERNAL,
      bots: config.ALLOW_BOTS,
    },
  }
  return async () => settings
}

/** Where the settings of channels are, and how the names in them become parts of an agent. */
export interface ChannelSources {
  store: ChannelSettingsStore
  agentFor(chosen: Pick<ChannelSettings, 'model' | 'dialect' | 'tools' | 'instructions'>): AgentSettings
}

/** Those of the operator, and in their place what a channel has set. */
export function withChannelSettings(operators: SettingsFor, { store, agentFor }: ChannelSources): SettingsFor {
  return async (place) => {
    const [settings, set] = await Promise.all([operators(place), store.load(place)])
    if (Object.keys(set).length === 0) return settings
    const { steps, followUps, whoMayStop, whoMayForget, ...chosen } = set
    return {
      ...settings,
      ...agentFor(chosen),
      steps: steps ?? settings.steps,
      followUps: followUps ?? settings.followUps,
      instructions: chosen.instructions ?? settings.instructions,
      whoMayStop: whoMayStop ?? settings.whoMayStop,
      whoMayForget: whoMayForget ?? settings.whoMayForget,
    }
  }
}
