import { parse } from 'dotenv'
import { describe, expect, test } from 'vitest'
import { loadConfig, SECRETS, SETTINGS } from '../../src/config.ts'
import { envExample } from '../harness/env-example.ts'
import { codeIn } from '../harness/markdown.ts'
import { defaultOf, settingsIn, settingsPage } from '../harness/settings-page.ts'
import { textOf } from '../harness/project-files.ts'

describe('docs/settings.md', () => {
  test('matches the code (renew it: npx vitest run test/repo/settings.test.ts -u)', async () => {
    await expect(settingsPage()).toMatchFileSnapshot('../../docs/settings.md')
  })

  test('has every setting once with its default, and says which are secrets', () => {
    const lines = settingsPage().split('\n')
    const rows = lines.filter((line) => line.startsWith('| `')).map((line) => line.split('|').slice(1, 3))
    expect(rows.map(([name, value]) => [codeIn(name), codeIn(value)]).sort()).toEqual(
      SETTINGS.map((name) => [name, defaultOf(name)]).sort(),
    )
    const secrets = rows.filter(([name]) => name?.includes('†')).map(([name]) => codeIn(name))
    expect(secrets.sort()).toEqual(SETTINGS.filter((name) => SECRETS.includes(name)).sort())
  })
})

describe('the groups of settings', () => {
  test('contain each setting once with a sentence, in the order of the code', () => {
    const groups = (['needed', 'common', 'advanced'] as const).map(settingsIn)
    expect(groups.flatMap((group) => group.map(([name]) => name)).sort()).toEqual([...SETTINGS].sort())
    for (const group of groups) {
      const names = group.map(([name]) => name)
      expect(names).toEqual(SETTINGS.filter((name) => names.includes(name)))
      expect(group.filter(([, words]) => !/^.{15,}\.$/.test(words))).toEqual([])
    }
  })
})

describe('.env.example', () => {
  test('matches the code (renew it: npx vitest run test/repo/settings.test.ts -u)', async () => {
    await expect(envExample()).toMatchFileSnapshot('../../.env.example')
  })

  test('changes nothing if it is used as it is', () => {
    expect(loadConfig(parse(textOf('.env.example')))).toEqual(loadConfig({}))
  })
})
