import type { ActionsBlock, Button, ConfirmationDialog, ContextBlock, KnownBlock, MrkdwnElement } from '@slack/web-api'
import type { StopReason } from '../../agent/contracts/run-events.ts'
import type { Series, Source } from '../../agent/contracts/evidence.ts'
import { cutText } from '../../base/cut-text.ts'
import {
  ASK_AGAIN,
  ASK_ALONE,
  ASK_EDITED,
  ASK_HERE,
  FEEDBACK,
  FORGET_CANCEL,
  FORGET_DELETE,
  KEEP,
  SHARE,
  SHOW_WORK,
} from './action-ids.ts'
import { escapeWithin, quote, shorten, withVisibleMarks } from './escape.ts'
import { button, plainContext, plainLines, plainTextElement } from './plain-elements.ts'
import type { ChartBlock } from './chart-block.ts'

/** A block, including those that the SDK's types do not cover. */
export type ShownBlock = KnownBlock | ChartBlock

/** A block and its fallbacks if Slack refuses its type, each simpler than the one before. */
export type Forms = [block: ShownBlock, ...simpler: ShownBlock[][]]

/** The content of one Slack message: blocks, and the text for notifications and screen readers. */
export interface Content {
  text: string
  blocks: ShownBlock[]
  /** The text without mrkdwn marks, escaped, if tools or models wrote it: sent with `mrkdwn: false`. */
  plain?: string
  /** Replacements for a block if Slack refuses its type. They may have simpler forms; an empty list drops the block. */
  simpler?: ReadonlyMap<ShownBlock, ShownBlock[]>
  /** The people besides the asker whom it may mention: those who decide about a call. */
  mentions?: readonly string[]
  /** The text that did not fit, posted as a file in the thread. If that fails, `without` replaces this content. */
  file?: { name: string; title: string; text: string; without: Content }
}

/** `chat.update` accepts 4,000 characters of text, `chat.postMessage` 40,000. */
const TEXT_CHARS = 3900

export interface AnswerView {
  text: string
  sources: Source[]
  stopped?: StopReason | undefined
  /** Whether the text is not an answer, but the findings so far. */
  gaveUp?: boolean
  question: string
  /** The question's id, for the buttons below its answer. Without an id there are no buttons. */
  questionId?: string
  /** Data from tools, to draw as charts. */
  series?: Series[]
  understood?: string | undefined
  /** The name of the person who pressed *Ask again*. */
  againBy?: string | undefined
  allowedHosts: string[]
  /** The run's real writes, a line per call, in their own block. */
  done?: string[] | undefined
  /** About figures without a source. */
  warning?: string | undefined
  footer: string
  /** What the run took, for the title of its plan: `4 steps · 12.1 s · …`. */
  spent?: string
}

/** `maxEscaped` leaves room for the marks of the quote. */
export const ROOT_QUESTION = { max: 900, maxEscaped: 1800 }

/** The first message of a thread that `/ask` opens. It may mention only the asker. */
export function rootContent(user: string, question: string): Content {
  return cardContent(`<@${user}> asked:\n${quote(question, ROOT_QUESTION)}`)
}

/** A message of one section of mrkdwn, with buttons below it. */
export function cardContent(text: string, elements: Button[] = []): Content {
  return { text: clipSection(text), blocks: [section(text), ...actions(elements)] }
}

function actions(elements: Button[]): ActionsBlock[] {
  return elements.length > 0 ? [{ type: 'actions', elements }] : []
}

/**
 * A note of the bot itself, such as help or a failure. `text` is mrkdwn that the caller has escaped. `again`: the id of
 * a question that a button asks again; `done`: the writes of a run that ended without an answer, a line each.
 */
export function noteContent(text: string, again?: string, done?: readonly string[]): Content {
  const elements = again === undefined ? [] : [button(ASK_AGAIN, 'Ask again', { value: again })]
  const below = [...plainLines(done).map(plainContext), ...actions(elements)]
  return { text: clipSection(text), blocks: [section(text), ...below] }
}

/** Adds a line above a content. `note`: mrkdwn. */
export function withNote(content: Content, note: string | undefined): Content {
  return note === undefined ? content : { ...content, blocks: [section(note), ...content.blocks] }
}

/**
 * Adds the buttons of a private answer to its last message. `value` is the question's id; `privateTools`: the titles of
 * the tools whose results only the asker may see. With any, sharing needs a confirmation.
 */
export function withPrivateChoice(content: Content, value: string, privateTools: readonly string[]): Content {
  const confirm = privateTools.length > 0 ? { confirm: shareDialog(privateTools) } : {}
  const share = { ...button(SHARE, 'Share with the channel', { value }), ...confirm }
  const choices = [share, button(KEEP, 'Keep for myself', { value })]
  const elements = [...choices, button(SHOW_WORK, 'Show work', { value })]
  return { ...content, blocks: [...content.blocks, context([ONLY_YOU]), { type: 'actions', elements }] }
}

const ONLY_YOU = 'Only you see this answer.'

