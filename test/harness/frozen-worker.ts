/**
 * A worker in a separate process, for a test that freezes it. It claims a post, reports that, and tries to continue
 * after it was woken. Its arguments are Redis' URL and the prefix. It reports by lines on stdout.
 */
import { redisQueue } from '../../src/queue/redis-queue.ts'

const [url = '', prefix = ''] = process.argv.slice(2)
const quiet = { info() {}, warn() {}, error() {} }
const queue = redisQueue({
  now: Date.now,
  redis: { url },
  prefix,
  log: quiet,
  role: 'worker',
  lockMs: 1_000,
  stalledMs: 250,
  graceMs: 60_000,
})

await queue.start(async (_, run, signal) => {
  signal.addEventListener('abort', () => console.log('aborted'))
  await run.claimPost('step-1')
  console.log('claimed')
  // Waits for input, because the worker must not notice that it was frozen before its next claim.
  await new Promise((resolve) => process.stdin.once('data', resolve))
  for (const attempt of [
    () => run.checkLease(),
    () => run.claimPost('answer-1'),
    () => run.posted('step-1', '6.6'),
    () => run.save({ part: 'standalone', value: '?' }),
  ])
    await attempt().then(
      () => console.log('done'),
      (error: Error) => console.log(error.name),
    )
  console.log('end')
})
