/** Decides whose login a call of a server's tool is made with: the workspace's, or the asker's own. */
import type { PersonsAnswer, ToolContext } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import { isLoginNeeded } from '../servers/call-errors.ts'
import type { CallResult, HttpServerConfig, McpServerConfig, PersonLogin } from '../types.ts'
import type { PersonLogins } from './person-logins.ts'

interface PersonalServerConfig extends HttpServerConfig {
  login: 'person'
}

/** Returns whether people log in to it, each for themselves. */
export function isPersonal(server: McpServerConfig): server is PersonalServerConfig {
  return server.kind === 'http' && server.login === 'person'
}

/** The state of the question that is asked before a call, when the server has not been called yet. */
const CONNECTS = 'connect'

interface CallAs {
  server: McpServerConfig
  logins: PersonLogins | undefined
  /** The tool's name for people. */
  title: string
  /** Calls it, with the asker's own login if one is given. `answers`: the asker's answers to the server itself. */
  call(answers: readonly PersonsAnswer[], as?: PersonLogin): Promise<CallResult>
}

interface CallAsAsker extends CallAs {
  server: PersonalServerConfig
}

/**
 * Calls a tool with the login of the workspace, or with the asker's own, who is asked to log in first.
 * @throws ToolError if there is no asker, or the asker does not want to log in now
 */
export async function callAsWhom({ server, ...parts }: CallAs, context: ToolContext): Promise<CallResult> {
  return isPersonal(server) ? callAsAsker({ server, ...parts }, context) : parts.call(context.answers ?? [])
}

async function callAsAsker(
  { server, logins, title, call }: CallAsAsker,
  { asker, answers = [], memory }: ToolContext,
): Promise<CallResult> {
  const { name } = server
  if (asker === undefined || !logins)
    throw new ToolError(`${name} is used as the person who asks, in Slack alone. Nobody is asking here.`)
  const refused = `not-connected:${name}`
  if (answers.some((answer) => isToConnect(answer) && answer.action !== 'accept')) memory[refused] = true
  const ask = { asks: { server: name, message: title, login: true as const, state: { way: CONNECTS } } }
  const login = await logins.current(server, asker)
  if (!login && memory[refused] === true)
    throw new ToolError(`The asker has not connected ${name} for now. Continue without it.`)
  if (!login) return ask
  try {
    const own = answers.filter((answer) => !isToConnect(answer))
    const result = await call(own, login)
    await logins.noteUse(server, asker).catch(() => undefined)
    return 'asks' in result ? { asks: { ...result.asks, forAsker: true } } : { ...result, forAsker: true }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    // The texts about an unreachable server are our own.
    if (!isLoginNeeded(error)) throw error.isDown ? error : new ToolError(error.message, { isForAsker: true })
    // The server refused the login before it looked at the call, so the login is useless.
    await logins.end(server, login).catch(() => undefined)
    if (memory[refused] === true) throw error
    return ask
  }
}

function isToConnect({ state }: PersonsAnswer): boolean {
  return Object(state).way === CONNECTS
}
