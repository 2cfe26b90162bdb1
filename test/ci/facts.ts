const counts = { passed: 0, failed: 0 }

/** Says whether a fact holds, and counts it. A fact that throws fails with what was thrown. */
export async function check(fact: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const fault = await Promise.resolve()
    .then(holds)
    .then((is) => (is ? '' : 'false'))
    .catch((error: unknown) => String(error))
  counts[fault ? 'failed' : 'passed'] += 1
  console.log(fault ? `  FAILS  ${fact}: ${fault}` : `  holds  ${fact}`)
}

/** The last line, as .ci/run counts it; the process ends with 1 when a fact failed. */
export function summary(): void {
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0
}
