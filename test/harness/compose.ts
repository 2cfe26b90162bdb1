import { describeWith } from './programs.ts'

/** For tests that need docker-compose. They are skipped if there is none, except in CI. */
export const describeWithCompose = describeWith({ commands: ['docker-compose'], from: 'docker-compose' })
