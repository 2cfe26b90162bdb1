import { spawnSync } from 'node:child_process'
import { describe } from 'vitest'

const hasCompose = spawnSync('docker-compose', ['--version']).status === 0
if (!hasCompose && process.env.CI === 'true')
  throw new Error('docker-compose is missing: CI must check its file with it.')
if (!hasCompose)
  console.warn(
    '\n!!! docker-compose is missing: docker-compose.yml goes UNTESTED. Install it (apt install docker-compose).\n',
  )

/** For tests that need docker-compose. They are skipped with a warning if there is none, except in CI. */
export const describeWithCompose = hasCompose ? describe : describe.skip
