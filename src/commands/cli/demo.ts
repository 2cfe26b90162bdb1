import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Model } from '../../agent/types.ts'
import { ConfigError } from '../../base/errors.ts'

/** A URL instead of a static import: the build leaves out the playground and its demo. */
const DEMO = new URL('../../../playground/demo/demo-model.ts', import.meta.url)

/** The playground's demo model and the one dialect that it supports. */
export interface Demo {
  demoModel(options?: { isBare?: boolean }): Model
  DEMO_DIALECT: string
}

/** Loads the demo in a checkout. @throws ConfigError in a build or an image */
export async function loadDemo(): Promise<Demo> {
  if (!existsSync(fileURLToPath(DEMO)))
    throw new ConfigError(
      'Set OPENAI_API_KEY or OPENAI_BASE_URL: the demo model is only in a checkout, not in a build.',
    )
  return (await import(DEMO.href)) as Demo
}
