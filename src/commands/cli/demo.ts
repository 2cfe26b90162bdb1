import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Model } from '../../agent/contracts/model.ts'
import { ConfigError } from '../../base/errors.ts'

/** An address rather than an import that the compiler follows: the build leaves out the playground and its demo. */
const DEMO = new URL('../../../playground/demo/demo-model.ts', import.meta.url)

/** The playground's demo model, and the only dialect that it speaks. */
interface Demo {
  demoModel(options?: { isBare?: boolean }): Model
  DEMO_DIALECT: string
}

/** Loads the demo in a checkout. @throws ConfigError in a build or an image */
export async function loadDemo(): Promise<Demo> {
  if (!existsSync(fileURLToPath(DEMO)))
    throw new ConfigError(
      'Set OPENAI_API_KEY or OPENAI_BASE_URL. The demo model is part of the repository only, not of a build.',
    )
  return (await import(DEMO.href)) as Demo
}
