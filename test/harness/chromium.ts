import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { describe } from 'vitest'

/** Debian's Chromium, because playwright-core has none. The headless shell needs half the CPU to open a page. */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
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

const path = PATHS.find((one) => existsSync(one))
const hasChromium = path !== undefined
if (!hasChromium && process.env.CI === 'true') throw new Error('chromium is missing: CI must test with a real one.')
if (!hasChromium)
  console.warn('\n!!! chromium is missing: the playground’s page goes UNTESTED. Install it (apt install chromium).\n')

/** For tests that need a real browser. They are skipped with a warning if there is none, except in CI. */
export const describeWithChromium = hasChromium ? describe : describe.skip

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ ...(path ? { executablePath: path } : {}), args: ARGS, timeout: 80_000 })
}

let shared: Promise<Browser> | undefined

/** The browser of this worker, for all its test files. It ends with the process. */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium()
  return shared
}
