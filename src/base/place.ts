/** `team:channel:thread_ts`, the key of a conversation. */
export type ThreadKey = string

/** A channel or direct message of a team. */
export interface Place {
  team: string
  channel: string
}

/** A person in a team. */
export interface Person {
  team: string
  user: string
}

/**
 * A person as a message of a team's channel names them. `userTeam`: their own workspace, if Slack names another one.
 */
export interface NamedPerson {
  user: string
  userTeam?: string | undefined
}

/** The same in their team. */
export interface NamedInTeam extends NamedPerson {
  team: string
}

/**
 * A person whose data is deleted. Ids are unique only within a workspace or an organisation, so `homes` are the
 * workspaces in which the id is theirs; their team alone if absent.
 */
export interface ForgottenPerson extends Person {
  homes?: readonly string[]
}

/** The key of a person within a team: that of a person of another workspace has their own team. */
export function personIn({ team, user, userTeam = team }: NamedInTeam): string {
  return userTeam === team ? user : `${userTeam}/${user}`
}

/** Returns whether something of a team is a person's, by whom it names. */
export function isOf({ team, user, homes = [team] }: ForgottenPerson, named: NamedPerson): boolean {
  return named.user === user && homes.includes(named.userTeam ?? team)
}

/** Returns whether a key (`personIn`) is a person's. */
export function isKeyOf(person: ForgottenPerson, key: string): boolean {
  const [user = '', userTeam] = key.split('/').reverse()
  return isOf(person, { user, userTeam })
}

/** A person in a channel or direct message. */
export interface PersonInPlace extends Person, Place {}

/** The same, as a message there names them. */
export interface NamedInPlace extends NamedInTeam, PersonInPlace {}

/** A person whose data is deleted, and their direct message. */
export interface ForgottenInPlace extends ForgottenPerson, PersonInPlace {}

/** Deletes a store's data about a channel or a team, on request or when the app is removed from a workspace. */
export interface Forgetting {
  forgetChannel(place: Place): Promise<void>
  forgetTeam(team: string): Promise<void>
}

/** A store whose data belongs to channels, which may get a new id. */
export interface Moving {
  /** Moves a channel's data to its new id. Data that the new id already has stays. */
  moveChannel(place: Place, to: string): Promise<void>
}

/** Returns the key that `team:channel:…` has in the channel's new id; undefined for a key of another channel. */
export function movedKey(key: string, { team, channel }: Place, to: string): string | undefined {
  const before = `${team}:${channel}:`
  return key.startsWith(before) ? `${team}:${to}:${key.slice(before.length)}` : undefined
}
