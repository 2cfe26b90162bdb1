import { afterAll } from 'vitest'

/** Registers what to stop at the end of a test (its context), or of the file. */
export interface Ends {
  onTestFinished(end: () => Promise<void> | void): void
}

/** Registers what to stop at the end of the file. Call it at the top of the file. */
export function fileEnds(): Ends {
  const ends: (() => Promise<void> | void)[] = []
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  return { onTestFinished: (end) => void ends.push(end) }
}
