import { z } from 'zod'
import { personFacts, personSchema } from '../client/people-and-channels.ts'
import { recipientOf, type Context } from '../intake/find-recipient.ts'
import { forgetWorkspace, installedAs, teamsOfPerson } from '../forgetting/forget-workspace.ts'
import { onEvent } from './listener.ts'

/** `app_uninstalled`: the app is removed from a workspace, and everything stored for it is deleted. */
export const appUninstalled = onEvent('app_uninstalled', (services) => async ({ body, context }) => {
  await forgetWorkspace({ name: 'app_uninstalled', eventTime: body.event_time }, context, services)
})

/**
 * `tokens_revoked`: without the bot's own token the app counts as removed. A person's token ends only that person's
 * search.
 */
export const tokensRevoked = onEvent('tokens_revoked', (services) => async ({ event, body, context }) => {
  const { installations, search } = services
  const people = event.tokens.oauth ?? []
  // The event names a whole second.
  const endedAt = body.event_time * 1_000 + 999
  const teams = people.length > 0 && search.account ? await teamsOfPerson(context, services) : []
  for (const user of people) for (const team of teams) await search.account?.forget({ team, user }, endedAt)
  const bots = event.tokens.bot ?? []
  if (bots.length === 0) return
  const installation = await installations.of(installedAs(context) ?? installations.defaultTeam)
  if (installation && !bots.includes(installation.identity.botUser)) return
  await forgetWorkspace({ name: 'tokens_revoked', eventTime: body.event_time }, context, services)
})

const ids = z.object({ team_ids: z.array(z.string()) })
/** Slack's example nests the event once more than its other events. */
const either = z.union([ids, z.object({ event: ids }).transform(({ event }) => event)])

/** Only organisations get these events. In Slack's example they are not authorized as that of an organisation. */
const organisationOf = (context: Context) => context.enterpriseId ?? installedAs(context)

/** `team_access_granted`: an organisation's app is added to workspaces, which it serves from now on. */
export const teamAccessGranted = onEvent('team_access_granted', (services) => async ({ event, body, context }) => {
  const enterprise = organisationOf(context)
  const teams = either.safeParse(event).data?.team_ids ?? []
  if (enterprise !== undefined) await services.installations.grant?.(enterprise, teams, body.event_time)
})

/** `team_access_revoked`: the app is removed from workspaces, and everything stored for them is deleted. */
export const teamAccessRevoked = onEvent('team_access_revoked', (services) => async ({ event, body, context }) => {
  const { installations, threads } = services
  const teams = either.safeParse(event).data?.team_ids ?? []
  const ended = { name: 'team_access_revoked', eventTime: body.event_time, teams, id: organisationOf(context) }
  const isCurrent = await forgetWorkspace(ended, context, services)
  const { id = '' } = ended
  // Slack's answers about connected channels may name these workspaces (intake/channel-team.ts).
  if (isCurrent && id.startsWith('E') && (installations.owns?.(id) ?? true)) await threads.forgetTeam(id)
})

/**
 * `user_change`: the logins of a person who was deactivated are deleted. Slack tells of people of other companies too.
 */
export const userChange = onEvent('user_change', (services) => async ({ event, context }) => {
  if (!event.user.deleted) return
  const teams = await teamsOfPerson(context, services)
  const [first = ''] = teams
  if (!isOfTeams(event, teams, (await services.installations.of(first))?.enterprise)) return
  for (const team of teams) {
    const person = { team, user: event.user.id }
    await services.connections?.end(person)
    await services.people.forgetUser(person)
    services.log.info(person, 'a person was deactivated: their logins were deleted')
  }
})

/** Returns whether the person of an event is of one of the teams, as far as the event says. */
function isOfTeams(event: unknown, teams: readonly string[], enterprise: string | undefined): boolean {
  const person = personSchema.safeParse(event).data?.user
  if (person?.team_id === undefined) return true
  return teams.some((team) => !personFacts(person, { team, enterprise }).isExternal)
}

/** `channel_deleted`, `group_deleted`: deletes everything about the channel, including its remembered texts. */
export const channelDeleted = onEvent(
  ['channel_deleted', 'group_deleted'],
  (services) =>
    async ({ event, context }) => {
      const recipient = await recipientOf({ context }, services)
      if (recipient) await services.forgetting.forgetChannel({ team: recipient.team, channel: event.channel })
    },
)

/**
 * `channel_id_changed`: a private channel becomes shared. Its settings, schedules, threads with their messages, grants
 * and files, and the calls that wait for an approval move with it; its remembered texts do not.
 */
export const channelIdChanged = onEvent('channel_id_changed', (services) => async ({ event, context }) => {
  const recipient = await recipientOf({ context }, services)
  if (!recipient) return
  const { team } = recipient
  const { history, channelSettings, schedules, remembered, threads, queue } = services
  const { old_channel_id: channel, new_channel_id: to } = event
  const settings = await channelSettings.load({ team, channel })
  if (Object.keys(settings).length > 0) {
    await channelSettings.save({ team, channel: to }, settings)
    await channelSettings.save({ team, channel }, {})
  }
  await schedules.moveChannel({ team, channel }, to)
  // It was written when no other company could read it.
  await remembered.forgetChannel({ team, channel })
  // Buttons carry the old id.
  await threads.patch(`${team}:${channel}`, { movedTo: to })
  for (const store of [queue, history, threads, await services.files()]) await store.moveChannel({ team, channel }, to)
})
