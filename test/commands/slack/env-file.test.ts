import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'dotenv'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { installedBefore, withSettings, writeEnvFile } from '../../../src/commands/slack/env-file.ts'
import { textOf } from '../../harness/project-files.ts'
import { temporaryFolder } from '../../harness/command.ts'

const t = { onTestFinished }
const NAME = 'SLACK_BOT_TOKEN'

test('a setting replaces its own line, else goes below its comment, else to the end', () => {
  expect(withSettings('A=1\nSLACK_BOT_TOKEN=old\nB=2', { [NAME]: 'new' }, {})).toBe('A=1\nSLACK_BOT_TOKEN=new\nB=2')
  expect(withSettings('# say\n#SLACK_BOT_TOKEN=\nB=2\n', { [NAME]: 'new' }, {})).toBe(
    '# say\n#SLACK_BOT_TOKEN=\nSLACK_BOT_TOKEN=new\nB=2\n',
  )
  expect(withSettings('A=1', { [NAME]: 'new' }, {})).toBe('A=1\nSLACK_BOT_TOKEN=new\n')
  expect(withSettings('', { [NAME]: 'new' }, {})).toBe('SLACK_BOT_TOKEN=new\n')
})

test('every form that dotenv reads is replaced: export, quotes, trailing comments, duplicates, several lines', () => {
  const before = `  export SLACK_BOT_TOKEN = 'a b' # one\nSLACK_BOT_TOKEN="c\nSLACK_APP_TOKEN=d" # two\nSLACK_BOT_TOKEN_FILE=x\n`
  const after = withSettings(before, { [NAME]: 'n#w' }, {})
  expect(after).toBe(`  export SLACK_BOT_TOKEN ='n#w' # one\nSLACK_BOT_TOKEN='n#w' # two\nSLACK_BOT_TOKEN_FILE=x\n`)
})

test('a line inside another setting’s value is not touched, and the command says so', () => {
  const before = `NOTE="first\nSLACK_BOT_TOKEN=no\nlast"\n`
  expect(() => withSettings(before, { [NAME]: 'new' }, {})).toThrow('Put the settings into it by hand')
})

test('in any file the other settings and comments stay, and the new one has its value', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\n',
      '\r\n',
      '#',
      '=',
      "'",
      '"',
      ' ',
      '`',
      '\\',
      '$',
      ':',
      'export ',
      NAME,
      `${NAME}=`,
      'A=1',
      'A',
      '\t',
    ),
    fc.string({ maxLength: 5 }),
  )
  const anything = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
  const property = fc.property(anything, fc.stringMatching(/^xoxb-[\w-]{1,20}$/), (text, value) => {
    let after: string
    try {
      after = withSettings(text, { [NAME]: value }, { team: 'T1', app: 'A1' })
    } catch (error) {
      expect(String(error)).toContain('by hand')
      return
    }
    expect(parse(after)).toEqual({ ...parse(text), [NAME]: value })
    expect(installedBefore(after)).toEqual({ team: 'T1', app: 'A1' })
  })
  fc.assert(property, { numRuns: 500 })
})

test('long files take linear time', () => {
  for (const piece of ["'", '"', '`', '#', ' ', `${NAME}=`, `${NAME}="\n`, '\\"'])
    try {
      withSettings(`${NAME}=${piece.repeat(30_000)}`, { [NAME]: 'new' }, { team: 'T1' })
    } catch (error) {
      expect(String(error)).toContain('by hand')
    }
})

test('a filled-in .env.example keeps all of its lines', () => {
  const before = textOf('.env.example')
  const after = withSettings(before, { [NAME]: 'xoxb-1', SLACK_SIGNING_SECRET: 'secret-1' }, {})
  const gone = before.split('\n').filter((line) => !after.split('\n').includes(line))
  expect(gone).toEqual(['SLACK_BOT_TOKEN='])
  expect(after).toContain('#SLACK_SIGNING_SECRET=\nSLACK_SIGNING_SECRET=secret-1\n')
})

test('the file is readable by its owner only, and a link is followed', async () => {
  const folder = await temporaryFolder(t)
  writeFileSync(join(folder, 'real'), 'A=1', { mode: 0o644 })
  symlinkSync(join(folder, 'real'), join(folder, '.env'))
  writeEnvFile(join(folder, '.env'), 'A=2')
  expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('A=2')
  expect(statSync(join(folder, 'real')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).sort()).toEqual(['.env', 'real'])
})

test('an unwritable file is reported in a sentence, without leftovers', async () => {
  const folder = await temporaryFolder(t)
  mkdirSync(join(folder, '.env'))
  expect(() => writeEnvFile(join(folder, '.env'), 'A=2')).toThrow('.env cannot be written. Check its permissions.')
  expect(readdirSync(folder)).toEqual(['.env'])
})
