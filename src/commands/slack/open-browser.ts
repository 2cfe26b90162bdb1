import { spawn } from 'node:child_process'
import type { Env } from '../../config.ts'

/** What opens an address on a desktop, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
}

/**
 * Opens an address of ours in the browser, where there is a desktop to open it on.
 * @returns whether something took it
 */
export async function openBrowser(address: string, env: Env, platform = process.platform): Promise<boolean> {
  const [command, ...args] = OPENERS[platform] ?? []
  const hasDesktop = platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'])
  if (command === undefined || !hasDesktop) return false
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('spawn', () => (child.unref(), resolve(true)))
  })
}
