import type { OnForm } from '../intake/bolt-types.ts'
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { afterScheduleWord } from '../../schedules/parse-schedule.ts'
import { activated, type ScheduleRef } from '../../stores/schedules/types.ts'
import type { Installation } from '../client/installations.ts'
import { nextText, SCHEDULES, tooManySchedules, whenText } from '../format/schedule-words.ts'
import { inBackground } from '../intake/pressed.ts'
import type { PublishHome } from '../intake/publish-home.ts'
import { readMetadata } from '../intake/signed-metadata.ts'
import { recipientOf } from '../intake/to-question.ts'
import { counts, makerOf, parsed } from '../schedules/schedule-request.ts'
import type { Services } from '../services.ts'
import { noteModal } from '../views/plain-blocks.ts'
import { SCHEDULE_TEXT } from '../views/schedule-blocks.ts'

const metadataSchema = z.object({
  ref: z.object({ team: z.string(), channel: z.string(), user: z.string(), id: z.string() }),
  home: z.string().optional(),
})

/** The modal behind *Change* is sent: the schedule is parsed again and saved, or what is wrong stands at the input. */
export function scheduleForm(services: Services, publishHome: PublishHome): OnForm {
  return async ({ ack, body, view, context }) => {
    const recipient = await recipientOf({ context }, services)
    const home = recipient && (await services.installations.of(recipient.team))
    const metadata = home && readMetadata(view.private_metadata, { user: body.user.id, key: home.signingKey })
    const about = metadata === undefined ? undefined : metadataSchema.safeParse(JSON.parse(metadata)).data
    const installation = about && (await services.installations.of(about.ref.team))
    if (!about || !installation) return ack()
    const text = view.state.values[SCHEDULE_TEXT]?.[SCHEDULE_TEXT]?.value?.trim() ?? ''
    const outcome = await change(about.ref, text, { installation, services }).catch((error: unknown) => {
      services.log.error({ schedule: about.ref.id, error: messageOf(error) }, 'a schedule could not be changed')
      return { problem: SCHEDULES.failed }
    })
    if ('problem' in outcome) return ack({ response_action: 'errors', errors: { [SCHEDULE_TEXT]: outcome.problem } })
    await ack({ response_action: 'update', view: noteModal('Change your schedule', outcome.changed) })
    const { ref, home: channel } = about
    if (channel === undefined) return
    inBackground('change schedule', services, () =>
      publishHome({ team: ref.team, user: ref.user, channel, installation }),
    )
  }
}

async function change(
  ref: ScheduleRef,
  text: string,
  { installation, services }: { installation: Installation; services: Services },
): Promise<{ changed: string } | { problem: string }> {
  const { schedules, scheduling, now } = services
  const at = now().getTime()
  const most = scheduling?.perUser ?? 0
  if (most === 0) return { problem: SCHEDULES.off }
  const others = (await schedules.list({ team: ref.team, user: ref.user })).filter(
    (one) => counts(one) && one.id !== ref.id,
  )
  if (others.length >= most) return { problem: tooManySchedules(most).replaceAll('`', '') }
  const maker = await makerOf(ref, installation)
  if (typeof maker === 'string') return { problem: maker }
  const given = afterScheduleWord(text) ?? text
  const found = parsed(`schedule ${given}`, { zone: maker.zone, now: at, minMinutes: scheduling?.minMinutes ?? 1 })
  if (!found || 'problem' in found) return found ?? { problem: SCHEDULES.failed }
  const changed = await schedules.update(ref, ({ tried: _, gapMs: __, ...one }) => {
    const after = { ...one, ...found }
    return one.state === 'paused' ? after : activated(after, at)
  })
  if (!changed) return { problem: SCHEDULES.gone.replaceAll('`', '') }
  services.log.info({ schedule: ref.id }, 'a schedule was changed')
  const next = changed.state === 'paused' ? 'It is paused.' : `Next: ${nextText(changed)}.`
  return { changed: `Changed. ${whenText(changed)}. ${next}` }
}
