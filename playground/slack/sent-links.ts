import { isObject } from './args.ts'
import type { Json } from './types.ts'

const ANGLE = /<((?:https?|ftp|mailto|tel|slack):[^|>\n]+)(?:\|[^>\n]*)?>/gi
const BARE = /(?:https?:\/\/|www\.)[^\s<>|"'`*~]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/gi
const LABELLED = /\[[^\]\n]*\](?:\(\s*<?([^\s)>]+)|:\s*<?([^\s>]+))/g

/**
 * Returns the addresses that people could click if this were sent: those between `<` and `>`, and those that Slack
 * turns into links. Slack does that in a text unless `parse` is `none`, in mrkdwn unless it is `verbatim`, and always
 * in a task's Markdown.
 */
export function links(args: Json): string[] {
  const text = typeof args['text'] === 'string' ? mrkdwnLinks(args['text'], args['parse'] !== 'none') : []
  const chunks = Array.isArray(args['chunks']) ? args['chunks'].filter(isObject) : []
  const shown = ['blocks', 'attachments', 'view'].flatMap((name) => blockLinks(args[name]))
  return [...text, ...shown, ...chunks.flatMap(chunkLinks)]
}

function mrkdwnLinks(text: string, parses: boolean): string[] {
  const angles = [...text.matchAll(ANGLE)].map(([, address = '']) => address.replaceAll('&amp;', '&'))
  const rest = text.replace(ANGLE, ' ').replace(/```[^]*?```|`[^`\n]*`/g, ' ')
  return parses ? [...angles, ...(rest.match(BARE) ?? [])] : angles
}

/** Collects the addresses in blocks: of every text object, and of every element with a URL. */
function blockLinks(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(blockLinks)
  if (!isObject(value)) return []
  if (value['type'] === 'mrkdwn') return mrkdwnLinks(String(value['text']), value['verbatim'] !== true)
  if (value['type'] === 'plain_text') return []
  if (value['type'] === 'markdown') return markdownLinks(String(value['text']))
  const own = ['url', 'image_url', 'title_link', 'title_url'].flatMap((key) =>
    typeof value[key] === 'string' ? [value[key]] : [],
  )
  return [...own, ...Object.values(value).flatMap(blockLinks)]
}

function chunkLinks(chunk: Json): string[] {
  const texts = ['text', 'title', 'details', 'output'].map((key) => chunk[key])
  const written = texts.flatMap((text) => (typeof text === 'string' ? markdownLinks(text) : []))
  return [...written, ...blockLinks(chunk['blocks']), ...blockLinks(chunk['sources'])]
}

function markdownLinks(text: string): string[] {
  const labelled = [...text.matchAll(LABELLED)].map(([, inline, reference]) => inline ?? reference ?? '')
  return [...labelled, ...mrkdwnLinks(text, true)]
}
