/** `npm run bench -- NAME [options]`: measures one part. A bench is a file of this folder that exports `run(args)`. */
const BENCHES = [
  'agent',
  'calculator',
  'reader',
  'load',
  'ack',
  'slack',
  'files',
  'tables',
  'mcp',
  'teams',
  'schedules',
  'prompt',
  'pages',
] as const
const USAGE = `Usage: npm run bench -- NAME, where NAME is one of ${BENCHES.join(', ')}.`

async function main([name = '', ...args]: string[]): Promise<void> {
  if (name === '--help') return console.log(USAGE)
  const known = BENCHES.find((bench) => bench === name)
  if (!known) throw new Error(USAGE)
  const bench = (await import(`./${known}.ts`)) as { run(args: string[]): Promise<void> }
  await bench.run(args)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
