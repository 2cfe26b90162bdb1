import { parse } from 'dotenv'
import { describe, expect, test } from 'vitest'
import { loadConfig, SECRETS, SETTINGS } from '../../src/config.ts'
import { codeIn } from '../harness/markdown.ts'
import { defaultOf, describedSettings, settingsPage } from '../harness/settings-page.ts'
import { textOf } from '../harness/source.ts'

describe('docs/settings.md', () => {
  test('is what the code and .env.example say (renew it: npx vitest run test/repo/settings.test.ts -u)', async () => {
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

describe('.env.example', () => {
  const settings = describedSettings()

  test('has every setting with its default and a description, in groups, and no other', () => {
    expect(settings.map(({ name, value }) => [name, value])).toEqual(SETTINGS.map((name) => [name, defaultOf(name)]))
    expect(settings.filter(({ description, group }) => description.length < 15 || group === '')).toEqual([])
  })

  test('taken as it is, changes nothing', () => {
    expect(loadConfig(parse(textOf('.env.example')))).toEqual(loadConfig({}))
  })
})
