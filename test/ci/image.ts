/**
 * `tsx test/ci/image.ts FOLDER`: executes the Dockerfile's steps without Docker, each stage in its own folder, with
 * only the files in git. FOLDER/app is then the content of the image.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { ROOT } from '../../src/base/package-root.ts'
import { copyOf, readDockerfile, type Instruction } from '../harness/dockerfile.ts'
import { textOf } from '../harness/project-files.ts'

const [target] = process.argv.slice(2)
if (!target) throw new Error('Where to? tsx test/ci/image.ts FOLDER')

const work = mkdtempSync(join(tmpdir(), 'thinkaloud-image-'))
const stages = readDockerfile(textOf('Dockerfile'))
for (const [i, { instructions, name }] of stages.entries()) {
  const folder = i === stages.length - 1 ? resolve(target) : join(work, name)
  mkdirSync(join(folder, 'app'), { recursive: true })
  for (const instruction of instructions) step(instruction, folder)
}
rmSync(work, { recursive: true, force: true })

function step(instruction: Instruction, folder: string): void {
  if (instruction.name === 'COPY') copy(instruction, folder)
  if (instruction.name === 'RUN')
    execFileSync('sh', ['-c', instruction.rest], { cwd: join(folder, 'app'), stdio: 'inherit' })
}

/** Copies any path from an earlier stage, but only files in git from the checkout. */
function copy(instruction: Instruction, folder: string): void {
  const { from, to } = copyOf(instruction)
  const stage = instruction.flags['from']
  for (const path of from) {
    const base = stage ? join(work, stage) : ROOT
    for (const file of stage ? [path] : known(path)) {
      const place = join(folder, 'app', to, to === './' ? basename(path) : relative(path, file))
      mkdirSync(dirname(place), { recursive: true })
      cpSync(join(base, file), place, { recursive: true, verbatimSymlinks: true })
    }
  }
}

function known(path: string): string[] {
  const files = execFileSync('git', ['ls-files', path], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
  if (files[0] === '') throw new Error(`The Dockerfile copies ${path}, which git does not know.`)
  return files
}
