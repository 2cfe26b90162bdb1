/** The files that `--file` names: read, searched and queried as those of a conversation in Slack are. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { ConfigError, messageOf } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { withUniqueNames, runFiles } from '../../files/run-files.ts'
import { knownTableNames } from '../../files/run-tables.ts'
import { createFileParsers } from '../../files/parse-file.ts'
import { describeKind } from '../../files/section-units.ts'
import { filesInPrompt } from '../../files/files-in-prompt.ts'
import { createFiles } from '../../files/store/file-store.ts'
import type { FileStore } from '../../files/store/types.ts'
import type { AnswerDeps } from '../../question/answer.ts'
import { memoryKv } from '../../stores/kv/memory-kv.ts'
import { fileTools } from '../../../tools/file-tools.ts'

const THREAD = 'cli:cli:cli'
const DAY_MS = 86_400_000

/**
 * @param maxChars TOOL_OUTPUT_CHARS
 * @throws ConfigError for a file that cannot be read
 */
export async function givenFiles(
  paths: readonly string[],
  { maxChars, now }: { maxChars: number; now(): number },
): Promise<AnswerDeps['loadFiles']> {
  const log = createLog('silent')
  const store = createFiles(memoryKv({ now }), { log, sealer: undefined, ttlMs: DAY_MS })
  const parsers = createFileParsers()
  for (const [i, path] of paths.entries()) await keep(path, i, store, parsers.forQuestion('cli', now))
  return async (tables) => {
    const kept = withUniqueNames(await store.list(THREAD))
    const files = runFiles(store, THREAD, parsers.forQuestion('cli', now), maxChars, tables)
    const given = await filesInPrompt(store, THREAD, kept, () => true)
    return { ...given, files, tools: fileTools(knownTableNames(kept, tables), kept.length > 0) }
  }
}

type QuestionParser = ReturnType<ReturnType<typeof createFileParsers>['forQuestion']>

async function keep(path: string, at: number, store: FileStore, parser: QuestionParser): Promise<void> {
  const name = basename(path)
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}.`)
  })
  const { file: text, fault } = await parser.parse({ name, bytes })
  if (!text) throw new ConfigError(`${path} cannot be read: ${fault}`)
  const tables = text.tables?.length ?? 0
  const about = { id: `F${at}`, name, kind: text.kind, what: describeKind(text), ...(tables > 0 && { tables }) }
  if (!(await store.keep(THREAD, { ...about, question: 'cli', user: 'you', at }, { text })))
    throw new ConfigError(`${path} is too large.`)
}
