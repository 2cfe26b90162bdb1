import type { OnForm } from '../intake/bolt-types.ts'
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { parseJson } from '../../base/parse-json.ts'
import { afterScheduleWord } from '../../schedules/parse-schedule.ts'
import type { Schedule, ScheduleRef } from '../../stores/schedules/types.ts'
import type { Content } from '../format/blocks.ts'
import { SCHEDULES } from '../format/schedule-words.ts'
import { readMetadata, signMetadata } from '../intake/signed-metadata.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import { appOf } from '../intake/to-question.ts'
import { cardOf, makerOf, newDraft, noRoomFor, parseRequest } from '../schedules/schedule-request.ts'
import type { Services, WorkspaceServices } from '../services.ts'
import { SCHEDULE_TEXT, scheduleCardModal } from '../views/schedule-blocks.ts'

/** `home`: the direct message of the Home on which *Change* was pressed. */
const metadataSchema = z.object({
  ref: z.object({ team: z.string(), channel: z.string(), user: z.string(), id: z.string() }),
  home: z.string().optional(),
})

/**
 * The modal behind *Change* was submitted: the changed schedule is shown as a card, or the error is shown at the input.
 */
export function scheduleForm(services: Services): OnForm {
  return async ({ ack, body, view, context }) => {
    const recipient = await recipientOf({ context }, services)
    const metadata = recipient && readMetadata(view.private_metadata, { ...recipient, user: body.user.id })
    const about = metadataSchema.safeParse(parseJson(metadata)).data
    const installation = about && (await services.installations.of(about.ref.team))
    if (!about || !installation) return ack()
    const text = view.state.values[SCHEDULE_TEXT]?.[SCHEDULE_TEXT]?.value?.trim() ?? ''
    const deps = { installation, services }
    const shown = await cardOfChange(about.ref, text, deps).catch((error: unknown) => {
      services.log.error({ schedule: about.ref.id, error: messageOf(error) }, 'a schedule could not be changed')
      return { problem: SCHEDULES.failed }
    })
    if ('problem' in shown)
      return ack({ response_action: 'errors', errors: { [SCHEDULE_TEXT]: shown.problem.replaceAll('`', '') } })
    const signed = signMetadata(about.home ?? '', { user: about.ref.user, installation })
    await ack({ response_action: 'update', view: scheduleCardModal(shown, signed) })
  }
}

async function cardOfChange(
  ref: ScheduleRef,
  text: string,
  deps: WorkspaceServices,
): Promise<Content | { problem: string }> {
  const draft = await draftOf(ref, text, deps)
  return 'problem' in draft ? draft : cardOf(draft, { ...deps, settings: await deps.services.settingsFor(draft) })
}

/** Stores the changed schedule as a draft, which replaces the schedule once it is saved. */
async function draftOf(
  ref: ScheduleRef,
  text: string,
  deps: WorkspaceServices,
): Promise<Schedule | { problem: string }> {
  const { schedules, scheduling, now } = deps.services
  const at = now().getTime()
  const before = await schedules.load(ref)
  if (!before) return { problem: SCHEDULES.gone }
  const full = await noRoomFor({ ...ref, replaces: ref.id }, deps.services)
  if (full !== undefined) return { problem: full }
  const maker = await makerOf(ref, deps.installation)
  if (typeof maker === 'string') return { problem: maker }
  const given = afterScheduleWord(text) ?? text
  const found = parseRequest(`schedule ${given}`, {
    zone: maker.zone,
    now: at,
    minMinutes: scheduling?.minMinutes ?? 1,
  })
  if (!found || 'problem' in found) return found ?? { problem: SCHEDULES.failed }
  const { place, runs } = before
  const parts = { ...ref, createdAt: at, ...appOf(deps.services.installations), ...found, place, runs }
  const draft = newDraft(`${ref.id} ${at}`, { ...parts, replaces: ref.id })
  await schedules.add(draft)
  return draft
}
