import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Model } from './agent/types.ts'
import { ConfigError } from './errors.ts'

/** An address rather than an import that the compiler follows: the build leaves the playground and its demo out. */
const DEMO = new URL('./playground/demo/demo-model.ts', import.meta.url)

/** The playground's rule-based model, for those who run from a checkout. @throws ConfigError in a build or an image */
export async function loadDemoModel(): Promise<Model> {
  if (!existsSync(fileURLToPath(DEMO)))
    throw new ConfigError(
      'Set OPENAI_API_KEY or OPENAI_BASE_URL: the demo model is only in a checkout, not in a build.',
    )
  const { demoModel } = (await import(DEMO.href)) as { demoModel(): Model }
  return demoModel()
}
