/**
 * Returns how often a property test runs: fewer times in `npm test`, and `chaos` times in `npm run test:chaos`, which
 * runs each file that imports this.
 */
export function propertyRuns({ test, chaos }: { test: number; chaos: number }): number {
  return process.env.CHAOS_SEED ? chaos : test
}
