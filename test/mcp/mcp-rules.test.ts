/** The rules of MCP_CONFIG on a server's tools, and the tools' names for models. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { mcpNames } from '../../src/mcp/tools/mcp-names.ts'
import type { McpServerConfig } from '../../src/mcp/types.ts'
import { startChangingServer, type ListedTool } from '../harness/mcp/changing-server.ts'
import { atUrl, openToolbox, PLACE } from '../harness/mcp/toolbox.ts'

const TOOLS: ListedTool[] = [
  { name: 'look', annotations: { readOnlyHint: true } },
  { name: 'look_twice', annotations: { readOnlyHint: true } },
  { name: 'put', annotations: { idempotentHint: true } },
  { name: 'drop', annotations: { destructiveHint: true } },
  { name: 'plain' },
]

const lineSchema = z.object({ msg: z.string(), setting: z.string().optional(), rule: z.string().optional() })

type Rules = Partial<Pick<McpServerConfig, 'allow' | 'ask' | 'deny' | 'trust'>>

/** Describes a tool: `read` or `write`, `asks` if a person must allow it, `again` if it may be repeated. */
const wordsOf = ({ effects, needsApproval, idempotent }: Tool) =>
  [effects, needsApproval ? 'asks' : '', idempotent ? 'again' : ''].filter(Boolean).join(' ')

test.for<[string, Rules, Record<string, string>]>([
  [
    'without a word about them every tool asks, whatever it says of itself',
    {},
    { look: 'write asks', look_twice: 'write asks', put: 'write asks', drop: 'write asks', plain: 'write asks' },
  ],
  [
    'of a trusted server what only reads runs, and what may be repeated may be',
    { trust: true },
    { look: 'read', look_twice: 'read', put: 'write asks again', drop: 'write asks', plain: 'write asks' },
  ],
  [
    'what is allowed runs, and is held for a write unless its server is trusted',
    { allow: ['look*', 'put'] },
    { look: 'write', look_twice: 'write', put: 'write', drop: 'write asks', plain: 'write asks' },
  ],
  [
    'what is to be asked asks, also where it is allowed or only reads',
    { trust: true, allow: ['*'], ask: ['look', 'dr*'] },
    { look: 'read asks', look_twice: 'read', put: 'write again', drop: 'write asks', plain: 'write' },
  ],
  [
    'what is denied is not there, whatever else is said',
    { trust: true, allow: ['*'], ask: ['*'], deny: ['look*', 'drop'] },
    { put: 'write asks again', plain: 'write asks' },
  ],
])('%s', async ([, rules, expected], t) => {
  const server = await startChangingServer(TOOLS)
  const toolbox = await openToolbox(t, [atUrl('s', server.url, rules)])
  const tools = await toolbox.toolsFor({ team: 'T1', channel: 'C1', waits: true })
  expect(Object.fromEntries(tools.map((tool) => [tool.name.replace('s__', ''), wordsOf(tool)]))).toEqual(expected)
  expect(tools.every((tool) => tool.server === 's')).toBe(true)
  expect(toolbox.off()).toEqual([])
})

test('revoked trust takes effect at once, also for tools listed before', async (t) => {
  const server = await startChangingServer(TOOLS)
  const first = await openToolbox(t, [atUrl('s', server.url, { trust: true })])
  expect((await first.tool('s__look')).needsApproval).toBeUndefined()
  const next = await openToolbox(t, [atUrl('s', server.url, { deny: ['plain'] })], { ...first, open: undefined })
  expect((await next.tool('s__look')).needsApproval).toBe(true)
  expect(await next.names()).not.toContain('s__plain')
})

test('a server is used only in its channels; dm stands for direct messages', async (t) => {
  const server = await startChangingServer([{ name: 'look' }])
  const toolbox = await openToolbox(t, [
    atUrl('here', server.url, { channels: ['C0123456', 'dm'] }),
    atUrl('all', server.url),
  ])
  expect(await toolbox.names('C0123456')).toEqual(['here__look', 'all__look'])
  expect(await toolbox.names('D0123456')).toEqual(['here__look', 'all__look'])
  expect(await toolbox.names('C9999999')).toEqual(['all__look'])
})

test('an unavailable server gives its reason, delays nothing and does not affect others', async (t) => {
  const server = await startChangingServer([{ name: 'look' }])
  const toolbox = await openToolbox(t, [atUrl('gone', 'http://127.0.0.1:1/mcp'), atUrl('there', server.url)])
  expect(await toolbox.names()).toEqual(['there__look'])
  expect(toolbox.off()).toEqual([{ server: 'gone', tool: '', why: expect.stringMatching(/\w.*\.$/) }])
})

