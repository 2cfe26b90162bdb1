import { escapeText, unescapeText } from '../format/escape.ts'
import { lines, listOf, objectOf, asText, type SlackObject } from './unsure-json.ts'
import type { ReadBudget } from './read-budget.ts'

/**
 * Returns rich text as Slack's mrkdwn, as Slack writes it into `text`. Words in it are escaped, so that an id that
 * somebody typed as text is no mention.
 */
export function richText(block: SlackObject, budget: ReadBudget): string {
  return lines(listOf(block.elements).map((one) => budget.element(() => part(objectOf(one), budget))))
}

function part(element: SlackObject, budget: ReadBudget): string {
  const inner = listOf(element.elements)
  switch (element.type) {
    case 'rich_text_section':
      return inlines(inner, budget)
    case 'rich_text_list':
      return list(element, budget)
    case 'rich_text_quote':
      return quoted(inlines(inner, budget))
    case 'rich_text_preformatted': {
      const code = inlines(inner, budget)
      return code.trim() === '' ? '' : `\`\`\`\n${code}\n\`\`\``
    }
    default:
      // Also an inline element that stands alone, as in a quote without sections.
      return inner.length > 0 ? inlines(inner, budget) : inline(element, budget)
  }
}

/** A section of a list or a quote is itself a list of inline elements. */
function inlines(elements: unknown[], budget: ReadBudget): string {
  return elements
    .map((one) => {
      const element = objectOf(one)
      const isBlock = asText(element.type).startsWith('rich_text')
      return budget.element(() => (isBlock ? part(element, budget) : inline(element, budget)))
    })
    .join('')
}

function quoted(text: string): string {
  return text.trim() === '' ? '' : text.replace(/^/gm, '&gt; ')
}

/** Numbers go on after a break: `offset` is how many items came before. */
function list(element: SlackObject, budget: ReadBudget): string {
  const indent = Math.min(8, Math.max(0, Math.trunc(Number(element.indent) || 0)))
  const isOrdered = element.style === 'ordered'
  const start = Math.max(0, Math.trunc(Number(element.offset) || 0))
  return lines(
    listOf(element.elements).map((item, i) => {
      const words = budget.element(() => part(objectOf(item), budget))
      return words.trim() === '' ? '' : `${'  '.repeat(indent)}${isOrdered ? `${start + i + 1}.` : '•'} ${words}`
    }),
  )
}

function inline(element: SlackObject, budget: ReadBudget): string {
  const { type, name } = element
  const words = asText(element.text)
  switch (type) {
    case 'text':
      return styled(escapeText(budget.take(words)), objectOf(element.style))
    case 'link':
      return link(asText(element.url), budget.take(words))
    case 'user':
      return mention('@', element.user_id)
    case 'usergroup':
      return mention('!subteam^', element.usergroup_id)
    case 'channel':
      return mention('#', element.channel_id)
    case 'broadcast':
      return mention('!', element.range)
    case 'emoji':
      return asText(name) === '' ? '' : `:${escapeText(budget.take(asText(name)))}:`
    case 'date':
      return date(element, budget)
    case 'color':
      return escapeText(budget.take(asText(element.value)))
    case 'canvas':
      // Its title is among the files of the message.
      return escapeText(budget.take(asText(element.title)))
    case 'team':
      return '(a workspace)'
    default:
      if (words === '' && asText(element.url) === '') budget.leaveOut('element of an unknown kind')
      return asText(element.url) === '' ? escapeText(budget.take(words)) : link(asText(element.url), words)
  }
}

function date({ timestamp, fallback }: SlackObject, budget: ReadBudget): string {
  const words = asText(fallback)
  return words === '' ? `<!date^${asText(timestamp).replace(/[<>|]/g, '')}^>` : escapeText(budget.take(words))
}

function mention(sign: string, id: unknown): string {
  const clean = asText(id).replace(/[^\w-]/g, '')
  return clean === '' ? '' : `<${sign}${clean}>`
}

/** Returns a link in Slack's markup. The address may hold entities, even where the words are raw. */
export function link(url: string, label: string): string {
  const target = escapeText(unescapeText(url)).replace(/[|<>]/g, encodeURIComponent)
  if (!/^[a-z][a-z\d+.-]{0,30}:/i.test(target)) return escapeText(label || url)
  return label === '' ? `<${target}>` : `<${target}|${escapeText(label)}>`
}

/** Marks surround words on one line; elsewhere they would be stray characters. */
function styled(text: string, style: SlackObject): string {
  const marks = [style.code && '`', style.strike && '~', style.italic && '_', style.bold && '*']
  const words = text.trim()
  if (words === '' || words.includes('\n')) return text
  const at = text.length - text.trimStart().length
  const marked = marks.reduce<string>((inner, mark) => (typeof mark === 'string' ? mark + inner + mark : inner), words)
  return text.slice(0, at) + marked + text.slice(at + words.length)
}
