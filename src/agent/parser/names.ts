import { isSpace, trimWhile } from './trim.ts'

/** What models put around a tool's name: quotes, backticks, bold, brackets, a full stop. */
const DECORATION = new Set('"\'`*_“”‘’「」【】[](){}<>《》:：.,;。，；!！\\')
const LONGEST_NAME = 100

const NONE =
  /^(?:none|null|nil|n\/?a|nothing|no (?:further )?(?:action|tool|need)|not? (?:needed|required|applicable)|无|無|没有|不需要|沒有)(?![\p{L}\p{N}_])/iu
const FINISH = new Set(['finalanswer', 'finish', '最终答案', '最終答案', '最终回答'])

/**
 * The tool that a model named: the listed one's exact spelling where it is meant, else the name as written without its
 * decoration. Undefined when what was written is no name at all.
 */
export function toolNamed(written: string, tools: string[]): string | undefined {
  const name = bareName(written)
  return listedTool(written, tools) ?? (name && name.length <= LONGEST_NAME && !name.includes('\n') ? name : undefined)
}

/** The listed tool that is meant, by its exact name, then without decoration and case, then without separators. */
export function listedTool(written: string, tools: string[]): string | undefined {
  if (written.length > 2 * LONGEST_NAME) return undefined
  const exact = written.trim()
  const name = bareName(written)
  return (
    tools.find((tool) => tool === exact) ??
    tools.find((tool) => fold(tool) === fold(name)) ??
    tools.find((tool) => squash(name) !== '' && squash(tool) === squash(name))
  )
}

/** A name without what models put around it. */
function bareName(written: string): string {
  return trimWhile(written, (char) => DECORATION.has(char) || isSpace(char))
}

/** `Action: None`, in its variants: the model wants no tool. */
export function namesNothing(written: string): boolean {
  return NONE.test(bareName(written.slice(0, LONGEST_NAME)))
}

/** `Final Answer` or `Finish` in the place of a tool. */
export function namesFinish(written: string): boolean {
  return written.length <= LONGEST_NAME && FINISH.has(squash(bareName(written)))
}

function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** Models swap spaces, dashes and underscores, and escape the latter. */
function squash(name: string): string {
  return fold(name).replace(/[\s_\\-]/g, '')
}