describe('the name of a tool', () => {
  const SOUND = /^[a-zA-Z0-9_-]{1,64}$/

  test('consists of its server’s name and its own', () => {
    expect(mcpNames([{ server: 'git-hub', tool: 'create_issue' }])).toEqual(['git-hub__create_issue'])
  })

  test('is valid and unique ignoring case, whatever the two are called', () => {
    const odd = [
      '',
      ' ',
      'ä',
      '日本語',
      'a b',
      'A_b',
      'a.b',
      'x'.repeat(100),
      '__',
      '-',
      '😀',
      'a\u0000',
      'finish',
      'Final Answer',
      'none',
    ]
    const tools = odd.flatMap((server) => odd.map((tool) => ({ server, tool })))
    const names = mcpNames(tools, ['calculator', 'a_b__-'])
    expect(names.filter((name) => !SOUND.test(name))).toEqual([])
    expect(new Set([...names, 'a_b__-'].map((name) => name.toLowerCase())).size).toBe(tools.length + 1)
  })

  test('is never one that ends a run', () => {
    const [name = ''] = mcpNames([{ server: 'task', tool: 'finish' }])
    expect(name).toMatch(/^task__finish_[0-9a-f]{6}$/)
  })

  test('belongs to the first tool that has it; later ones get another', () => {
    const [one, two] = [
      { server: 's', tool: 'a b' },
      { server: 's', tool: 'A.b' },
    ]
    expect(mcpNames([one, two])).toEqual(['s__a_b', expect.stringMatching(/^s__A_b_[0-9a-f]{6}$/)])
  })

  test('belongs to the tool that was pinned first, in any order of the list', async (t) => {
    const server = await startChangingServer([{ name: 'delete_repo' }])
    const toolbox = await openToolbox(t, [atUrl('hub', server.url, { trust: true })])
    expect(await toolbox.names()).toEqual(['hub__delete_repo'])
    server.tools = [{ name: 'Delete_Repo', annotations: { readOnlyHint: true } }, { name: 'delete_repo' }]
    toolbox.later()
    await expect
      .poll(() => toolbox.names())
      .toEqual(['hub__delete_repo', expect.stringMatching(/^hub__Delete_Repo_[0-9a-f]{6}$/)])
  })
})

describe('a rule', () => {
  test('that restricts ignores case; one that allows is case-sensitive', async (t) => {
    const tools = ['Look', 'look', 'Drop', 'Put'].map((name) => ({ name, annotations: { readOnlyHint: true } }))
    const server = await startChangingServer(tools)
    const rules: Rules = { allow: ['look'], ask: ['put'], deny: ['drop'] }
    const trusted = await openToolbox(t, [atUrl('s', server.url, { ...rules, trust: true })])
    const asks = async (toolbox: typeof trusted) =>
      (await toolbox.toolsFor(PLACE)).map(({ ruleName, needsApproval = false }) => [ruleName, needsApproval])
    expect(await asks(trusted)).toEqual([
      ['s__Look', false],
      ['s__look', false],
      ['s__Put', true],
    ])
    const other = await openToolbox(t, [atUrl('s', server.url, rules)])
    expect((await asks(other)).slice(0, 2)).toEqual([
      ['s__Look', true],
      ['s__look', false],
    ])
  })

  test('without a matching tool is logged once its server has listed its tools', async (t) => {
    const server = await startChangingServer(TOOLS)
    const approvers = ['s__lok', 's__LOOK*', 's', 'gone__*', 'calcluator', 'calculator'].map((name) => ({
      ...{ name, ids: ['U0BOB0000001'], notAsker: true },
    }))
    const toolbox = await openToolbox(
      t,
      [atUrl('s', server.url, { allow: ['lok', 'look'], deny: ['plane'] }), atUrl('gone', 'http://127.0.0.1:1/mcp')],
      { approvers, taken: ['calculator'] },
    )
    for (let i = 0; i < 3; i++) {
      await toolbox.names()
      toolbox.later()
    }
    const told = toolbox.logs.map((line) => lineSchema.parse(JSON.parse(line))).filter(({ rule }) => rule)
    expect(told.map(({ setting, rule, msg }) => [setting, rule, msg])).toEqual([
      ['APPROVERS', 's__lok', 'a rule matches no tool'],
      ['APPROVERS', 'calcluator', 'a rule matches no tool'],
      ['s: allow', 'lok', 'a rule matches no tool'],
      ['s: deny', 'plane', 'a rule matches no tool'],
    ])
  })
})
