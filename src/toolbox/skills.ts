import { constants } from 'node:fs'
import { open, readdir, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { load } from 'js-yaml'
import { z } from 'zod'
import type { Skill } from '../../tools/read-skill.ts'
import { defused } from '../agent/observation.ts'
import { cutText } from '../base/cut-text.ts'
import { messageOf, ToolError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { ROOT } from '../base/package-root.ts'

const SKILL_FILE = 'SKILL.md'
/** How much of a file is read, in bytes. The prompt takes less (`SKILL_CHARS` in agent/prompt-size.ts). */
const MAX_BYTES = 1_000_000
const MAX_DESCRIPTION = 1_024
/** The maximum number of skills: each has a line in every prompt, and Slack shows at most 100 choices. */
const MAX_SKILLS = 100

/**
 * Loads the skills of SKILLS_DIR, in the order of their folders. A skill that breaks the format is left out and its
 * folder is logged; a link is left out too. The files themselves are read on request.
 */
export async function loadSkills(dir: string, log: Log): Promise<Skill[]> {
  const skills: Skill[] = []
  for (const folder of await foldersIn(resolve(ROOT, dir), log)) {
    try {
      const skill = await loadSkill(folder)
      if (skills.some(({ name }) => name === skill.name)) throw new Error(`another folder has the skill ${skill.name}`)
      if (skills.length === MAX_SKILLS) throw new Error(`there are more than ${MAX_SKILLS} skills`)
      skills.push(skill)
    } catch (error) {
      log.warn({ folder, why: messageOf(error).split('\n', 1)[0] }, 'skipped a skill')
    }
  }
  return skills
}

/** The folders and links in the folder, sorted by name. Hidden entries and plain files are not skills. */
async function foldersIn(dir: string, log: Log): Promise<string[]> {
  try {
    const real = await realpath(dir)
    const entries = await readdir(real, { withFileTypes: true })
    const folders = entries.filter((one) => !one.isFile() && !one.name.startsWith('.'))
    return folders.map(({ name }) => join(real, name)).sort()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing) log.warn({ folder: dir, why: messageOf(error) }, 'the folder of skills cannot be read')
    return []
  }
}

const frontMatter = z.object({
  name: z.string().regex(/^[a-z0-9-]{1,64}$/, 'should have 1 to 64 of a–z, 0–9 and -'),
  description: z
    .string()
    .transform((text) => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim())
    .refine((text) => text !== '', 'is empty'),
})

async function loadSkill(folder: string): Promise<Skill> {
  const { data, error } = frontMatter.safeParse(fieldsOf(split(await textIn(folder, SKILL_FILE)).front))
  if (error) throw new Error(error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '))
  const read = async (file = '') => {
    const beside = file.trim().replace(/^(?:\.\/)+/, '')
    if (beside !== '') return textIn(folder, beside).catch(() => noFile(data.name, beside))
    const text = await textIn(folder, SKILL_FILE).catch(() => noFile(data.name, SKILL_FILE))
    try {
      return split(text).body
    } catch (error) {
      throw new ToolError(`The skill ${data.name} cannot be read now: ${messageOf(error)}.`)
    }
  }
  return { name: data.name, description: defused(cutText(data.description, MAX_DESCRIPTION)), read }
}

function noFile(name: string, file: string): never {
  throw new ToolError(`The skill ${name} has no text file "${file.slice(0, 200)}" that can be read.`)
}

/** Few aliases: resolved ones could otherwise grow to gigabytes. */
const LIMITS = { maxAliases: 10 }

/** Parses the front matter. Many skills have an unquoted description with a colon, which is not valid YAML. */
function fieldsOf(front: string): unknown {
  try {
    return load(front, LIMITS)
  } catch {
    return load(
      front.replace(/^(\w+):[ \t]+(?=[^\s"'|>[{&*!#%@`])(.*)$/gm, (_, key, text) => `${key}: ${quoted(text)}`),
      LIMITS,
    )
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.trim())
}

/** Characters. The parser takes seconds for a megabyte. */
const MAX_FRONT = 8_000

/** @throws Error if there is no front matter, or too much */
function split(text: string): { front: string; body: string } {
  const [, front, body = ''] = /^\s*---[ \t]*\n([^]*?)\n---[ \t]*(?:\n([^]*))?$/.exec(text) ?? []
  if (front === undefined) throw new Error(`${SKILL_FILE} does not begin with front matter between two lines of ---`)
  if (front.length > MAX_FRONT)
    throw new Error(`the front matter of ${SKILL_FILE} is longer than ${MAX_FRONT} characters`)
  return { front, body: body.trim() }
}

/**
 * Returns the text of a plain file in the folder, up to `MAX_BYTES`. Follows no link: neither the folder nor any part
 * of the path may be one.
 * @throws Error for anything else
 */
async function textIn(folder: string, file: string): Promise<string> {
  const path = join(folder, file)
  if (isAbsolute(file) || !path.startsWith(`${folder}${sep}`)) throw new Error(`${file} is outside the folder`)
  if ((await realpath(path)) !== path) throw new Error(`${file} is reached by a link`)
  // A pipe would keep the opening waiting.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new Error(`${file} is not a file`)
    // A hard link may be a file from outside.
    if (stat.nlink > 1) throw new Error(`${file} has several names (hard links)`)
    // A folder of the path may have become a link in the meantime. Where there is no /proc, the path is checked again.
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(path))
    if (opened !== path) throw new Error(`${file} is reached by a link`)
    return skillText(await head(handle), file)
  } finally {
    await handle.close()
  }
}

async function head(handle: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(MAX_BYTES)
  let length = 0
  for (let read = -1; read !== 0 && length < MAX_BYTES; length += read)
    read = (await handle.read(buffer, length, MAX_BYTES - length)).bytesRead
  return buffer.subarray(0, length)
}

function skillText(bytes: Buffer, file: string): string {
  if (bytes.includes(0)) throw new Error(`${file} is not text`)
  return bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
}