function shareDialog(privateTools: readonly string[]): ConfirmationDialog {
  const what = `Everyone in the channel will see this answer and its sources. It uses results that ${privateTools.join(', ')} showed only to you.`
  return {
    title: plainTextElement('Share with the channel?'),
    text: plainTextElement(shorten(what, 260)),
    confirm: plainTextElement('Share'),
    deny: plainTextElement('Cancel'),
  }
}

/** The confirmation of `/ask forget`: what would be deleted, and the buttons. */
export function forgetContent(text: string, value: string): Content {
  const keep = button(FORGET_CANCEL, 'Cancel', { value })
  return cardContent(text, [button(FORGET_DELETE, 'Delete', { value, style: 'danger' }), keep])
}

/** Asks its author who should see a question. `value`: the question (`intake/asked-audience.ts`). */
export function audienceContent(line: string, { text, value }: { text: string; value: string }): Content {
  const alone = button(ASK_ALONE, 'Only me', { value, style: 'primary' })
  return cardContent(`${line}\n${quote(text, ROOT_QUESTION)}`, [alone, button(ASK_HERE, 'Everyone here', { value })])
}

/** The offer to answer an edited question. `question` is the question's id. */
export function askEditedContent(question: string): Content {
  const line = 'You edited this question after I answered it. Ask the edited question?'
  return cardContent(line, [button(ASK_EDITED, 'Ask edited question', { value: question })])
}

/** Maximum length of a quoted question, as written and escaped. */
const QUOTED = { max: 150, maxEscaped: 300 }

/** Adds a quote of the question to a message that is sent to another place than the question's. */
export function aboutContent(question: string, { text, blocks }: Content): Content {
  const about = `_About what you asked me:_ ${escapeWithin(question, QUOTED)}`
  return { text: `${about}\n${text}`, blocks: [context([about]), ...blocks] }
}

/** The content without blocks, if Slack refuses them: as much of the text as the method accepts. */
export function withoutBlocks(content: Content, method: 'chat.postMessage' | 'chat.update'): Content {
  const { text, plain } = content
  if (method === 'chat.postMessage')
    return { text: plain ?? textsOf(blocksIn(content, () => true)).join('\n\n'), blocks: [] }
  // `chat.update` does not accept `mrkdwn: false`.
  return { text: plain === undefined ? text : withVisibleMarks(text), blocks: [] }
}

/** Returns the blocks, with refused types replaced by their simpler forms. */
export function blocksIn({ blocks, simpler }: Content, isRefused: (type: string) => boolean): ShownBlock[] {
  const formOf = (block: ShownBlock): ShownBlock[] => {
    const forms = isRefused(block.type) ? simpler?.get(block) : undefined
    return forms?.flatMap(formOf) ?? [block]
  }
  return blocks.flatMap(formOf)
}

/**
 * Guesses from an error's details which block type Slack refused, among the blocks with a simpler form: the one at the
 * position in the details, or the type that they name, else the first. Undefined if no block has a simpler form.
 */
export function refusedType(blocks: ShownBlock[], content: Content, details: string[]): string | undefined {
  const text = details.join('\n')
  const position = /\/blocks\/(\d+)/.exec(text)?.[1]
  const types = blocks.filter((block) => content.simpler?.has(block)).map(({ type }) => type)
  const named = [position === undefined ? undefined : blocks[Number(position)]?.type, /type: (\w+)/.exec(text)?.[1]]
  return types.find((type) => named.includes(type)) ?? types[0]
}

/** The texts of blocks as mrkdwn. Plain text elements get look-alike marks so that they stay plain. */
function textsOf(blocks: ShownBlock[]): string[] {
  return blocks.flatMap((block) => {
    if (block.type === 'section') return block.text ? [block.text.text] : []
    if (block.type !== 'context') return []
    return block.elements.flatMap((element) => {
      if (element.type === 'plain_text') return [withVisibleMarks(element.text)]
      return element.type === 'mrkdwn' ? [element.text] : []
    })
  })
}

/** The buttons below an answer. A workspace that does not support feedback buttons gets no thumbs. */
export function buttons(id: string): Forms[] {
  if (id === '') return []
  const text = (words: string) => ({ type: 'plain_text' as const, text: words })
  const positive_button = { text: text('Good answer'), value: `up:${id}` }
  const negative_button = { text: text('Bad answer'), value: `down:${id}` }
  const thumbs = { type: 'feedback_buttons' as const, action_id: FEEDBACK, positive_button, negative_button }
  const elements = [button(SHOW_WORK, 'Show work', { value: id }), button(ASK_AGAIN, 'Ask again', { value: id })]
  return [[{ type: 'context_actions', elements: [thumbs] }, []], [{ type: 'actions', elements }]]
}

export function section(text: string): KnownBlock {
  return { type: 'section', expand: true, text: mrkdwn(text) }
}

export function context(texts: string[]): ContextBlock {
  return { type: 'context', elements: texts.map(mrkdwn) }
}

/** `verbatim`: Slack does not turn parts of the text into links or pings by itself. */
function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true }
}

export function clipSection(text: string): string {
  return text.length > TEXT_CHARS ? `${cutText(text, TEXT_CHARS).replace(/[&<][^;>]{0,2500}$/, '')}…` : text
}
