import type { OnButton } from '../intake/bolt-types.ts'
import { settledWithin } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import type { McpAdmin } from '../../mcp/tools/mcp-admin.ts'
import { TAKE_TOOL } from '../format/action-ids.ts'
import { toolToTake } from '../views/home-tools.ts'
import { noteModal } from '../views/plain-blocks.ts'
import { isAdmin } from '../intake/may-set.ts'
import { inBackground } from '../intake/button-press.ts'
import { readMetadata } from '../intake/signed-metadata.ts'
import type { HomeOf, PublishHome } from '../intake/publish-home.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** The button *Turn on* on an admin's Home: turns a tool on, and publishes the Home again. */
export function takeTool(services: Services, publishHome: PublishHome): OnButton {
  return async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context }, services)
    await ack()
    if (!recipient) return
    const { team, installation } = recipient
    const user = body.user.id
    const channel = readMetadata(body.view?.private_metadata ?? '', { user, installation })
    if (channel === undefined) return
    const home = { team, user, channel, installation }
    const tell = async (words: string) => {
      const args = { trigger_id: body.trigger_id, view: noteModal('Take a tool', words) }
      await installation.client.call('views.open', args, { effort: 'once' })
    }
    inBackground(TAKE_TOOL, services, async () => {
      const refusal = await refusalOf(action.value, home, services)
      await Promise.all([...(refusal === undefined ? [] : [tell(refusal)]), publishHome(home)])
    })
  }
}

/** Time limit for looking up the presser, in ms: a modal must open within three seconds. */
const PATIENCE_MS = 1_800

/** Takes the tool. @returns the sentence for the presser if that failed */
async function refusalOf(value: string | undefined, home: HomeOf, services: Services): Promise<string | undefined> {
  const { team, user, installation } = home
  const { mcpAdmin, installations, log } = services
  if (await installations.servesMany?.()) {
    log.warn({ team, user }, 'refused to turn on a tool: it belongs to several workspaces')
    return FOR_OPERATOR
  }
  const asking = installation.directory.factsOf(team, user, { isFresh: true })
  const person = (await settledWithin(PATIENCE_MS, [asking])) ? await asking : 'unreachable'
  if (typeof person === 'string') return 'Slack did not tell me whether you are an admin. Please press again.'
  if (!isAdmin(person)) {
    log.warn({ team, user }, 'refused to turn on a tool: not pressed by an admin')
    return 'Only workspace admins can turn on a tool.'
  }
  const named = toolToTake(value)
  if (!mcpAdmin || !named) return 'This tool is no longer available.'
  return take(named, { mcpAdmin, user, log })
}

async function take(
  { server, tool, fingerprint }: NonNullable<ReturnType<typeof toolToTake>>,
  { mcpAdmin, user, log }: { mcpAdmin: McpAdmin; user: string; log: Services['log'] },
): Promise<string | undefined> {
  try {
    const taken = await mcpAdmin.accept(server, tool, fingerprint)
    if (taken.length === 0) return CHANGED
    log.info({ server, tool, by: user }, 'an admin has turned on an MCP tool')
    return undefined
  } catch (error) {
    log.warn({ server, tool, error: messageOf(error) }, 'an MCP tool could not be turned on')
    return 'I could not turn on the tool. My log says why.'
  }
}

const FOR_OPERATOR =
  'I serve several workspaces, so only whoever runs me can turn on a tool, for all of them: npm run mcp -- accept.'
const CHANGED =
  'Not turned on: the tool has changed, or somebody has already turned it on. This page now shows the current tools.'
