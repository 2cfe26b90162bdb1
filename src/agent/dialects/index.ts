/**
 * The dialects. Five texts of 2023 about LangChain's agents showed which forms people write, and what models answer in
 * them: "ReAct with LangChain" (docstore, bracket, self-ask, conversational), "How ReAct Prompting Works" and
 * "Exploring ChatAgents" (json), "langchain-mini" by Scott Logic (text), and "LLM ReAct 模式的实现" (text; a GitHub tool).
 */
import type { Prompts } from '../../base/prompts.ts'
import type { Dialect } from '../contracts/dialect.ts'
import { bracketDialect, docstoreDialect } from './bracket.ts'
import { conversationalDialect } from './conversational.ts'
import { jsonDialect } from './json.ts'
import { nativeDialect } from './native.ts'
import { selfAskDialect } from './self-ask.ts'
import { structuredDialect } from './structured.ts'
import { textDialect } from './text.ts'

/** The parts that dialects are built from. `examples` are worked examples for custom tools. */
interface DialectParts {
  prompts: Prompts
  examples: string
}

/** All dialects by their name in AGENT_DIALECT, with the tools that each requires. */
export const DIALECTS = {
  text: { create: ({ prompts }: DialectParts) => textDialect(prompts), needs: [] },
  json: { create: ({ prompts }: DialectParts) => jsonDialect(prompts), needs: [] },
  docstore: {
    create: ({ prompts }: DialectParts) => docstoreDialect(prompts),
    needs: ['wikipedia', 'wikipedia_lookup'],
  },
  bracket: { create: ({ prompts, examples }: DialectParts) => bracketDialect(prompts, examples), needs: [] },
  'self-ask': { create: ({ prompts }: DialectParts) => selfAskDialect(prompts), needs: [] },
  conversational: { create: ({ prompts }: DialectParts) => conversationalDialect(prompts), needs: [] },
  native: { create: ({ prompts }: DialectParts) => nativeDialect(prompts), needs: [] },
  structured: { create: ({ prompts }: DialectParts) => structuredDialect(prompts), needs: [] },
} satisfies Record<string, { create(parts: DialectParts): Dialect; needs: string[] }>
