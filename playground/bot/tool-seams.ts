/** Wrappers around the tools of the playground's bot. */
import { toolNames } from '../../tools/index.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import type { ToolSeam } from '../../src/question/agent/agent-parts.ts'
import { messageOf, ToolError } from '../../src/base/errors.ts'
import type { Json } from '../slack/types.ts'
import type { RecordedConversation } from '../recording/conversation-file.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { Replay } from '../recording/play-conversation.ts'

/** Reports each tool call, and tools that are not built in, to a recorder. */
export function recordingSeam({ onTool, onOffered }: Pick<Recorder, 'onTool' | 'onOffered'>): ToolSeam {
  return {
    wrap(tool) {
      if (!toolNames.includes(tool.name)) onOffered(JSON.parse(JSON.stringify(tool)) as Json)
      return {
        ...tool,
        async run(input, context) {
          const call = { tool: tool.name, input, at: Date.now() }
          try {
            const output = await tool.run(input, context)
            onTool({ ...call, output })
            return output
          } catch (error) {
            const isDown = error instanceof ToolError && error.isDown
            onTool({ ...call, error: { message: messageOf(error), ...(isDown && { isDown }) } })
            throw error
          }
        },
      }
    },
  }
}

/** Returns the recorded outputs, also for tools that this bot does not have. */
export function replayingSeam(
  { tool: play }: Pick<Replay, 'tool'>,
  { tools, offered = [] }: RecordedConversation,
): ToolSeam {
  const run = async (name: string, input: unknown) => {
    try {
      return (await play(name, input)) as Awaited<ReturnType<Tool['run']>>
    } catch (error) {
      const isDown = error instanceof Error && 'isDown' in error
      throw new ToolError(messageOf(error), { isDown })
    }
  }
  return {
    wrap: (tool) => ({ ...tool, run: (input) => run(tool.name, input) }),
    more: (known) => {
      const specs = new Map(tools.map(({ tool: name }): [string, Json] => [name, {}]))
      for (const spec of offered) specs.set(String(spec['name']), spec)
      const absent = [...specs].filter(([name]) => !known.includes(name))
      return absent.map(([name, spec]) => ({
        ...{ description: 'As recorded.', parameters: { type: 'object' }, effects: 'read' as const, ...spec, name },
        parse: (value) => ({ ok: true, value }),
        run: (input) => run(name, input),
      }))
    },
  }
}
