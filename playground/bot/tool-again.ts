import { withoutAuto } from '../../src/question/agent/choose-dialect.ts'
import type { AgentParts } from '../../src/question/agent/agent-parts.ts'
import { createAgent } from '../../src/question/agent/create-agent.ts'
import { coerceInput } from '../../src/agent/tool-input.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { askOnce } from '../../src/agent/ask-once.ts'
import type { Config } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import type { Network } from '../../src/base/http/proxy.ts'
import type { RunTool } from '../journal/send-again.ts'
import type { Json } from '../slack/types.ts'

/** Calls the bot's own tools, which are opened at the first call. Tools that write are refused. */
export function toolRunner(config: Config, net: Network): { run: RunTool; close(): Promise<void> } {
  let opened: Promise<AgentParts> | undefined
  return {
    async run(name, input) {
      opened ??= createAgent(withoutAuto(config), {
        log: createLog('error'),
        net,
        now: () => new Date(),
        hasWorkspace: true,
      })
      const { defaults } = await opened
      const tool = defaults.tools.find((one) => one.name === name)
      if (!tool) throw new Error(`The tool ${name} is not called from here: it belongs to an MCP server, or to a run.`)
      if (tool.effects === 'write')
        throw new Error(`${name} changes something: it is not called again without a question.`)
      return call(tool, input, defaults, config.TOOL_TIMEOUT_MS)
    },
    close: async () => void (await (await opened)?.close()),
  }
}

async function call(tool: Tool, given: unknown, agent: AgentParts['defaults'], timeoutMs: number): Promise<Json> {
  // Coerced as in the loop: models often write text where fields are expected.
  const input = coerceInput(tool, given)
  if (!input.ok) throw new Error(input.problem)
  const signal = AbortSignal.timeout(timeoutMs)
  const ask = (prompt: string) => askOnce(agent.model, prompt, { signal })
  const output = await tool.run(input.value, { signal, fetch: agent.fetch, now: agent.now, ask, memory: {} })
  if (typeof output === 'string') return { text: output }
  if ('asks' in output) throw new Error(`${tool.name} asks a person: ${output.asks.message}`)
  return { ...output }
}
