import { z } from 'zod'
import type { MessageTable } from '../../agent/contracts/tool.ts'

/** Tables as they are stored. */
export const tablesSchema: z.ZodType<MessageTable[]> = z.array(
  z.object({ name: z.string(), columns: z.array(z.string()), rows: z.array(z.array(z.string())) }),
)
