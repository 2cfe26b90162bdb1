import type { OnEvent } from '../intake/bolt-types.ts'
import { teamsOfPerson } from '../intake/forget-workspace.ts'
import type { Services } from '../services.ts'

/** `user_change`: the logins of a person who was deactivated are deleted. */
export function userChange(services: Services): OnEvent<'user_change'> {
  return async ({ event, context }) => {
    if (!event.user.deleted) return
    for (const team of await teamsOfPerson(context, services)) {
      const person = { team, user: event.user.id }
      await services.connections?.end(person)
      await services.people.forgetUser(person)
      services.log.info(person, 'a person was deactivated: their logins were deleted')
    }
  }
}
