const counts = { passed: 0, failed: 0 }

/** Checks a fact, prints the result and counts it. A fact that throws fails with the error. */
export async function check(fact: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const fault = await Promise.resolve()
    .then(holds)
    .then((is) => (is ? '' : 'false'))
    .catch((error: unknown) => String(error))
  counts[fault ? 'failed' : 'passed'] += 1
  console.log(fault ? `  FAILS  ${fact}: ${fault}` : `  holds  ${fact}`)
}

/** Prints the last line, which .ci/run counts. Ends the process with 1 if a fact failed. */
export function summary(): void {
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0
}
