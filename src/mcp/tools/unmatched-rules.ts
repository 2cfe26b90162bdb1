/** Finds operators' rules that match no tool, usually because a name is misspelt or its server has dropped the tool. */
import { matchesRule } from '../../agent/match-tool-rule.ts'
import type { Log } from '../../base/log.ts'
import type { ApproverList } from '../../base/settings/approver-rules.ts'
import type { McpServerConfig } from '../types.ts'
import { ruleNameOf } from './mcp-names.ts'

/** A server of MCP_CONFIG with the names of its tools; `tools` is undefined while they are unknown. */
export interface ListedTools {
  config: Pick<McpServerConfig, 'name' | 'allow' | 'ask' | 'deny'>
  tools: string[] | undefined
}

/** A rule that matches no tool: its setting (`APPROVERS`, or `hub: deny` for MCP_CONFIG), and the name in it. */
export interface UnmatchedRule {
  setting: string
  rule: string
}

/** Returns a function that names in the log, once each, the rules that match no tool. `own`: see `unmatchedRules`. */
export function ruleWarning(
  log: Log,
  approvers: readonly ApproverList[],
  own: readonly string[],
): (servers: ListedTools[]) => void {
  const warned = new Set<string>()
  return (servers) => {
    for (const { setting, rule } of unmatchedRules(servers, { approvers, own })) {
      if (!warned.has(`${setting} ${rule}`)) log.warn({ setting, rule }, 'a rule matches no tool')
      warned.add(`${setting} ${rule}`)
    }
  }
}

/**
 * Returns the rules of APPROVERS and MCP_CONFIG that match no tool and no server. A rule that may refer to a server
 * whose tools are unknown is left out. `own`: the names of the tools that belong to no server.
 */
export function unmatchedRules(
  servers: ListedTools[],
  { approvers, own }: { approvers: readonly ApproverList[]; own: readonly string[] },
): UnmatchedRule[] {
  const names = [...own, ...servers.flatMap(({ config, tools }) => namesOf(config.name, tools ?? []))]
  const unknown = servers
    .filter(({ tools }) => !tools)
    .map(({ config }) => ruleNameOf({ server: config.name, tool: '' }))
  const isIdle = (rule: string) =>
    !servers.some(({ config }) => config.name === rule) &&
    !names.some((name) => matchesRule(name, rule)) &&
    !unknown.some((start) => mayBegin(rule, start))
  return [
    ...approvers.flatMap(({ name }) =>
      name !== undefined && isIdle(name) ? [{ setting: 'APPROVERS', rule: name }] : [],
    ),
    ...servers.flatMap(unmatchedOf),
  ]
}

function namesOf(server: string, tools: string[]): string[] {
  return tools.map((tool) => ruleNameOf({ server, tool }))
}

/** Returns whether a rule could match a tool whose name begins like this. */
function mayBegin(rule: string, start: string): boolean {
  const [a, b] = [rule.toLowerCase(), start.toLowerCase()]
  return a.startsWith(b) || (a.endsWith('*') && b.startsWith(a.slice(0, -1)))
}

function unmatchedOf({ config, tools }: ListedTools): UnmatchedRule[] {
  if (!tools) return []
  return (['allow', 'ask', 'deny'] as const).flatMap((list) =>
    (config[list] ?? [])
      .filter((rule) => !tools.some((tool) => matchesRule(tool, rule)))
      .map((rule) => ({ setting: `${config.name}: ${list}`, rule })),
  )
}
