import { isOf, type ForgottenInPlace, type ForgottenPerson, type Forgetting, type Place } from '../../base/place.ts'
import type { UseStore } from '../../stores/use/types.ts'
import { forgetPersonsUse } from '../../stores/use/use-counts.ts'

/** Forgets in all stores at once. Running and waiting runs go on, except those of a forgotten team. */
export interface ForgettingAll extends Forgetting {
  /** Forgets a direct message, and the person's questions elsewhere, messages in threads and ratings. */
  forgetPerson(person: ForgottenInPlace): Promise<void>
  /** The teams that have data in Redis. Empty without Redis. */
  teams(): Promise<string[]>
}

interface ConversationStore extends Forgetting {
  forgetUser(person: ForgottenPerson): Promise<void>
}

/** `whenEnded` is called when the team's runs that were at work have ended, if there were any. */
interface RunningStore extends ConversationStore {
  forgetTeam(team: string, whenEnded?: () => Promise<void>): Promise<void>
}

interface TeamStore {
  forgetTeam(team: string): Promise<void>
}

interface PersonalStore extends TeamStore {
  forgetUser(person: ForgottenPerson): Promise<void>
}

interface ForgettingStores {
  schedules: ConversationStore
  queue: RunningStore
  history: ConversationStore
  archive: ConversationStore
  threads: ConversationStore
  remembered: ConversationStore
  files(): Promise<ConversationStore>
  actionTokens: Forgetting
  people: PersonalStore
  channelSettings: TeamStore
  oncePerDay: TeamStore
  usage: { records: UseStore; unanswered: TeamStore; freeRequests: TeamStore; limits?: TeamStore | undefined }
  home: { admins: TeamStore; open: TeamStore }
}

/** Returns what forgets in all of these stores. `now`: milliseconds since the epoch. */
export function forgettingAll(
  stores: ForgettingStores,
  now: () => number,
  teams: ForgettingAll['teams'],
): ForgettingAll {
  const { schedules, queue, history, archive, threads, remembered, files, actionTokens, people, usage } = stores
  // Schedules come first, so that nothing new begins; then the queue, so that no run of the team stores anything again.
  const all = [schedules, queue, history, archive, threads, remembered]
  const forgetChannel = async (place: Place) => {
    for (const store of [...all, actionTokens, await files()]) await store.forgetChannel(place)
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
      const { channelSettings, oncePerDay, home } = stores
      const counted = [usage.limits, usage.freeRequests, usage.records, usage.unanswered, home.admins, home.open]
      const others = [actionTokens, channelSettings, oncePerDay, ...counted, people]
      await schedules.forgetTeam(team)
      // A run that this stops books its use once more when it ends.
      await queue.forgetTeam(team, () => usage.records.forgetTeam(team))
      for (const store of [history, archive, threads, remembered, ...others, await files()])
        await store?.forgetTeam(team)
    },
  }
}
