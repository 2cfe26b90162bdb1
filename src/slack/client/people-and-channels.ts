/**
 * Reads Slack's answers about people, channels and user groups. Fields that Slack leaves out or breaks are absent.
 */
import { z } from 'zod'
import { timeZone } from '../../schedules/when.ts'
import { cleanName } from '../format/escape.ts'

/**
 * A person, channel or user group as Slack describes them. `none`: it does not exist or is hidden from the bot, such as
 * a private channel without the bot. `untold`: Slack gives no name, for example because the app lacks a scope.
 */
export type DirectoryEntry =
  | { kind: 'person'; name: string; title?: string }
  | { kind: 'channel'; name: string; isPrivate: boolean; isShared: boolean; isMpim: boolean }
  | { kind: 'group'; name: string }
  | { kind: 'none' }
  | { kind: 'untold' }

/** Facts about a person besides the name. */
export interface PersonFacts {
  /** Whether the person belongs to neither the bot's workspace nor its organisation. */
  isExternal: boolean
  /** The ids of their workspaces, and of their organisation, as far as Slack names them. */
  homes: string[]
  /** Whether the person is a guest of one or several channels. */
  isGuest: boolean
  isAdmin: boolean
  /** Whether it is the user of an app. */
  isBot: boolean
  /** The domain of the mail address, in lower case. Absent if the app lacks the scope for it. */
  mailDomain?: string
  isEmailConfirmed: boolean
  /** The person's account is deactivated. */
  isGone: boolean
  /** The person's time zone, an IANA name. Absent if Slack names none that is known. */
  zone?: string
}

const text = z.string().optional().catch(undefined)

const flag = z.boolean().optional().catch(undefined)

export const personSchema = z.object({
  user: z.object({
    name: text,
    real_name: text,
    team_id: text,
    is_stranger: flag,
    is_restricted: flag,
    is_ultra_restricted: flag,
    is_admin: flag,
    is_bot: flag,
    is_owner: flag,
    is_email_confirmed: flag,
    deleted: flag,
    tz: text,
    enterprise_user: z
      .object({ enterprise_id: text, teams: z.array(z.string()).optional().catch(undefined) })
      .optional()
      .catch(undefined),
    profile: z.object({ display_name: text, real_name: text, title: text, email: text }).optional().catch(undefined),
  }),
})

export const groupsSchema = z.object({
  usergroups: z
    .array(z.object({ id: z.string().catch(''), handle: z.string().catch('') }).catch({ id: '', handle: '' }))
    .catch([]),
})

type SlackPerson = z.infer<typeof personSchema>['user']

export function personEntry({ profile, real_name, name }: SlackPerson): DirectoryEntry {
  const names = [profile?.display_name, profile?.real_name, real_name, name]
  const shown = names.map((one) => cleanName(one ?? '')).find((one) => one !== '')
  const title = cleanName(profile?.title ?? '')
  return shown === undefined ? { kind: 'untold' } : { kind: 'person', name: shown, ...(title ? { title } : {}) }
}

/**
 * Returns whether Slack's facts are about the person with this id here, and a message came from another person: an id
 * is unique only within a workspace or an organisation. `userTeam` is the workspace that the message names.
 */
export function isNamesakes({ isExternal, homes }: PersonFacts, home: { team: string; userTeam: string }): boolean {
  return home.userTeam !== home.team && !isExternal && homes.length > 0 && !homes.includes(home.userTeam)
}

/** What is known of a person of another company whose id somebody here has too. */
export const STRANGER: PersonFacts = {
  isExternal: true,
  homes: [],
  isGuest: false,
  isAdmin: false,
  isBot: false,
  isEmailConfirmed: false,
  isGone: false,
}

/** In an organisation, a person has one home workspace and may be a member of others. */
export function personFacts(person: SlackPerson, home: { team: string; enterprise: string | undefined }): PersonFacts {
  const { enterprise_id: enterprise, teams = [] } = person.enterprise_user ?? {}
  const isOfOurs = enterprise !== undefined && enterprise === home.enterprise
  const isMember = person.team_id === home.team || teams.includes(home.team) || isOfOurs
  const email = person.profile?.email?.toLowerCase()
  return {
    isExternal: person.is_stranger === true || !isMember,
    homes: [person.team_id, enterprise, ...teams].filter((one) => one !== undefined),
    isGuest: person.is_restricted === true || person.is_ultra_restricted === true,
    isAdmin: person.is_admin === true || person.is_owner === true,
    ...(email ? { mailDomain: email.slice(email.lastIndexOf('@') + 1) } : {}),
    isBot: person.is_bot === true,
    isEmailConfirmed: person.is_email_confirmed === true,
    isGone: person.deleted === true,
    ...(person.tz && timeZone(person.tz) !== undefined ? { zone: person.tz } : {}),
  }
}

/** The answer of `conversations.info`, as far as it is used. A field that Slack leaves out or breaks is absent. */
export const channelSchema = z.object({
  channel: z.object({
    name: text,
    is_private: flag,
    is_mpim: flag,
    is_archived: flag,
    is_member: flag,
    is_ext_shared: flag,
    is_pending_ext_shared: flag,
    is_org_shared: flag,
    context_team_id: text,
    conversation_host_id: text,
    shared_team_ids: z.array(z.string()).catch([]),
    internal_team_ids: z.array(z.string()).catch([]),
  }),
})

export function channelEntry(channel: z.infer<typeof channelSchema>['channel']): DirectoryEntry {
  const { name, is_private, is_mpim, is_ext_shared, is_pending_ext_shared } = channel
  const isShared = is_ext_shared === true || is_pending_ext_shared === true
  const facts = { isPrivate: is_private !== false, isShared, isMpim: is_mpim === true }
  return { kind: 'channel', name: cleanName(name ?? ''), ...facts }
}

/** Returns whether an id is that of a user group. */
export function isGroup(id: string): boolean {
  return /^S[A-Z0-9]+$/.test(id)
}
