/**
 * Prints the files of ours of which a question with one step enters a function, in memory and over HTTP: a process of its own,
 * because the count is V8's. `npx tsx test/harness/question-way.ts`
 */
import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../../src/base/package-root.ts'
import { startBot } from './bot.ts'
import { act, finish } from './played-model.ts'

const ends: (() => unknown)[] = []
const script = [
  act('warm', 'calculator', '1+1'),
  finish('2'),
  act('I need it.', 'calculator', '29^0.23'),
  finish('2.169'),
]
const bot = await startBot({ onTestFinished: (end) => void ends.push(end) }, { model: script })
await (await bot.mention('warm up?')).ended()

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await session.post('Profiler.takePreciseCoverage')
await (await bot.mention('What is 29^0.23?')).ended()
const { result } = await session.post('Profiler.takePreciseCoverage')

const root = pathToFileURL(`${ROOT}/`).href
const entered = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
const files = entered
  .filter(({ url }) => url.startsWith(root))
  .map(({ url }) => url.slice(root.length).replace(/\?.*/, ''))
  .filter((path) => /^(?:src|tools)\//.test(path) && !path.startsWith('playground/slack/'))
console.log([...new Set(files)].sort().join('\n'))
for (const end of ends.reverse()) await end()
process.exit(0)
