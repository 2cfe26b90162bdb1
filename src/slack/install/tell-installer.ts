import { z } from 'zod'
import type { InstallationRecord } from '../../stores/installations/types.ts'
import { noteContent } from '../format/blocks.ts'
import { cleanFileName, escapeText } from '../format/escape.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { pagesOf, SlackWeb, type ApiOptions, type CallOptions } from '../client/web-api.ts'

interface TellOptions extends ApiOptions {
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
})

/** Returns the id of an admin other than the installer, or undefined if none is found. @throws the error of a call */
async function findAdmin(web: SlackWeb, installer: string, options: CallOptions): Promise<string | undefined> {
  for await (const page of pagesOf(web, 'users.list', { limit: 200 }, options)) {
    const { members = [] } = peopleSchema.safeParse(page).data ?? {}
    const admin = members.find((one) => one.is_admin && !one.deleted && !one.is_bot && one.id !== installer)
    if (admin) return admin.id
  }
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
  const words = `I'm about to lose my access to ${escapeText(cleanFileName(record.name)) || 'this workspace'}: Slack no longer renews it. Please install me again at ${publicUrl}/slack/install. Until then I may stop answering.`
  const tell = (user: string) =>
    web.call('chat.postMessage', { channel: user, parse: 'none', ...noteContent(words) }, how)
  try {
    await tell(record.installer)
  } catch (error) {
    if (refusalCode(error) === undefined) throw error
    const admin = await findAdmin(web, record.installer, how).catch(() => undefined)
    if (admin !== undefined) await tell(admin)
    else options.log.error({ team: record.id }, 'nobody could be told that the app must be installed again')
  }
}
