import { spawn } from 'node:child_process'
import type { Env } from '../../config.ts'

/** The command that opens an address on a desktop, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
}

/** Opens one of our addresses in the browser, if there is a desktop. @returns whether the command started */
export async function openBrowser(address: string, env: Env): Promise<boolean> {
  const [command, ...args] = OPENERS[process.platform] ?? []
  const hasDesktop = process.platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'])
  if (command === undefined || !hasDesktop) return false
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('spawn', () => (child.unref(), resolve(true)))
  })
}
