/** `team:channel:thread_ts`, the key of a conversation. */
export type ThreadKey = string

/** A channel of a team; a direct message is one too. */
export interface Place {
  team: string
  channel: string
}

/** A person in a team. */
export interface Person {
  team: string
  user: string
}

/** Deletes what a store keeps of a channel or a team: when people ask for it, and when the app is removed from a workspace. */
export interface Forgetting {
  forgetChannel(place: Place): Promise<void>
  forgetTeam(team: string): Promise<void>
}
