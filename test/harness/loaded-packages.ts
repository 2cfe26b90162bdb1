/**
 * Runs a bot that answers one question, first without telemetry, then with what the environment enables. After each it
 * prints the packages that were loaded until then as a line of JSON.
 */
import { createRequire } from 'node:module'
import { startBot } from './bot.ts'
import { finish } from './played-model.ts'

async function printLoaded(env: Record<string, string | undefined>): Promise<void> {
  const ends: (() => Promise<unknown> | void)[] = []
  const onTestFinished = (end: (typeof ends)[number]) => void ends.push(end)
  const bot = await startBot({ onTestFinished }, { model: [finish('Yes.')], env })
  await (await bot.mention('Is it noon?')).ended()
  for (const end of ends.reverse()) await end()
  const files = Object.keys(createRequire(import.meta.url).cache)
  const packages = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  console.log(JSON.stringify([...new Set(packages)].sort()))
}

const { METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT } = process.env
await printLoaded({})
await printLoaded({ METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT })
process.exit(0)
