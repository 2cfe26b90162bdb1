import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandHere, temporaryFolder, type Command } from '../command.ts'
import type { Ends } from '../ends.ts'

/** The file of `npm run mcp`. */
export const MCP = 'src/commands/mcp.ts'

/** A key for tests, as `openssl rand -hex 32` would make one. */
export const SECRETS_KEY = 'b8f7a7d1c1f04d1e8ab06d0f5b0b3f1c9f0f5d8a4c3b2a190817263544536271'

/** Creates a folder with a file of servers, and the environment that names it. */
export async function mcpFolder(
  t: Ends,
  servers: Record<string, unknown>,
  env: Record<string, string> = {},
): Promise<{ cwd: string; env: Record<string, string> }> {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'mcp.json'), JSON.stringify({ mcpServers: servers }))
  return { cwd, env: { MCP_CONFIG: join(cwd, 'mcp.json'), SECRETS_KEY, ...env } }
}

/** Runs `npm run mcp -- ARGS` in this process. */
export function operatorCommand(
  t: Ends,
  place: { cwd: string; env: Record<string, string> },
  ...args: string[]
): Omit<Command, 'signal'> {
  return commandHere(t, MCP, { ...place, args })
}

/** Returns the address of the login page that the command shows. */
export async function addressShown(command: Pick<Command, 'shows' | 'stdout'>): Promise<string> {
  await command.shows('Paste the address of that page here')
  const address = /^ {2}(https?:\S+)$/m.exec(command.stdout())?.[1]
  if (address === undefined) throw new Error(`No address is shown:\n${command.stdout()}`)
  return address
}
