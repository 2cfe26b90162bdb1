import { z } from 'zod'
import type { OnEvent } from '../intake/bolt-types.ts'
import { forgetWorkspace, installedAs } from '../intake/forget-workspace.ts'
import type { Services } from '../services.ts'

const ids = z.object({ team_ids: z.array(z.string()) })
/** Slack's example nests the event once more than its other events. */
const either = z.union([ids, z.object({ event: ids }).transform(({ event }) => event)])

/** `team_access_granted`: an organisation's app is added to workspaces, which it serves from now on. */
export function teamAccessGranted(services: Services): OnEvent<'team_access_granted'> {
  return async ({ event, body, context }) => {
    const enterprise = installedAs(context)
    const teams = either.safeParse(event).data?.team_ids ?? []
    if (enterprise !== undefined) await services.installations.grant?.(enterprise, teams, body.event_time)
  }
}

/** `team_access_revoked`: the app is removed from workspaces, and everything stored for them is deleted. */
export function teamAccessRevoked(services: Services): OnEvent<'team_access_revoked'> {
  return async ({ event, body, context }) => {
    const teams = either.safeParse(event).data?.team_ids ?? []
    await forgetWorkspace({ name: 'team_access_revoked', context, eventTime: body.event_time, teams }, services)
  }
}
