import type { z } from 'zod'
import type { Tool, ToolAsks, ToolContext, ToolInput, ToolOutput } from './contracts/tool.ts'
import { zodInput } from './tool-input.ts'

/** A tool as people write it: its input is a zod object, and it only reads unless `effects` says otherwise. */
interface WrittenTool<Schema extends z.ZodType> extends Omit<Tool, keyof ToolInput | 'effects' | 'run'> {
  schema: Schema
  effects?: Tool['effects']
  /** @throws ToolError (or anything else): its message becomes the observation. */
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolOutput | ToolAsks | string>
}

/** Makes a tool. Custom tools are written in the same form (tools/custom/README.md). */
export function defineTool<Schema extends z.ZodType>({ schema, ...tool }: WrittenTool<Schema>): Tool {
  return { effects: 'read', ...tool, ...zodInput(schema) }
}
