/** The files of a conversation in the prompt of a question. The model reads the rest of them with tools. */
import type { Picture } from '../agent/contracts/model.ts'
import type { ThreadKey } from '../base/place.ts'
import type { FileContent, FileStore, KeptFile } from './store/types.ts'
import { openingOf } from './outline.ts'

/** A file of at most this many characters is included whole, a longer one as its outline and first part. */
const FILE_CHARS = 3_000
/** Limit for all files of the question and the names of earlier ones. */
const QUESTION_FILES_CHARS = 18_000
const MAX_PICTURES = 5
const MAX_EARLIER = 20

/**
 * Returns the text of the files for the prompt ('' if there is none), and their pictures.
 * @param kept the conversation's files, each with its own name
 * @param isOwn whether a file came with the question itself; earlier files only add their pictures and names
 */
export async function filesInPrompt(
  store: FileStore,
  thread: ThreadKey,
  kept: readonly KeptFile[],
  isOwn: (file: KeptFile) => boolean,
): Promise<{ text: string; images: Picture[] }> {
  const newest = kept.toReversed()
  const [own, earlier] = [newest.filter(isOwn), newest.filter((file) => !isOwn(file))]
  const images: Picture[] = []
  const texts: string[] = []
  let left = QUESTION_FILES_CHARS
  for (const file of [...own.reverse(), ...earlier]) {
    if (!isOwn(file) && !isPicture(file)) continue
    const content = await store.load(thread, file.id)
    if (content && 'picture' in content && images.length < MAX_PICTURES)
      images.push({ name: file.name, ...content.picture })
    const text = content ? fileText(file, content, Math.min(FILE_CHARS, left)) : undefined
    if (text === undefined) continue
    texts.push(text)
    left -= text.length
  }
  const before = earlier.filter((file) => !isPicture(file)).slice(0, MAX_EARLIER)
  const names = before.map(({ name, what }) => `${name} (${what})`).join(', ')
  const text = [...texts, ...(names ? [`Earlier files, not shown here: ${names}.`] : [])].join('\n\n')
  return { text: text.slice(0, QUESTION_FILES_CHARS + 4_000), images }
}

function isPicture({ kind }: KeptFile): boolean {
  return kind === 'png' || kind === 'jpeg' || kind === 'gif' || kind === 'webp'
}

function fileText({ name }: KeptFile, content: FileContent, room: number): string | undefined {
  if (!('text' in content)) return undefined
  if (room < 200) return `File ${name}: it does not fit here.`
  const { text, isWhole } = openingOf(content.text, room)
  return isWhole ? `File ${name}, all of it: ${text}` : `File ${name}, not all of it: ${text}`
}
