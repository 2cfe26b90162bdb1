import type { App, BlockAction, ButtonAction } from '@slack/bolt'
import { messageOf } from '../../errors.ts'
import type { McpAdmin } from '../../mcp/mcp-admin.ts'
import { TAKE_TOOL } from '../format/action-ids.ts'
import { toolToTake } from '../views/admin-home.ts'
import { noteModal } from '../views/plain-blocks.ts'
import { inBackground } from './pressed.ts'
import { homePublisher, isAdmin, type HomeOf } from './publish-home.ts'
import { recipientOf, type ListenerOptions } from './to-question.ts'

/** The button *Take it* on an admin's Home: a tool that is off is on from then on, and the Home shows what there is now. */
export function listenToTakeTool(app: App, options: ListenerOptions): void {
  const publish = homePublisher(options)
  app.action<BlockAction<ButtonAction>>(TAKE_TOOL, async ({ ack, action, body, context }) => {
    const recipient = await recipientOf({ context }, options)
    const installation = recipient && (await options.installations.of(recipient.team))
    await ack()
    if (!installation) return
    const home = { team: recipient.team, user: body.user.id, channel: body.view?.private_metadata ?? '', installation }
    const tell = async (words: string) => {
      const args = { trigger_id: body.trigger_id, view: noteModal('Take a tool', words) }
      await installation.client.call('views.open', args, { effort: 'once' })
    }
    inBackground(TAKE_TOOL, options, async () => {
      const refusal = await refusalOf(action.value, home, options)
      await Promise.all([...(refusal === undefined ? [] : [tell(refusal)]), publish(home)])
    })
  })
}

/** Takes the tool. @returns what the presser is told where that did not come to pass */
async function refusalOf(
  value: string | undefined,
  home: HomeOf,
  options: ListenerOptions,
): Promise<string | undefined> {
  const { team, user, installation } = home
  const { mcp, log } = options
  const person = await installation.directory.factsOf(team, user, { isFresh: true })
  if (typeof person === 'string')
    return 'Slack did not tell whether you are an admin of this workspace. Please press again.'
  if (!isAdmin(person)) {
    log.warn({ team, user }, 'refused to take a tool: not pressed by an admin')
    return 'Only admins of this workspace may take a tool.'
  }
  const named = toolToTake(value)
  if (!mcp || !named) return 'This tool is not there any more.'
  return take(named, { mcp, user, log })
}

async function take(
  { server, tool }: { server: string; tool: string },
  { mcp, user, log }: { mcp: McpAdmin; user: string; log: ListenerOptions['log'] },
): Promise<string | undefined> {
  try {
    await mcp.accept(server, tool)
    log.info({ server, tool, by: user }, 'an admin has taken a tool')
    return undefined
  } catch (error) {
    log.warn({ server, tool, error: messageOf(error) }, 'a tool could not be taken')
    return 'The tool could not be taken. The log of the bot says why; npm run mcp -- accept takes it too.'
  }
}
