/** The settings of a place: the operator's (config.ts), replaced by what the channel has set. */
import { z } from 'zod'
import type { AgentSetup } from '../../agent/run-state.ts'
import { settledWithin } from '../../base/async.ts'
import { DIALECT_NAMES, FOLLOW_UPS, STEPS, type Config } from '../../config.ts'
import { TransientError } from '../../base/errors.ts'
import { deleteBeginning, expiringCache } from '../../base/expiring-cache.ts'
import { isRecord, parseJson } from '../../base/parse-json.ts'
import type { StoreLog } from '../../base/store-log.ts'
import type { Place } from '../../base/place.ts'
import { below, forgetKeys, kvKey, type Kv } from '../kv/kv.ts'

/** The settings of one place in Slack at the moment of a question. */
export interface Settings extends AgentSetup {
  /** How steps are shown. */
  steps: Config['STEPS']
  /** Whether a stream may be opened in a channel too. */
  streamInChannels: boolean
  /** The channel's instructions for the model, which the dialect passes on; '' for none. */
  instructions: string
  /** `mention`: a follow-up must name the bot again. */
  followUps: Config['FOLLOW_UPS']
  whoMayStop: NonNullable<ChannelSettings['whoMayStop']>
  /** The people who may have a channel forgotten. */
  whoMayForget: NonNullable<ChannelSettings['whoMayForget']>
  /** The people who may change the settings of a channel. */
  settingsBy: Config['SETTINGS_BY']
  /**
   * The maximum pause between messages of one conversation in a direct message. 0: each message is its own
   * conversation.
   */
  dmMemoryMinutes: number
  /** Hosts to which links open, besides those of a run's sources. */
  linkHosts: string[]
  /** The people who may ask, and the channels. */
  access: Access
  /** The people besides the asker who may approve the call of a tool. */
  approvers: Config['APPROVERS']
  /** Whether a footer says how many steps, seconds and tokens an answer took. */
  hasFullFooter: boolean
  /** Whether a footer says how many figures of the answer are not from a source. */
  figures: boolean
}

/** An empty list of channels or people allows all of them. */
export interface Access {
  /** Ids; `dm` stands for direct messages. */
  channels: string[]
  /** Ids of people and user groups, and domains of e-mail addresses. */
  users: string[]
  /** People of connected workspaces, and guests, may ask. */
  external: boolean
  /** Ids of other bots, of their apps or of their users; all others are ignored. */
  bots: string[]
}

/**
 * A question's place and asker, on whom tools may depend. `waits`: waits a few seconds for servers whose tools are not
 * known yet. Workers do; whatever must be acked to Slack does not.
 */
export interface SettingsPlace extends Place {
  user?: string | undefined
  waits?: boolean | undefined
}

/** Called at each question, so that a change needs no restart. */
export type SettingsFor = (place: SettingsPlace) => Promise<Settings>

/** Returns the same settings for every place: those of the environment. */
export function settingsFromConfig(config: Config, agent: AgentSetup): SettingsFor {
  const settings: Settings = {
    steps: config.STEPS,
    streamInChannels: config.STEPS_STREAM_CHANNELS,
    model: agent.model,
    dialect: agent.dialect,
    tools: agent.tools,
    instructions: '',
    skills: agent.skills,
    followUps: config.FOLLOW_UPS,
    whoMayStop: 'asker',
    whoMayForget: 'admins',
    settingsBy: config.SETTINGS_BY,
    dmMemoryMinutes: config.DM_MEMORY_MINUTES,
    linkHosts: config.LINK_HOSTS,
    access: {
      channels: config.ALLOW_CHANNELS,
      users: config.ALLOW_USERS,
      external: config.ALLOW_EXTERNAL,
      bots: config.ALLOW_BOTS,
    },
    approvers: config.APPROVERS,
    figures: config.FIGURES === 'on',
    hasFullFooter: config.FOOTER === 'full',
  }
  return async () => settings
}

/** The settings of channels, and how the names in them become parts of an agent. */
interface ChannelSources {
  store: ChannelSettingsStore
  /**
   * Whether the agent of a place may change from moment to moment, even if nothing is set: tools of MCP servers come
   * and go.
   */
  isAgentFresh?: boolean
  agentFor(chosen: ChosenAgent, place: SettingsPlace): Promise<AgentSetup>
}

/** Returns the operator's settings, with the channel's in their place. */
export function withChannelSettings(
  operators: SettingsFor,
  { store, agentFor, isAgentFresh }: ChannelSources,
): SettingsFor {
  return async (place) => {
    const [settings, set] = await Promise.all([operators(place), store.load(place)])
    if (Object.keys(set).length === 0 && !isAgentFresh) return settings
    const { steps, followUps, whoMayStop, whoMayForget, ...chosen } = set
    return {
      ...settings,
      ...(await agentFor(chosen, place)),
      steps: steps ?? settings.steps,
      followUps: followUps ?? settings.followUps,
      instructions: chosen.instructions ?? settings.instructions,
      whoMayStop: whoMayStop ?? settings.whoMayStop,
      whoMayForget: whoMayForget ?? settings.whoMayForget,
    }
  }
}

