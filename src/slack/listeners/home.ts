import { inTime } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import type { Person } from '../../base/place.ts'
import { PacedWork } from '../../base/token-bucket.ts'
import type { McpAdmin } from '../../mcp/tools/mcp-admin.ts'
import { LINK_MS } from '../../question/connections/connections.ts'
import { CONNECT, DISCONNECT, HOME_EXAMPLE, TAKE_TOOL } from '../format/action-ids.ts'
import { answerPress, inBackground, openModal, SAME_PRESS_MS } from '../presses/button-press.ts'
import { connectionsOf } from '../subcommands/connections-command.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import { isAdmin } from '../intake/may-set.ts'
import { homeThread, noteOpenHome, type HomeOf } from '../home/publish-home.ts'
import { readMetadata } from '../presses/signed-metadata.ts'
import { enqueue } from '../intake/to-question.ts'
import type { Services } from '../services.ts'
import { connectionsContent } from '../views/connection-blocks.ts'
import { toolToTake } from '../views/home-tools.ts'
import { EXAMPLES } from '../views/home.ts'
import { noteModal } from '../views/plain-blocks.ts'
import { onButton, onEvent } from './listener.ts'
import { expiringCache } from '../../base/expiring-cache.ts'
import { SlackRefusal } from '../client/slack-errors.ts'

/**
 * Minimum time between two publications of a person's Home, in ms. Openings in between are published once at its end.
 */
const AGAIN_MS = 3_000
/** `app_home_opened`: publishes the Home. If the direct message was opened, suggests questions. */
export const appHomeOpened = onEvent('app_home_opened', (services, publishHome) => {
  const now = () => services.now().getTime()
  const paced = new PacedWork({ burst: 1, everyMs: AGAIN_MS, now }, () => undefined)
  const prompts = promptsOf(services)
  return async ({ event, context }) => {
    const recipient = await recipientOf({ context }, services)
    if (!recipient) return
    const { user, channel, tab } = event
    const opened = { ...recipient, user, channel }
    const home = async () => {
      // Noted first, so that a question that ends during the publication renews it.
      try {
        await noteOpenHome(opened, services)
      } finally {
        await publishHome(opened)
      }
    }
    const shown = () => (tab === 'home' ? home() : prompts(opened))
    const turn = { key: `${recipient.team}:${user}:${tab}`, thing: '' }
    await paced.run(turn, async () => inBackground('app_home_opened', services, shown))
  }
})

/** An example on the Home: asked in the person's direct message as by `/ask`, with its own root message. */
export const homeExample = onButton(HOME_EXAMPLE, (services) => async ({ ack, action, body, context }) => {
  const recipient = await recipientOf({ context }, services)
  const user = body.user.id
  const channel = recipient && readMetadata(body.view?.private_metadata ?? '', { ...recipient, user })
  const examples = services.operator.examples ?? EXAMPLES
  const n = examples.findIndex((question) => question === action.value)
  const text = examples[n]
  if (recipient && text && channel?.startsWith('D')) {
    const { team } = recipient
    const at = services.now().getTime()
    const thread = homeThread(`${user}-${n}-${Math.floor(at / SAME_PRESS_MS)}`)
    const id = `${team}:${channel}:${thread}`
    await enqueue({ kind: 'asked', id, team, channel, thread, user, text, surface: 'ask', at }, services)
  }
  await ack()
})

/** The button *Turn on* on an admin's Home: turns a tool on, and publishes the Home again. */
export const takeTool = onButton(TAKE_TOOL, (services, publishHome) => async ({ ack, action, body, context }) => {
  const recipient = await recipientOf({ context }, services)
  await ack()
  if (!recipient) return
  const { team, installation } = recipient
  const user = body.user.id
  const channel = readMetadata(body.view?.private_metadata ?? '', { user, installation })
  if (channel === undefined) return
  const home = { team, user, channel, installation }
  const tell = (words: string) => openModal(installation, body.trigger_id, noteModal('Turn on a tool', words))
  inBackground(TAKE_TOOL, services, async () => {
    const refusal = await refusalOf(action.value, home, services)
    await Promise.all([...(refusal === undefined ? [] : [tell(refusal)]), publishHome(home)])
  })
})

