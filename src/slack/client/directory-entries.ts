/** Reads what Slack says about people and channels (`users.info`, `conversations.info`). */
import { z } from 'zod'
import { cleanName } from '../format/escape.ts'
import type { SlackResult } from './slack-web.ts'

/**
 * What Slack says about an id. `none`: the person or channel does not exist or is hidden from the bot, such as a
 * private channel without the bot. `isExternal`: people of other workspaces read it. `untold`: Slack gives no name, for
 * example because the app lacks a scope.
 */
export type Known =
  | { kind: 'person'; name: string }
  | { kind: 'channel'; name: string; isPrivate: boolean; isExternal?: boolean }
  | { kind: 'none' }
  | { kind: 'untold' }

/** Facts about a person besides the name. */
export interface PersonFacts {
  /** Whether the person belongs to neither the bot's workspace nor its organisation. */
  isExternal: boolean
  /** Whether the person is a guest of one or several channels. */
  isGuest: boolean
  isAdmin: boolean
  /** In lower case. Absent if the app lacks the scope for it. */
  email?: string
  isEmailConfirmed: boolean
  /** The person's account is deactivated. */
  isGone: boolean
  /** The person's time zone, an IANA name. */
  zone?: string
}

const text = z.string().optional().catch(undefined)

const flag = z.boolean().optional().catch(undefined)

const personSchema = z.object({
  user: z.object({
    name: text,
    real_name: text,
    team_id: text,
    is_stranger: flag,
    is_restricted: flag,
    is_ultra_restricted: flag,
    is_admin: flag,
    is_owner: flag,
    is_email_confirmed: flag,
    deleted: flag,
    tz: text,
    enterprise_user: z
      .object({ enterprise_id: text, teams: z.array(z.string()).optional().catch(undefined) })
      .optional()
      .catch(undefined),
    profile: z.object({ display_name: text, real_name: text, email: text }).optional().catch(undefined),
  }),
})

type SlackPerson = z.infer<typeof personSchema>['user']

/** Returns the person in an answer of `users.info`; undefined if it has another form. */
export function personIn(answer: SlackResult): SlackPerson | undefined {
  const read = personSchema.safeParse(answer)
  return read.success ? read.data.user : undefined
}

/** Returns the person's name: the display name, if there is one. */
export function knownOf({ profile, real_name, name }: SlackPerson): Known {
  const names = [profile?.display_name, profile?.real_name, real_name, name]
  const shown = names.map((one) => cleanName(one ?? '')).find((one) => one !== '')
  return shown === undefined ? { kind: 'untold' } : { kind: 'person', name: shown }
}

/** Returns the facts about a person. In an organisation, a person has one home workspace and may be a member of others. */
export function factsOf(person: SlackPerson, home: { team: string; enterprise: string | undefined }): PersonFacts {
  const { enterprise_id: enterprise, teams = [] } = person.enterprise_user ?? {}
  const isOfOurs = enterprise !== undefined && enterprise === home.enterprise
  const isMember = person.team_id === home.team || teams.includes(home.team) || isOfOurs
  const email = person.profile?.email?.toLowerCase()
  return {
    isExternal: person.is_stranger === true || !isMember,
    isGuest: person.is_restricted === true || person.is_ultra_restricted === true,
    isAdmin: person.is_admin === true || person.is_owner === true,
    ...(email ? { email } : {}),
    isEmailConfirmed: person.is_email_confirmed === true,
    isGone: person.deleted === true,
    ...(person.tz ? { zone: person.tz } : {}),
  }
}

const channelSchema = z.object({
  channel: z.object({
    name: text,
    is_private: flag,
    is_ext_shared: flag,
    is_pending_ext_shared: flag,
    is_org_shared: flag,
  }),
})

/** Returns the channel in an answer of `conversations.info`. A channel that is not said to be public counts as private. */
export function channelIn(answer: SlackResult): Known {
  const read = channelSchema.safeParse(answer)
  if (!read.success) return { kind: 'untold' }
  const { name, is_private, is_ext_shared, is_pending_ext_shared, is_org_shared } = read.data.channel
  const isExternal = [is_ext_shared, is_pending_ext_shared, is_org_shared].includes(true)
  return {
    kind: 'channel',
    name: cleanName(name ?? ''),
    isPrivate: is_private !== false,
    ...(isExternal ? { isExternal } : {}),
  }
}
