/**
 * Runs a bot that answers one question, and then prints the packages that were loaded as JSON. It gets the environment.
 */
import { createRequire } from 'node:module'
import { startBot } from './bot.ts'
import { finish } from './played-model.ts'

const ends: (() => Promise<unknown> | void)[] = []
const onTestFinished = (end: (typeof ends)[number]) => void ends.push(end)

const { METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT } = process.env
const bot = await startBot(
  { onTestFinished },
  { model: [finish('Yes.')], env: { METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT } },
)
await (await bot.mention('Is it noon?')).ended()
for (const end of ends.reverse()) await end()

const files = Object.keys(createRequire(import.meta.url).cache)
const packages = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
console.log(JSON.stringify([...new Set(packages)].sort()))
process.exit(0)
