import { expect, test } from 'vitest'
import { readManifest } from '../../src/base/app-manifest.ts'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'

const TYPED = `ask @bob, <@${ALICE}> or <@${BOB}|b> in #general (not #nowhere, @channel, a@b.com)`

test('with should_escape, people and channels in a command come with their ids and names', async () => {
  const slack = await localSlack({ ackMs: 10 })
  const { delivery } = await slack.slash(TYPED)
  expect(delivery.payload['text']).toBe(
    `ask <@${BOB}|bob>, <@${ALICE}|alice> or <@${BOB}|bob> in <#${GENERAL}|general> (not #nowhere, @channel, a@b.com)`,
  )
})

test('without it they come as the plain text that a person reads', async () => {
  const slack = await localSlack({ ackMs: 10, shouldEscape: false })
  const { delivery } = await slack.slash(TYPED)
  expect(delivery.payload['text']).toBe('ask @bob, @alice or @bob in #general (not #nowhere, @channel, a@b.com)')
})

test('hostile text takes linear time', async () => {
  const slack = await localSlack({ ackMs: 10 })
  for (const piece of ['<@U', '<#C|', '@', '(#a']) {
    const text = piece.repeat(20_000)
    const { delivery } = await slack.slash(text)
    expect(String(delivery.payload['text'])).toContain(piece)
  }
})

test('our manifests turn it on', () => {
  expect(readManifest('plain').shouldEscape).toEqual({ '/ask': true })
  expect(readManifest('agent').shouldEscape).toEqual({ '/ask': true })
})
