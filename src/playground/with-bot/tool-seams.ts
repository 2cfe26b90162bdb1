/** What stands between the bot of the playground and its tools. */
import { toolNames } from '../../../tools/index.ts'
import type { Tool } from '../../agent/types.ts'
import type { ToolSeam } from '../../create-agent.ts'
import { messageOf, ToolError } from '../../errors.ts'
import type { Json } from '../types.ts'
import type { RecordedTool } from '../recording/conversation.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { Replay } from '../recording/replay.ts'

/** Tells a recorder of each use of a tool. */
export function recordingSeam(onTool: Recorder['onTool']): ToolSeam {
  return {
    wrap: (tool) => ({
      ...tool,
      async run(input, context) {
        const end = onTool({ tool: tool.name, input, ...specOf(tool) })
        try {
          const output = await tool.run(input, context)
          end({ output })
          return output
        } catch (error) {
          const isDown = error instanceof ToolError && error.isDown
          end({ error: { message: messageOf(error), ...(isDown && { isDown }) } })
          throw error
        }
      },
    }),
  }
}

/** Gives back what was recorded, also for tools that the bot does not have here. */
export function replayingSeam({ tool: play }: Pick<Replay, 'tool'>, tools: RecordedTool[]): ToolSeam {
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
      const absent = new Map(tools.filter(({ tool }) => !known.includes(tool)).map((one) => [one.tool, one]))
      return [...absent.values()].map(({ tool: name, spec }) => ({
        ...{ description: 'As recorded.', parameters: { type: 'object' }, effects: 'read' as const, ...spec, name },
        parse: (value) => ({ ok: true, value }),
        run: (input) => run(name, input),
      }))
    },
  }
}

/** What is to be known of a tool that a replay may not have: all that is no function. */
function specOf(tool: Tool): Pick<RecordedTool, 'spec'> {
  return toolNames.includes(tool.name) ? {} : { spec: JSON.parse(JSON.stringify(tool)) as Json }
}
