import { chromium, type Browser } from 'playwright-core'
import { describeWith, pathOf } from './programs.ts'

/** Debian's Chromium, because playwright-core has none. The headless shell needs half the CPU to open a page. */
const PROGRAM = { commands: ['chromium-headless-shell', 'chromium'], from: 'chromium' }
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process draws the pages of all contexts.
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
  '--in-process-gpu',
]

const path = pathOf(PROGRAM)

/** For tests that need a real browser. They are skipped if there is none, except in CI. */
export const describeWithChromium = describeWith(PROGRAM)

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ ...(path ? { executablePath: path } : {}), args: ARGS, timeout: 80_000 })
}

let shared: Promise<Browser> | undefined

/** The browser of this worker, for all its test files. It ends with the process. */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium()
  return shared
}
