/** Takes in the files of a question and of the messages before it, stores their content and gives it to the run. */
import { personIn } from '../../base/place.ts'
import type { ConversationFiles } from '../../question/answer.ts'
import type { MessageTable } from '../../agent/contracts/evidence.ts'
import { cutMiddle } from '../../agent/observation.ts'
import { messageOf } from '../../base/errors.ts'
import type { FileStore, KeptFile } from '../../files/store/types.ts'
import { fileParsers } from '../../files/parse-file.ts'
import { filesInPrompt } from '../../files/files-in-prompt.ts'
import { runFiles, withUniqueNames } from '../../files/run-files.ts'
import { knownTableNames } from '../../files/run-tables.ts'
import type { ThreadContext } from '../../stores/history/types.ts'
import { foreignTeam } from '../../stores/runs/audience.ts'
import { baseOf, conversationOf, originalId, type Question } from '../../stores/runs/types.ts'
import { fileTools } from '../../../tools/file-tools.ts'
import { fileInfo, isRecording } from '../client/file-info.ts'
import { denialNow } from '../intake/access.ts'
import { MAX_BYTES, MAX_FILES } from './file-limits.ts'
import { leftOutText, WHY, type LeftOutFile } from './left-out-files.ts'
import { loadFile, type FileIntake } from './load-file.ts'
import type { RunDisplay } from '../display/run-display.ts'
import type { QuestionWork } from '../question-work.ts'
import type { GivenFile, ThreadReading } from '../reading/thread-reader.ts'

/** Time limit for all files of a question, in ms, unless a question has less. */
const PATIENCE_MS = 60_000

const parserFor = ({ team, user }: Question, now: () => number) => fileParsers.forQuestion(`${team}:${user}`, now)

interface TakenFiles {
  /** Whether any file is stored. */
  hasFiles: boolean
  left: LeftOutFile[]
}

/**
 * Loads the files and stores their content, except for files that are stored already. Rejects only if `signal` is
 * aborted.
 */
async function takeFiles(given: readonly GivenFile[], work: QuestionWork): Promise<TakenFiles> {
  const all = [...new Map(given.map((file) => [file.id || file.name, file])).values()]
  const store = await work.services.files()
  const kept = new Map((await store.list(conversationOf(work.question))).map((file) => [file.id, file]))
  let left = MAX_BYTES.question
  const spend = (bytes: number) => bytes <= left && (left -= bytes) >= 0
  const patience = AbortSignal.timeout(Math.min(PATIENCE_MS, work.services.agent.defaults.limits.timeoutMs))
  const signal = AbortSignal.any([work.signal, patience])
  const now = () => work.services.now().getTime()
  const at = now()
  const parser = parserFor(work.question, now)
  const taking = all.slice(0, MAX_FILES).map(async (file, i) => {
    const known = kept.get(file.id)
    // People go on writing a canvas, so it is read anew. If that fails, the earlier reading stays.
    const isRead = known && known.kind !== 'canvas'
    const fault = isRead
      ? undefined
      : await take(file, { work, store, parser, spend, signal, at: at + i }).catch((error: unknown) =>
          whyNot(error, work, patience),
        )
    if (known && (isRead || fault !== undefined)) return adopt(store, known, work.question)
    return fault === undefined ? [] : [{ name: file.name, why: fault }]
  })
  const faults = (await Promise.all(taking)).flat()
  const tooMany = all.slice(MAX_FILES).map(({ name }) => ({ name, why: WHY.tooMany }))
  return { hasFiles: faults.length < taking.length, left: [...faults, ...tooMany] }
}

/** Loads the files, and reports to people and the model which ones are left out. */
export async function saidWithFiles(
  { said, files }: ThreadReading,
  work: QuestionWork,
  display: RunDisplay,
): Promise<ThreadContext> {
  if (files.length === 0) return said
  const { hasFiles, left } = await takeFiles(files, work)
  if (left.length > 0) await display.tell('files', leftOutText(left))
  const lines = left.map(({ name, why }) => `(Not read: ${name}: ${why})`)
  const text = [said.text, ...lines].filter((line) => line !== '').join('\n')
  return { ...said, text, by: [...said.by, ...lines.map(() => '')], ...(hasFiles ? { hasFiles: true as const } : {}) }
}

/** For a question of files alone: the sentences about why no file can be read. Undefined if one can be read. */
export async function whyNothingIsRead(work: QuestionWork): Promise<string | undefined> {
  const { files = [], user } = work.question
  const own = files.map((file) => ({ ...file, user }))
  const { hasFiles, left } = await takeFiles(own, work)
  return hasFiles ? undefined : leftOutText(left)
}

