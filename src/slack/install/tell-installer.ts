import { z } from 'zod'
import type { InstallationRecord } from '../../stores/installations/types.ts'
import { noteContent } from '../format/blocks.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { SlackWeb, type ApiOptions } from '../client/slack-web.ts'

export interface TellOptions extends ApiOptions {
  /** The public URL of the bot, without a slash at the end. */
  publicUrl: string
  /** A workspace of an organisation that installed the app: its admins are asked for. */
  team?: string | undefined
}

const CALL_MS = 20_000

const peopleSchema = z.object({
  members: z.array(
    z.object({
      id: z.string(),
      is_admin: z.boolean().optional(),
      deleted: z.boolean().optional(),
      is_bot: z.boolean().optional(),
    }),
  ),
  response_metadata: z.object({ next_cursor: z.string() }).catch({ next_cursor: '' }),
})

/** Returns the id of an admin other than the installer, or undefined if none is found or Slack refuses. */
async function findAdmin(
  list: (args: { limit: number; cursor?: string }) => Promise<unknown>,
  installer: string,
): Promise<string | undefined> {
  let cursor = ''
  do {
    const args = { limit: 200, ...(cursor === '' ? {} : { cursor }) }
    const people = peopleSchema.safeParse(await list(args).catch(() => undefined)).data
    const admin = people?.members.find(
      ({ id, is_admin, deleted, is_bot }) => is_admin && !deleted && !is_bot && id !== installer,
    )
    if (admin) return admin.id
    cursor = people?.response_metadata.next_cursor ?? ''
  } while (cursor !== '')
  return undefined
}

/**
 * Tells the installer, or else an admin, in a direct message that the app must be installed again. The old token still
 * works for a while. @throws if Slack cannot be reached
 */
export async function tellInstaller(
  record: InstallationRecord,
  { publicUrl, team, ...options }: TellOptions,
): Promise<void> {
  const web = new SlackWeb({ ...options, token: record.token, team })
  const how = { effort: 'patient', signal: AbortSignal.timeout(CALL_MS) } as const
  const words = `I'm about to lose my access to ${record.name || 'this workspace'}: Slack no longer renews it. Please install me again at ${publicUrl}/slack/install. Until then I may stop answering.`
  const tell = (user: string) =>
    web.call('chat.postMessage', { channel: user, parse: 'none', ...noteContent(words) }, how)
  try {
    await tell(record.installer)
  } catch (error) {
    if (refusalCode(error) === undefined) throw error
    const admin = await findAdmin((args) => web.call('users.list', { ...args }, how), record.installer)
    if (admin !== undefined) await tell(admin)
    else options.log.error({ team: record.id }, 'nobody could be told that the app must be installed again')
  }
}
