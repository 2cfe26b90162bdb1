/** The panel “Prompts”: tries and saves the files of `prompts/`, and only those. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { optional, required } from '../slack/args.ts'
import { lineDifference } from '../page-server/line-difference.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { PagePart } from '../page-server/page-part.ts'
import type { Json, StoredMessage } from '../slack/types.ts'
import { checkPrompt, promptNames, PROMPTS, type Trier } from './try-prompts.ts'

/** Longer prompts are refused. */
const MAX_CHARS = 50_000
const MAX_LINES = 2_000

export function promptsPart(slack: LocalSlack, tryPrompts: Trier['run'], folder = PROMPTS): PagePart {
  const fileOf = async (body: Json) => {
    const name = required(body, 'name')
    if (!(await promptNames(folder)).includes(name)) throw new Error(`There is no prompt ${name}.`)
    return { name, path: join(folder, `${name}.md`) }
  }
  return {
    panel: 'prompts',
    gets: {
      '/prompts': async () => {
        const names = await promptNames(folder)
        const read = async (name: string) => ({ name, text: await readFile(join(folder, `${name}.md`), 'utf8') })
        return { files: await Promise.all(names.map(read)) }
      },
    },
    posts: {
      '/prompts/try': async (body) => {
        const { name } = await fileOf(body)
        return { ...(await tryPrompts({ name, text: textOf(body), question: lastQuestion(slack, body) })) }
      },
      '/prompts/difference': async (body) => {
        const { name, path } = await fileOf(body)
        await checkPrompt({ name, text: textOf(body) }, folder)
        return { difference: lineDifference(await readFile(path, 'utf8'), textOf(body)) ?? null }
      },
      '/prompts/save': async (body) => {
        const { name, path } = await fileOf(body)
        if ((await readFile(path, 'utf8')) !== body['was'])
          throw new Error(`prompts/${name}.md has been changed elsewhere meanwhile. Open the panel anew.`)
        await checkPrompt({ name, text: textOf(body) }, folder)
        await writeFile(path, textOf(body))
      },
    },
  }
}

function textOf(body: Json): string {
  const { text } = body
  if (typeof text !== 'string' || text.length > MAX_CHARS || text.split('\n').length > MAX_LINES)
    throw new Error(`A prompt has at most ${MAX_CHARS} characters in ${MAX_LINES} lines.`)
  return text
}

/** Returns the last question of the open thread or, without one, of the channel, from the bot's posts. @throws Error */
function lastQuestion({ store }: LocalSlack, body: Json): string {
  const channel = store.channels.get(required(body, 'channel'))
  const thread = optional(body, 'thread')
  const isThere = ({ ts, thread_ts }: StoredMessage) => thread === undefined || ts === thread || thread_ts === thread
  const runs = (channel?.messages ?? []).filter(isThere).map(runOf)
  const last = runs.findLast((run) => run !== undefined)
  if (last === undefined) throw new Error('No question has been answered here yet. Ask one first.')
  return last
}

function runOf({ metadata }: StoredMessage): string | undefined {
  const payload = metadata?.['event_payload']
  const run: unknown = typeof payload === 'object' && payload !== null && 'run' in payload ? payload.run : undefined
  return typeof run === 'string' ? run : undefined
}
