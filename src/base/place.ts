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

/** A person in a channel or direct message. */
export interface PersonInPlace extends Person, Place {}

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