/** Time limit for looking up the user, in ms: a modal must open within three seconds. */
const PATIENCE_MS = 1_800

/** Takes the tool. @returns the sentence for the user if that failed */
async function refusalOf(value: string | undefined, home: HomeOf, services: Services): Promise<string | undefined> {
  const { team, user, installation } = home
  const { agent, installations, log } = services
  if (await installations.servesMany?.()) {
    log.warn({ team, user }, 'refused to turn on a tool: it belongs to several workspaces')
    return FOR_OPERATOR
  }
  const asking = installation.directory.factsOf(team, user, { isFresh: true })
  const person = await inTime(PATIENCE_MS, asking, 'unreachable' as const)
  if (typeof person === 'string') return 'Slack did not tell me whether you are an admin. Please press again.'
  if (!isAdmin(person)) {
    log.warn({ team, user }, 'refused to turn on a tool: not pressed by an admin')
    return 'Only workspace admins can turn on a tool.'
  }
  const named = toolToTake(value)
  if (!agent.mcpAdmin || !named) return 'This tool is no longer available.'
  return take(named, user, agent.mcpAdmin, log)
}

async function take(
  { server, tool, fingerprint }: NonNullable<ReturnType<typeof toolToTake>>,
  user: string,
  mcpAdmin: McpAdmin,
  log: Services['log'],
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
  'I serve several workspaces, so only the person who runs me can turn on a tool. It is then on in all of them: npm run mcp -- accept.'
const CHANGED =
  'Not turned on: the tool has changed, or somebody has already turned it on. This page now shows the current tools.'

/** *Connect* opens its link in the browser by itself; here, an old list gets new links. *Disconnect* disconnects. */
export const connectionButton = onButton(
  [CONNECT, DISCONNECT],
  (services, publishHome) =>
    async ({ ack, action, body, context }) => {
      const recipient = await recipientOf({ context }, services)
      await ack()
      if (!recipient) return
      const { team, installation } = recipient
      const person = { team, user: body.user.id }
      const { action_id: id, value = '' } = action
      const showAgain = async () => {
        const channel = readMetadata(body.view?.private_metadata ?? '', { ...person, installation })
        if (channel !== undefined) return publishHome({ ...person, channel, installation })
        const content = connectionsContent(await connectionsOf(person, services))
        await answerPress({ body, installation, services }, content, { replaces: true })
      }
      const shownAt = Number(body.container['message_ts'] ?? 0) * 1000
      const isOld = services.now().getTime() - shownAt > LINK_MS
      inBackground(id, services, async () => {
        if (id === DISCONNECT) await disconnect(value, person, services)
        if (id !== CONNECT || isOld) await showAgain()
      })
    },
)

async function disconnect(name: string, person: Person, { connections, log }: Services): Promise<void> {
  const revoke = await connections?.accounts.find((one) => one.name === name)?.disconnect(person)
  await revoke?.()
  log.info({ account: name, ...person }, 'a person has disconnected an account')
}

/** The lifetime of a person's prompts, and the pause after a team's refusal of prompts. Milliseconds. */
const PROMPTED_MS = 60 * 60_000
const REFUSED_MS = 24 * PROMPTED_MS
const MAX = 10_000
/** Slack accepts no more. */
const MAX_PROMPTS = 4

/**
 * Suggests questions in the direct message of an agent app. Slack refuses this for a plain app; refusals are
 * remembered.
 */
function promptsOf(services: Services): (opened: HomeOf) => Promise<void> {
  const now = () => services.now().getTime()
  const prompts = (services.operator.examples ?? EXAMPLES)
    .slice(0, MAX_PROMPTS)
    .map((message) => ({ title: message, message }))
  const prompted = expiringCache<true>({ ttlMs: PROMPTED_MS, max: MAX, now })
  const refused = expiringCache<true>({ ttlMs: REFUSED_MS, max: MAX, now })
  return async ({ team, user, channel, installation }) => {
    if (refused.has(team) || prompted.has(`${team}:${user}`)) return
    try {
      const args = { channel_id: channel, prompts }
      await installation.client.call('assistant.threads.setSuggestedPrompts', args, { effort: 'once' })
      prompted.set(`${team}:${user}`, true)
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error
      if (error.code !== 'ratelimited') refused.set(team, true)
    }
  }
}
