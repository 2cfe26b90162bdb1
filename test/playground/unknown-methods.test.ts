import { expect, onTestFinished, test } from 'vitest'
import { methods } from '../../playground/slack/methods/index.ts'
import { tellUnknown, unknownMethods } from '../../playground/slack/unknown-methods.ts'
import { methodNames } from '../../src/slack/client/method-names.ts'
import { startPlayground } from '../../playground/main.ts'
import { localSlack } from '../harness/local-slack.ts'

const all = methodNames()

test('every method of the SDK is known by name, including those simulated here', () => {
  expect(all.length).toBeGreaterThan(250)
  expect(all).toEqual(
    expect.arrayContaining(['admin.users.session.list', 'api.test', 'chat.postMessage', 'views.publish']),
  )
  // The SDK has no functions for these yet.
  const unlisted = ['assistant.search.context', 'assistant.search.info']
  expect([...methods.keys()].filter((name) => !all.includes(name)).sort()).toEqual(unlisted)
})

test('each method that is not simulated answers unknown_method', async () => {
  const slack = await localSlack()
  const unknown = unknownMethods(all)
  expect(unknown.length).toBeGreaterThan(200)
  const answers = await Promise.all(
    unknown.map(async (name) => {
      const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' }
      const response = await fetch(slack.apiUrl + name, { method: 'POST', headers, body: '{}' })
      return { name, body: await response.json() }
    }),
  )
  expect(answers).toEqual(
    unknown.map((name) => ({ name, body: { ok: false, error: 'unknown_method', req_method: name } })),
  )
})

test('the page names each of them, a family that is missing entirely by its first name', () => {
  const told = tellUnknown(all)
  const families = [...told.matchAll(/\b([a-z]+)\.\* \((\d+)\)/gi)].map(([, family = '', count]) => [
    family,
    Number(count),
  ])
  const inFamilies = unknownMethods(all).filter((name) => families.some(([family]) => name.startsWith(`${family}.`)))
  expect(inFamilies).toHaveLength(families.reduce((sum, [, count]) => sum + Number(count), 0))
  for (const name of unknownMethods(all).filter((one) => !inFamilies.includes(one))) expect(told).toContain(name)
  for (const name of methods.keys()) expect(told).not.toMatch(new RegExp(`\\b${name}\\b[,.]`))
  expect(told).toContain(`${unknownMethods(all).length} of the ${all.length + 2} methods`)
})

test('the playground’s page has the list among its notes', async () => {
  const playground = await startPlayground({ PLAYGROUND_PORT: '0' })
  onTestFinished(() => playground.stop())
  const state: unknown = await (await fetch(new URL('/state', playground.url))).json()
  expect(state).toMatchObject({ notes: expect.arrayContaining([tellUnknown(all)]) })
})
