import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evalReplay, type Difference } from '../../../src/commands/eval/eval-replay.ts'
import { parseOptions } from '../../../src/commands/eval/options.ts'
import { ROOT } from '../../../src/base/package-root.ts'
import { runHere, temporaryFolder } from '../../harness/command.ts'
import type { Ends } from '../../harness/ends.ts'

interface Recorded {
  calls: (string | { completion: string; note: string })[]
  observations: string[]
  answer?: string | null
  right?: boolean
  max_steps?: number
}

const NOW = new Date('2026-11-21T10:00:00Z')

/** Replays an invented episode whose gold answer is "blue". */
async function replay(t: Ends, recorded: Recorded) {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'episodes.jsonl')
  const { calls, observations, answer = null, right = false, max_steps } = recorded
  const episode = {
    id: 'e1',
    question: 'Which colour is the sky?',
    gold: 'blue',
    max_steps,
    calls: calls.map((call) => (typeof call === 'string' ? { completion: call } : call)),
    observations,
    recorded: { answer, em: right ? 1 : 0 },
  }
  await writeFile(file, JSON.stringify(episode))
  return { ...(await replayFile(file, join(folder, 'out'))), file, folder }
}

async function replayFile(file: string, out: string) {
  const options = parseOptions(['--replay', file, '--out', out], { dialect: 'text', model: 'none', now: NOW })
  if (options.kind !== 'replay') throw new Error('this replays nothing')
  const stdout = await evalReplay(options, () => NOW)
  const { sides } = JSON.parse(await readFile(join(out, 'results.json'), 'utf8')) as { sides: [Side] }
  const [{ questions, details, summary }] = sides
  return { stdout, differences: details.differences, outcome: questions[0]!, summary }
}

interface Side {
  summary: { right: number }
  questions: { answer?: string; stopped?: string; steps: number }[]
  details: { recordedRight: number; differences: Difference[] }
}

test('an episode is played in its order: thoughts, actions and observations as recorded', async (t) => {
  const calls = [' I need the sky.\nAction 1: Search[sky]', ' It is blue.\nAction 2: Finish[blue]']
  const { stdout, differences, outcome } = await replay(t, {
    calls,
    observations: ['The sky is blue.', 'done'],
    answer: 'blue',
    right: true,
  })
  expect(stdout).toContain('Scored otherwise here: none.')
  expect(stdout).toMatch(/1 of 1 right$/)
  expect(outcome).toMatchObject({ answer: 'blue', steps: 1 })
  expect(differences).toEqual([])
})

test('tools of any name return the recorded observations', async (t) => {
  const calls = [
    'Thought 1: x\nAction 1: Retrieve[sky]',
    'Thought 2: y\nAction 2: Calculate[1+1]',
    'Thought 3: z\nAction 3: Finish[blue]',
  ]
  const { outcome, differences } = await replay(t, {
    calls,
    observations: ['a', 'b', 'c'],
    answer: 'blue',
    right: true,
  })
  expect(outcome).toMatchObject({ answer: 'blue', steps: 2 })
  expect(differences).toEqual([])
})

test('a recording that repeats itself continues', async (t) => {
  const again = 'Thought: hm\nAction: Lookup[sky]'
  const calls = [again, again, again, again, 'Thought: ah\nAction: Finish[blue]']
  const { outcome } = await replay(t, {
    calls,
    observations: ['1', '2', '3', '4', '5'],
    answer: 'blue',
    right: true,
    max_steps: 7,
  })
  expect(outcome).toMatchObject({ answer: 'blue', steps: 4 })
})

test('a call that the paper’s runner repeated is one step', async (t) => {
  const calls = [
    { completion: ' The sky is blue.\nAction 1', note: 'badcall' },
    'Search[sky]',
    { completion: ' It supports the claim', note: 'badcall' },
    'Finish[blue]',
  ]
  const { outcome, differences } = await replay(t, {
    calls,
    observations: ['Blue.', 'done'],
    answer: 'blue',
    right: true,
    max_steps: 2,
  })
  expect(outcome).toMatchObject({ answer: 'blue', steps: 3 })
  expect(differences).toEqual([])
})

test('thoughts and actions that were requested separately stay aligned with their observations', async (t) => {
  const calls = [
    'I should find the sky.',
    'Search[sky]',
    'Not useful. I should Lookup[colour]',
    'Lookup[colour]',
    'So it is blue.',
    'Finish[blue]',
  ]
  const { outcome, differences } = await replay(t, {
    calls,
    observations: ['A page.', 'Blue.'],
    answer: 'blue',
    right: true,
    max_steps: 6,
  })
  expect(outcome.answer).toBe('blue')
  expect(differences).toEqual([])
})

test('an unreadable turn consumes its observation, and the next action gets the next one', async (t) => {
  const calls = ['Action 1: sky', 'Action 2: sky', 'Action 3: sky', 'Action 4: Search[sky]', 'Action 5: Finish[blue]']
  const observations = ['Invalid action', 'Invalid action', 'Invalid action', 'The sky is blue.', 'done']
  const { outcome } = await replay(t, { calls, observations, answer: 'blue', right: true, max_steps: 7 })
  expect(outcome).toMatchObject({ answer: 'blue', steps: 4 })
})

