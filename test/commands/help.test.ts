import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCommand, runHere } from '../harness/command.ts'
import { textOf } from '../harness/project-files.ts'

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
const doors = readdirSync('src/commands')
  .filter((file) => file.endsWith('.ts') && file.slice(0, -3) in scripts)
  .map((file) => [file.slice(0, -3), `src/commands/${file}`] as const)

test('every command is covered', () => {
  expect(doors.map(([name]) => name)).toEqual(expect.arrayContaining(['cli', 'doctor', 'eval', 'mcp', 'slack', 'tool']))
  expect(doors.length).toBeGreaterThanOrEqual(8)
})

const others = [
  ['start', 'src/main.ts'],
  ['playground', 'playground/main.ts'],
  ['dev', 'playground/dev.ts'],
  ['trace', 'playground/trace.ts'],
] as const

/** `others` and `tool` end their process themselves. Few other tests start a process of `feedback` and `installs`. */
const inProcesses = [...others.map(([name]) => name), 'tool', 'feedback', 'installs']

test.for([...doors, ...others])(
  'npm run %s -- --help prints its usage and ends with 0, whatever the settings are',
  async ([name, file], t) => {
    const run = inProcesses.includes(name) ? runCommand : runHere
    const { code, stdout, stderr } = await run(t, file, { args: ['--help'], env: { PORT: 'broken' } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`npm ${name === 'start' ? '' : 'run '}${name}`)
  },
)
