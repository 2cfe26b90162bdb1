import { isOf, type ForgottenInPlace, type Forgetting, type Place } from '../../base/place.ts'
import { forgetPersonsUse } from '../../stores/use/use-counts.ts'
import type { EachStore } from './stores.ts'

/** Forgets in all stores at once. Running and waiting runs go on, except those of a forgotten team. */
export interface ForgettingAll extends Forgetting {
  /** Forgets a direct message, and the person's questions elsewhere, messages in threads and ratings. */
  forgetPerson(person: ForgottenInPlace): Promise<void>
  /** The teams that have data in Redis. Empty without Redis. */
  teams(): Promise<string[]>
}

/** Returns what forgets in all of these stores. `now`: milliseconds since the epoch. */
export function forgettingAll(
  { channelSettings, oncePerDay, home, searchTokens, people, usage, files, schedules, queue, ...others }: EachStore,
  now: () => number,
  teams: ForgettingAll['teams'],
): ForgettingAll {
  const { history, archive, threads, remembered } = others
  // Schedules come first, so that nothing new begins; then the queue, so that no run of the team stores anything again.
  const all = [schedules, queue, history, archive, threads, remembered]
  const forgetChannel = async (place: Place) => {
    for (const store of [...all, searchTokens, await files()]) await store.forgetChannel(place)
  }
  return {
    teams,
    forgetChannel,
    async forgetPerson(person) {
      await forgetChannel(person)
      for (const store of [...all, people, await files()]) await store.forgetUser(person)
      if (isOf(person, person)) await forgetPersonsUse(usage.records, person, now())
    },
    async forgetTeam(team) {
      await schedules.forgetTeam(team)
      // A run that this stops books its use once more when it ends.
      await queue.forgetTeam(team, () => usage.records.forgetTeam(team))
      const conversations = [history, archive, threads, remembered, searchTokens, channelSettings, oncePerDay]
      const counted = [usage.limits, usage.freeRequests, usage.records, usage.unanswered, home.admins, home.open]
      for (const store of [...conversations, ...counted, people, await files()]) await store?.forgetTeam(team)
    },
  }
}
