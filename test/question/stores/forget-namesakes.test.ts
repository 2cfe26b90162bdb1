/** Deleting a person's data leaves that of a person of another company, whose id may be the same. */
import { expect, test, type TestContext } from 'vitest'
import { recordOf } from '../../../src/question/archive-run.ts'
import { loadConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/base/log.ts'
import type { ForgottenPerson } from '../../../src/base/place.ts'
import { createStores } from '../../../src/question/stores/open-stores.ts'
import type { Stores } from '../../../src/question/stores/open-stores.ts'
import { freshRun } from '../../../src/stores/runs/types.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { question } from '../../harness/stores.ts'

const THREAD = 'T1:C1:1.0'
const DM = { team: 'T1', channel: 'D9' }
const PICTURE = { picture: { mime: 'image/png', base64: 'Y2hhcnQ=' } }
const ENDING = { model: 'm', dialect: 'text', endedAt: 1, hasFailed: false } as const

/** Stores data of U1 of T1, of U1 of T2, and of a person of T1 who reads both. */
async function filled(stores: Stores) {
  const { history, archive, remembered, threads, people } = stores
  const files = await stores.files()
  const about = { id: 'x', question: 'x', standalone: 'x', answer: 'x', user: 'U1', at: 1 }
  const file = { name: 'a.txt', kind: 'text', what: 'A text', question: 'x', user: 'U1', at: 1 } as const
  const asked: [string, { userTeam?: string }][] = [
    ['here', {}],
    ['other', { userTeam: 'T2' }],
  ]
  for (const [name, from] of asked) {
    await history.append(THREAD, { ...about, id: name, ...from })
    await archive.keep(recordOf(question(name, from), freshRun(1), ENDING))
    await remembered.add('T1:C1:all', { id: name, text: name, by: 'U1', ...from, at: 1 })
    await files.keep(THREAD, { ...file, id: `F-${name}`, ...from }, PICTURE)
  }
  await archive.keep(recordOf(question('third', { user: 'U3' }), freshRun(1), ENDING))
  await archive.rate('T1:C1:third', { by: 'U1', rating: 'up', at: 1 })
  await archive.rate('T1:C1:third', { by: 'T2/U1', rating: 'down', at: 2 })
  const said = { said: '@Ann: here\n@Ann: other', saidBy: ['U1', 'T2/U1'] }
  await history.append(THREAD, { ...about, id: 'third', user: 'U3', ...said })
  await threads.patch(THREAD, { grants: [{ tool: 'x', by: 'U1', at: 1 }] })
  await people.of('T1:U1').put('login', 'secret')
}

/** What is stored, by whose it is. */
async function leftIn({ history, archive, remembered, threads, people, ...stores }: Stores) {
  const turns = await history.load(THREAD)
  const files = await (await stores.files()).list(THREAD)
  const record = async (name: string) => ((await archive.load(`T1:C1:${name}`)) ? [name] : [])
  return {
    turns: turns.map(({ id }) => id),
    said: turns.find(({ id }) => id === 'third')?.said,
    records: [...(await record('here')), ...(await record('other'))],
    asked: (await archive.lastOf({ team: 'T1', user: 'U1' }, 9)).map(({ question: { id } }) => id.slice(6)),
    ratings: (await archive.load('T1:C1:third'))?.feedback.map(({ by }) => by),
    remembered: (await remembered.list('T1:C1:all')).map(({ text }) => text),
    files: files.map(({ id }) => id),
    grants: (await threads.load(THREAD)).grants?.length ?? 0,
    logins: (await people.list('T1')).length,
  }
}

const ofTwo = (name: 'here' | 'other') => ({
  turns: [name, 'third'],
  said: `@Ann: ${name}`,
  records: [name],
  asked: [name],
  ratings: [name === 'here' ? 'U1' : 'T2/U1'],
  remembered: [name],
  files: [`F-${name}`],
})

const WAYS: [string, Omit<ForgottenPerson, 'team' | 'user'>, object][] = [
  ['of the team', {}, { ...ofTwo('other'), grants: 0, logins: 0 }],
  ['of the team and its organisation', { homes: ['T1', 'E1', 'T3'] }, { ...ofTwo('other'), grants: 0, logins: 0 }],
  ['of another company', { homes: ['T2'] }, { ...ofTwo('here'), grants: 1, logins: 1 }],
  [
    'of a third company',
    { homes: ['T9'] },
    { turns: ['here', 'other', 'third'], records: ['here', 'other'], logins: 1 },
  ],
  [
    'who is in both',
    { homes: ['T1', 'T2'] },
    { turns: ['third'], records: [], asked: [], ratings: [], remembered: [], files: [], logins: 0 },
  ],
]

function forgetsOnlyTheirs(open: (t: TestContext) => Promise<Stores>) {
  test.for(WAYS)('a person %s', async ([, homes, left], t) => {
    const stores = await open(t)
    await filled(stores)
    await stores.forgetting.forgetPerson({ ...DM, user: 'U1', ...homes })
    expect(await leftIn(stores)).toMatchObject(left)
  })
}

let n = 0
async function opened(env: Record<string, string>, t: TestContext) {
  const stores = await createStores(loadConfig(env), { log: createLog('silent'), now: Date.now })
  t.onTestFinished(async () => {
    await stores.queue.stop(0)
    await stores.close()
  })
  return stores
}

forgetsOnlyTheirs((t) => opened({}, t))

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  forgetsOnlyTheirs((t) =>
    opened(
      {
        REDIS_URL: server.url,
        REDIS_PREFIX: `forget${n++}`,
        ROLE: 'front',
        SLACK_BOT_TOKEN: 'xoxb-1',
        SLACK_SIGNING_SECRET: 's'.repeat(32),
        MODEL: 'm',
      },
      t,
    ),
  )
})
