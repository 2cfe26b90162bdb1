import { afterAll } from 'vitest'

/** Where what was started is stopped: a test's own context, or the file's end. */
export interface Ends {
  onTestFinished(end: () => Promise<void> | void): void
}

/** For what all tests of a file share. Called at the top of the file. */
export function fileEnds(): Ends {
  const ends: (() => Promise<void> | void)[] = []
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  return { onTestFinished: (end) => void ends.push(end) }
}
