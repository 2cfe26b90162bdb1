/** The programs that a person's machine may lack. Only here are tests skipped, and never in CI. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, test } from 'vitest'

interface Program {
  /** Its commands. One is enough. */
  commands: string[]
  /** The package of Debian that has it. */
  from: string
}

/** Returns the path of a program, or undefined if the machine lacks it. */
export function pathOf({ commands }: Pick<Program, 'commands'>): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = commands.flatMap((command) => folders.map((folder) => join(folder, command)))
  return paths.find((path) => isExecutable(path))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Returns `describe` if the machine has the program. Otherwise each suite becomes one skipped test, and its body does not
 * run, because it may start the program. `left-out.ts` counts these tests by their name.
 * @throws in CI if the program is missing
 */
export function describeWith(program: Program, isThere = pathOf(program) !== undefined): typeof describe {
  if (isThere) return describe
  const { commands, from } = program
  if (process.env.CI === 'true') throw new Error(`${commands[0]} is missing: CI must test with a real one.`)
  const leaveOut = (name: unknown) =>
    describe.skip(String(name), () => test(`needs ${commands[0]} (apt install ${from})`, () => {}))
  return Object.assign(leaveOut, { concurrent: leaveOut, each: () => leaveOut }) as unknown as typeof describe
}
