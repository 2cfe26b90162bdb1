import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { NamedInPlace } from '../../base/place.ts'
import type { ChannelSettings } from '../../stores/settings/settings.ts'
import { tellPerson } from '../client/ephemeral.ts'
import type { Installation } from '../client/installations.ts'
import { SETTINGS_FORM } from '../format/action-ids.ts'
import { noteContent } from '../format/blocks.ts'
import { SETTINGS_WORDS, settingsSaved } from '../format/messages.ts'
import { presserOf } from '../intake/find-recipient.ts'
import { maySet } from '../intake/may-set.ts'
import { openedBy } from '../presses/signed-metadata.ts'
import type { Services } from '../services.ts'
import { readSettingsInput } from '../views/settings-input.ts'
import { FIELDS } from '../views/settings-view.ts'
import { onForm } from './listener.ts'

const metadataSchema = z.object({
  team: z.string().optional(),
  channel: z.string(),
  responseUrl: z.string().optional(),
})

/**
 * The submitted settings (`view_submission`): checked and saved, then the modal closes. Errors are shown at their
 * inputs.
 */
export const settingsSubmission = onForm(SETTINGS_FORM, (services) => async ({ ack, body, view, context }) => {
  const opened = await openedBy(view, body, context, services)
  const to = metadataSchema.safeParse(parseJson(opened?.metadata)).data
  const team = to?.team ?? opened?.team ?? ''
  const installation = to && (await services.installations.of(team))
  if (!installation) return ack()
  const person = { team, channel: to.channel, user: body.user.id }
  const log = services.log.child(person)
  const { userTeam } = await presserOf(body, installation, services)
  const outcome = await save({ ...person, userTeam }, view.state.values, services, installation).catch(
    (error: unknown) => {
      log.warn({ error: messageOf(error) }, 'the settings of a place could not be saved')
      return { errors: { [FIELDS.steps]: SETTINGS_WORDS.failed } }
    },
  )
  if ('errors' in outcome) return ack({ response_action: 'errors', errors: outcome.errors })
  await ack()
  const words = outcome.changed.length > 0 ? settingsSaved(outcome.changed) : SETTINGS_WORDS.unchanged
  void tellPerson({ ...to, user: person.user }, noteContent(words), installation.client, log)
})

/**
 * Saves the submitted values over the earlier settings. @returns the names of the changed settings, or the errors by
 * input
 */
async function save(
  person: NamedInPlace,
  values: unknown,
  services: Services,
  installation: Installation,
): Promise<{ changed: string[] } | { errors: Record<string, string> }> {
  const { agent, channelSettings, settingsFor, log } = services
  const place = { team: person.team, channel: person.channel }
  const { set, errors } = readSettingsInput(values, agent.choices)
  if (Object.keys(errors).length > 0) return { errors }
  const who = await maySet(person, await settingsFor(place), { installation, isLater: true })
  if (who.denial !== undefined) return { errors: { [FIELDS.steps]: SETTINGS_WORDS[who.denial] } }
  const before = await channelSettings.load(place)
  const after: ChannelSettings = { ...before, ...(who.mayChangeForget ? set : withoutForget(set)) }
  const changed = (Object.keys(after) as (keyof ChannelSettings)[]).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  )
  if (changed.length === 0) return { changed }
  await channelSettings.save(place, after)
  log.info({ ...person, changed }, 'the settings of a place are changed')
  return { changed }
}

function withoutForget({ whoMayForget: _, ...others }: ChannelSettings): ChannelSettings {
  return others
}
