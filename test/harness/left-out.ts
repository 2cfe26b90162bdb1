import type { Reporter, TestModule } from 'vitest/node'

/** Prints one line at the end of a run: how many suites were left out for lack of a program, and how to get it. */
export class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const line = leftOutLine(modules.flatMap((file) => [...file.children.allTests('skipped')].map(({ name }) => name)))
    if (line !== undefined) console.log(`\n${line}`)
  }
}

/** Returns undefined if no test was skipped for lack of a program. */
export function leftOutLine(skipped: readonly string[]): string | undefined {
  const needed = skipped.flatMap((name) => neededBy(name) ?? [])
  const parts = [...new Set(needed)].map((one) => `${needed.filter((other) => other === one).length} without ${one}`)
  return parts.length > 0 ? `Left out ${needed.length} suites: ${parts.join(', ')}. CI leaves nothing out.` : undefined
}

/** Returns the program that a skipped test needs, and how to get it. */
function neededBy(testName: string): string | undefined {
  return /^needs (\S+ \(apt install \S+\))$/.exec(testName)?.[1]
}