test('the episode’s own limit ends it', async (t) => {
  const calls = ['Action 1: Search[a]', 'Action 2: Search[b]', 'Action 3: Search[c]']
  const { outcome, stdout } = await replay(t, { calls, observations: ['1', '2', '3'], answer: '', max_steps: 2 })
  expect(outcome).toMatchObject({ stopped: 'steps', steps: 2 })
  expect(outcome).not.toHaveProperty('answer')
  expect(stdout).toMatch(/0 of 1 right$/)
})

test('an episode without an end ends without an answer', async (t) => {
  const { outcome, differences } = await replay(t, { calls: ['Action 1: Search[a]'], observations: ['1'] })
  expect(outcome).not.toHaveProperty('answer')
  expect(differences).toEqual([])
})

test('an answer that the recording’s environment rejected but we parse is reported with the reason', async (t) => {
  const refused = ' I am sure.\nAction 1: \n\nFinish[blue]'
  const calls = [refused, ' I give up.\nAction 2: Finish[red]']
  const { differences, stdout } = await replay(t, {
    calls,
    observations: ['Invalid action: Finish[blue]', 'done'],
    answer: 'red',
  })
  expect(differences).toEqual([
    {
      id: 'e1',
      counts: true,
      gold: ['blue'],
      recorded: { answer: 'red', right: false },
      replayed: { answer: 'blue', right: true },
      why: expect.stringContaining(
        'the recording continued after call 1 with the observation "Invalid action: Finish[blue]"',
      ) as string,
    },
  ])
  expect(stdout).toContain('- e1, right here: the recording continued after call 1')
})

test('an answer that the recording parsed but we do not is reported', async (t) => {
  const { differences } = await replay(t, {
    calls: ['It is blue, I would say'],
    observations: ['done'],
    answer: 'blue',
    right: true,
  })
  expect(differences[0]?.why).toContain('No answer was read')
})

test.for<[string, Recorded, string]>([
  [
    'that ends at its limit',
    { calls: ['Action 1: Search[a]', 'It is blue.'], observations: ['1', 'Invalid action'], max_steps: 1 },
    'At the limit (steps) call 2 was taken for the answer: "It is blue."',
  ],
  [
    'whose score the recording got wrong',
    { calls: ['Action 1: Finish[blue]'], observations: ['done'], answer: ' blue ' },
    'The same answer, scored otherwise by the recording.',
  ],
  [
    'whose last call the recording took for another answer',
    { calls: ['Action 1: Finish[blue]'], observations: ['done'], answer: 'red' },
    'the recording took another answer from call 1; the replay read "Action 1: Finish[blue]" as the answer "blue".',
  ],
  [
    'whose calls ran out',
    { calls: ['Action 1: Search[a]'], observations: [], answer: 'blue', right: true },
    'No answer was read',
  ],
])('an episode %s is told of so', async ([, recorded, why], t) => {
  const { differences } = await replay(t, recorded)
  expect(differences.map((one) => one.why)).toEqual([expect.stringContaining(why)])
})

test('a long text is reported by its end', async (t) => {
  const calls = [`${'I wonder. '.repeat(50)}\nAction 1: Finish[blue]`]
  const { differences } = await replay(t, { calls, observations: ['done'], answer: 'red' })
  expect(differences[0]?.why).toMatch(/; the replay read "….{138}Action 1: Finish\[blue\]" as/)
})

test('of many differing episodes twenty are listed and the others counted', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'many.jsonl')
  const calls = [{ completion: 'Action 1: Finish[blue]' }]
  const lines = Array.from({ length: 23 }, (_, id) =>
    JSON.stringify({
      id,
      question: 'Which?',
      gold: 'blue',
      calls,
      observations: ['done'],
      recorded: { answer: 'red' },
    }),
  )
  await writeFile(file, lines.join('\n'))
  const { stdout, differences } = await replayFile(file, join(folder, 'out'))
  expect(stdout).toContain('Recorded: 0 right. Scored otherwise here: 23.')
  expect(stdout.match(/^- \d+, right here/gm)).toHaveLength(20)
  expect(stdout).toContain('- and 3 more in results.json')
  expect(differences).toHaveLength(23)
})

test('a file without episodes ends with its invalid line', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'x.jsonl')
  await writeFile(file, '{"id": "a"}')
  const { code, stderr } = await runHere(t, 'src/commands/eval.ts', { args: ['--replay', file] })
  expect({ code, stderr: stderr.trim() }).toEqual({ code: 1, stderr: `${file}:1 is not a recorded episode.` })
})

const RECORDINGS = join(ROOT, '../shared/data/replay')
const SHARED = [
  // The environment refused `Action 3: \n\nFinish[…]` for its line breaks, although the answer is readable and right.
  { name: 'fever_davinci002_500.jsonl', recorded: 270, otherwise: ['fever-3522'] },
  { name: 'knowagent_llama13b_D0.jsonl', recorded: 132, otherwise: [] },
].filter(({ name }) => existsSync(join(RECORDINGS, name)))

test.for(SHARED)(
  '$name comes out as recorded, except for the reported differences',
  async ({ name, recorded, otherwise }, t) => {
    const { summary, differences } = await replayFile(join(RECORDINGS, name), await temporaryFolder(t))
    const counted = differences.filter(({ counts }) => counts)
    expect(counted.map(({ id }) => id)).toEqual(otherwise)
    expect(summary.right).toBe(recorded + counted.filter(({ replayed }) => replayed.right).length)
  },
)
