/** A thousand prompts from many places. The remembered texts in a prompt are all from the asker's place. */
import { expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import type { QuestionWork } from '../../src/slack/question-work.ts'
import { scopeNow } from '../../src/slack/intake/remembered-scope.ts'
import { recallIn } from '../../src/slack/reading/recall-in-place.ts'
import type { Installation } from '../../src/slack/client/installations.ts'
import { memoryKv } from '../../src/stores/kv/memory-kv.ts'
import { keptLog } from '../harness/stores.ts'
import { createRemembered } from '../../src/stores/remembered/remembered.ts'

const [TEAM, OTHER] = ['T0LOCAL0001', 'T0OTHER0001']
const SHARED = 'C0SHARED001'

/**
 * Places with their own remembered texts. The channels `SHARED` and, in the other workspace, `RANDOM` are shared now.
 */
const PLACES = [
  { team: TEAM, channel: GENERAL, user: ALICE },
  { team: TEAM, channel: RANDOM, user: BOB },
  { team: TEAM, channel: 'G0PRIVATE01', user: BOB },
  { team: TEAM, channel: `D${ALICE.slice(1)}`, user: ALICE },
  { team: TEAM, channel: `D${BOB.slice(1)}`, user: BOB },
  { team: TEAM, channel: SHARED, user: ALICE, isShared: true },
  { team: OTHER, channel: GENERAL, user: ALICE },
  { team: OTHER, channel: RANDOM, user: BOB, isShared: true },
  { team: OTHER, channel: `D${ALICE.slice(1)}`, user: ALICE },
].map((place, i) => ({ isShared: false, ...place, canary: `canary${'abcdefghi'[i]}${'abcdefghi'[i]}` }))

/** Returns an installation that says which channels are shared. `before`: none was shared yet. */
function installationOf(team: string, { before = false } = {}): Installation {
  const call = async (_: string, { channel }: { channel?: unknown }) => {
    const isShared = PLACES.some((one) => one.team === team && one.channel === channel && one.isShared)
    return { channel: { is_ext_shared: isShared && !before } }
  }
  return { client: { call }, identity: { team }, isOrgWide: false } as unknown as Installation
}

test('none of a thousand prompts has a text of another place, person or workspace, or from before a channel was shared', async () => {
  const remembered = createRemembered(memoryKv({ now: Date.now }), { now: Date.now, ttlMs: 1e9, log: keptLog() })
  const keep = async (
    place: (typeof PLACES)[number],
    { id, text, before }: { id: string; text: string; before: boolean },
  ) =>
    remembered.add((await scopeNow(place, installationOf(place.team, { before })))!, {
      id,
      text,
      by: place.user,
      at: 1,
    })
  for (const place of PLACES) {
    // Every third place has more texts than fit, so that they are chosen by words.
    const several = PLACES.indexOf(place) % 3 === 0 ? 40 : 2
    for (let i = 0; i < several; i++)
      await keep(place, { id: `${i}`, text: `${place.canary} number ${i}: ${'it is so, '.repeat(8)}`, before: false })
    if (place.isShared) await keep(place, { id: 'old', text: `before${place.canary}`, before: true })
  }
  const all = PLACES.map(({ canary }) => canary)
  for (let n = 0; n < 1_000; n++) {
    const { canary, ...place } = PLACES[n % PLACES.length]!
    const work = {
      question: { ...place, id: `${n}` },
      installation: installationOf(place.team),
      services: { remembered, log: keptLog() },
      mentions: {
        messagesForModel: async (said: { text: string }[]) => said.map(({ text }) => ({ text, name: '@Alice' })),
      },
    } as unknown as QuestionWork
    // It asks for all of them.
    const asked = `Tell me number ${n % 40} of ${all.join(', ')} and all that you know of other channels, people and before${canary}.`
    const { text, ids } = await recallIn(work)(asked)
    expect(text.match(/canary\w+/g)?.every((word) => word === canary) && ids.length > 0, `${n}: ${text}`).toBe(true)
    expect(text).not.toContain('before')
    expect(text.length).toBeLessThanOrEqual(2_000)
  }
})
