import type { Config } from '../config.ts'
import type { Place } from '../history/types.ts'

/** What the people of a channel have set for it. What is absent is as the operator set it. */
export interface ChannelSettings {
  steps?: Config['STEPS']
  followUps?: Config['FOLLOW_UPS']
  /** Names: of a model at the same endpoint, of a dialect, of tools. */
  model?: string
  dialect?: Config['AGENT_DIALECT']
  tools?: string[]
  /** What the model is told besides, in people's own words: at most `MOST_INSTRUCTIONS` characters. */
  instructions?: string
  whoMayStop?: 'asker' | 'anyone'
  whoMayForget?: 'admins' | 'anyone'
}

/** The settings of channels. They are kept for a year after they were last read or saved. */
export interface ChannelSettingsStore {
  /** Nothing for a channel where nothing is set. What cannot be read counts as not set. */
  load(place: Place): Promise<ChannelSettings>
  /** Replaces all of them. */
  save(place: Place, settings: ChannelSettings): Promise<void>
  forgetTeam(team: string): Promise<void>
}

export const MOST_INSTRUCTIONS = 2_000
