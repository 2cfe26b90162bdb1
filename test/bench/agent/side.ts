/** The process of either side: answers a number of questions on request, and reports the time and memory. */

export interface RoundRequest {
  questions: number
  inFlight: number
}

export interface RoundResult {
  cpuMs: number
  seconds: number
  peakMb: number
}

/** Serves rounds over the process's channel. `ask` resolves with the answer to one question. */
export function serveRounds(ask: () => Promise<string>, expected: string): void {
  process.on('message', (told: RoundRequest) => {
    void round(ask, expected, told).then((took) => process.send?.(took))
  })
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}

async function round(
  ask: () => Promise<string>,
  expected: string,
  { questions, inFlight }: RoundRequest,
): Promise<RoundResult> {
  let left = questions
  const lane = async () => {
    while (left-- > 0) {
      const answer = await ask()
      if (answer !== expected) throw new Error(`a wrong answer: ${answer}`)
    }
  }
  const [cpu, from] = [process.cpuUsage(), performance.now()]
  await Promise.all(Array.from({ length: inFlight }, lane))
  const used = process.cpuUsage(cpu)
  return {
    cpuMs: (used.user + used.system) / 1000 / questions,
    seconds: (performance.now() - from) / 1000,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }
}