/** The maximum length of a channel's instructions. Characters. */
export const MAX_INSTRUCTIONS = 2_000

/** The first half of a character that was cut in two. */
const HALF = /[\ud800-\udbff]$/

/**
 * The settings that the people of a channel have chosen. Absent ones are the operator's. Each part is read by itself:
 * one of another version, with other values, leaves the others as they are.
 */
const channelSettings = z.object({
  steps: z.enum(STEPS).optional().catch(undefined),
  followUps: z.enum(FOLLOW_UPS).optional().catch(undefined),
  /** A model at the same endpoint, by its name, as the dialect, the tools and the skills. */
  model: z.string().min(1).max(200).optional().catch(undefined),
  dialect: z.enum(DIALECT_NAMES).optional().catch(undefined),
  tools: z.array(z.string()).max(200).optional().catch(undefined),
  /** Other skills cannot be read there. */
  skills: z.array(z.string()).max(200).optional().catch(undefined),
  /** Additional instructions for the model, in people's own words. */
  instructions: z
    .string()
    .transform((text) => text.trim().slice(0, MAX_INSTRUCTIONS).replace(HALF, '') || undefined)
    .optional()
    .catch(undefined),
  whoMayStop: z.enum(['asker', 'anyone']).optional().catch(undefined),
  whoMayForget: z.enum(['admins', 'anyone']).optional().catch(undefined),
})
export type ChannelSettings = z.infer<typeof channelSettings>

/** The agent that a channel has chosen. */
export type ChosenAgent = Pick<ChannelSettings, 'model' | 'dialect' | 'tools' | 'skills' | 'instructions'>

/** The settings of channels, each kept for a year after it was last saved or read. */
export interface ChannelSettingsStore {
  /**
   * @returns an empty object for a channel without settings. Unreadable settings count as not set.
   * @throws TransientError while Redis is away
   */
  load(place: Place): Promise<ChannelSettings>
  /** Replaces all settings of the channel. */
  save(place: Place, settings: ChannelSettings): Promise<void>
  forgetTeam(team: string): Promise<void>
}

const YEAR_MS = 365 * 86_400_000
/** The maximum number of channels whose loaded settings are used again. */
const MAX_CHANNELS = 10_000

const NAME = 'settings'

/**
 * How long loaded settings are used without loading them again. After that, every process knows of a change.
 * Milliseconds.
 */
const CACHE_MS = 5_000

/** How long a load may take: the ack of a follow-up waits for it, and then for the queue. Milliseconds. */
const LOAD_MS = 1_000

/**
 * Keeps channels' settings as JSON under `{team:channel}:settings`. Each process asks once in a few seconds for a
 * channel.
 */
export function createChannelSettings(
  kv: Kv,
  { log, now }: { log: StoreLog; now: () => number },
): ChannelSettingsStore {
  const loaded = expiringCache<ChannelSettings>({ ttlMs: CACHE_MS, max: MAX_CHANNELS, now })
  const load = async (place: Place): Promise<ChannelSettings> => {
    const text = await kv.texts.get(keyOf(place))
    if (text === undefined) return {}
    await kv.keys.renew(keyOf(place), { ttlMs: YEAR_MS })
    const stored = parseJson(text)
    if (isRecord(stored)) return validSettings(stored)
    log.warn({ ...place }, 'the settings of a channel cannot be read: using the defaults')
    return {}
  }
  return {
    async load(place) {
      const known = loaded.get(keyOf(place))
      if (known) return structuredClone(known)
      const loading = load(place)
      if (!(await settledWithin(LOAD_MS, [loading])))
        throw new TransientError(`Redis did not give a channel's settings within ${LOAD_MS} ms.`)
      loaded.set(keyOf(place), await loading)
      return structuredClone(await loading)
    },
    async save(place, settings) {
      await kv.texts.put(keyOf(place), JSON.stringify(validSettings(settings)), { ttlMs: YEAR_MS })
      loaded.delete(keyOf(place))
    },
    async forgetTeam(team) {
      await forgetKeys(kv, below(team), new RegExp(`^${NAME}$`))
      deleteBeginning(loaded, `{${team}:`)
    },
  }
}

/** Returns the valid settings in a stored value. */
function validSettings(stored: object): ChannelSettings {
  const settings = Object.entries(channelSettings.parse(stored)).filter(([, value]) => value !== undefined)
  return Object.fromEntries(settings)
}

function keyOf({ team, channel }: Place): string {
  return kvKey(`${team}:${channel}`, NAME)
}