/** The maximum length of a spoken question, in characters. */
const MAX_SPOKEN = 4_000
/** The time before what was said, in a transcript with cues. */
const STAMP = /^\[[\d:]{3,10}\] /gm

/**
 * Returns the words of a clip that came alone, which are then the question. Undefined for other files. Call it when the
 * question's files are stored.
 */
export async function wordsOfClip({
  question,
  services,
  installation,
  signal,
}: QuestionWork): Promise<string | undefined> {
  const [clip, ...others] = question.files ?? []
  if (!clip || others.length > 0) return undefined
  // Over Slack Connect the message does not say what kind of file it is.
  const look = () => fileInfo(installation.client, clip.id, signal).catch(() => clip)
  const { mimetype } = clip.mimetype === undefined ? await look() : clip
  if (!isRecording(mimetype)) return undefined
  const store = await services.files()
  const content = await store.load(conversationOf(question), clip.id)
  if (!content || !('text' in content)) return undefined
  const words = content.text.sections.map(({ text }) => text.replace(STAMP, '')).join(' ')
  return cutMiddle(words.replace(/\s+/g, ' ').trim(), MAX_SPOKEN)
}

/** Returns the files and tables of the question's conversation, for its run. */
export async function filesForRun(
  { question, services }: QuestionWork,
  tables: MessageTable[],
  hasFiles: boolean,
): Promise<ConversationFiles> {
  const [store, thread] = [await services.files(), conversationOf(question)]
  const isOwn = (file: KeptFile) => (file.original ?? file.question) === originalId(question)
  const { toolOutputChars: maxChars } = services.agent.defaults.limits
  const parser = parserFor(question, () => services.now().getTime())
  const files = runFiles(store, thread, parser, maxChars, tables)
  const kept = hasFiles ? withUniqueNames(await store.list(thread)) : []
  const given = hasFiles ? await filesInPrompt(store, thread, kept, isOwn) : { text: '', images: [] }
  const hasAny = hasFiles || tables.length > 0
  return { ...given, files, tools: fileTools(knownTableNames(kept, tables), hasAny) }
}

/** Assigns a known file to the newest question that it came with. */
async function adopt(store: FileStore, known: KeptFile, question: Question): Promise<[]> {
  const thread = conversationOf(question)
  const content = known.question === question.id ? undefined : await store.load(thread, known.id)
  if (content) await store.keep(thread, { ...known, ...askedWith(question) }, content)
  return []
}

interface StoredIntake extends FileIntake {
  store: FileStore
  at: number
}

/** @returns the sentence that says why the file is left out */
async function take(file: GivenFile, intake: StoredIntake): Promise<string | undefined> {
  const { work, store, at, signal } = intake
  const { question, run, settings } = work
  if (file.id === '') return WHY.unknown
  if (run.saved.posts[endedReader(file)]) return WHY.endedReader
  // Nobody knows a person behind an app, so only a list of people keeps its files out.
  const isOpen = file.isApps && settings.access.users.length === 0
  if (
    personIn({ ...file, team: question.team }) !== personIn(question) &&
    !isOpen &&
    (await denialNow({ ...work, signal, question: asIfAskedBy(file, question) }))
  )
    return WHY.notAllowed
  const { content, about, fault, killed } = await loadFile(file, intake)
  if (killed) await run.posted(endedReader(file), 'killed')
  if (!content) return fault
  const { id, user } = file
  const kept = { id, user, ...foreignTeam(file, question.team), at, ...askedWith(question), ...about }
  const isKept = await store.keep(conversationOf(question), kept, content)
  return isKept ? undefined : WHY.tooLong
}

function askedWith({ id, original }: Question): Pick<KeptFile, 'question' | 'original'> {
  return { question: id, ...(original ? { original: original.id } : {}) }
}

/** The post key that marks a file that killed its parser, so that a retry does not read it again. */
function endedReader({ id }: GivenFile): string {
  return `ended-reader-${id}`
}

function asIfAskedBy({ user, userTeam }: GivenFile, asked: Question): Question {
  const question = baseOf(asked)
  delete question.userTeam
  return { kind: 'asked', ...question, user, ...foreignTeam({ userTeam }, question.team) }
}

function whyNot(error: unknown, work: QuestionWork, patience: AbortSignal): string {
  work.signal.throwIfAborted()
  if (patience.aborted) return WHY.tooLate
  work.services.log.warn({ question: work.question.id, error: messageOf(error) }, 'a file could not be taken')
  return WHY.internal
}
