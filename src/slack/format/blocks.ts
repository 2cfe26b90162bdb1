import type { KnownBlock, MrkdwnElement } from '@slack/web-api'
import type { Action, Observation, Source, StopReason } from '../../agent/types.ts'
import { inputText } from '../../agent/tool-input.ts'
import { ASK_EDITED, KEEP, SHARE } from './action-ids.ts'
import { codeSpan, escapeText, escapeWithin, headOf, shorten, withoutMarks } from './escape.ts'

/** What one Slack message shows: blocks, and the text for notifications and screen readers. */
export interface Content {
  text: string
  blocks: KnownBlock[]
}

/** `chat.update` takes 4,000 characters of text, `chat.postMessage` 40,000. */
const TEXT_CHARS = 3900

const THOUGHT = { max: 1200, most: 2800 }
const INPUT_CHARS = 600
const OBSERVATION = { max: 500, most: 2800 }

export interface StepView {
  thought: string
  unreadable?: boolean
  action?: Action
  observation?: Observation
  /** How a follow-up was understood; shown with the first step. */
  understood?: string | undefined
}

export interface AnswerView {
  text: string
  sources: Source[]
  stopped?: StopReason | undefined
  /** The text is no answer but what is known. */
  gaveUp?: boolean
  question: string
  understood?: string | undefined
  allowedHosts: string[]
  footer: string
}

/** One reasoning step: the thought, the tool with its input, and the observation once it is there. */
export function stepContent(view: StepView): Content {
  const blocks = [
    ...(view.understood ? [context([understoodLine(view.understood)])] : []),
    ...(view.thought ? [section(`💭 ${escapeWithin(view.thought, THOUGHT)}`)] : []),
    ...(view.action ? [context([actionLine(view.action)])] : []),
    observationBlock(view),
  ]
  return { text: clip(textsOf(blocks).join('\n')), blocks }
}

export function understoodLine(question: string): string {
  return `_Understood as:_ ${escapeWithin(question, THOUGHT)}`
}

function actionLine({ tool, input }: Action): string {
  return `🔧 *${escapeText(shorten(tool, 80))}* ${codeSpan(inputText(input), INPUT_CHARS)}`.trimEnd()
}

/** What a tool returned is data: plain text, of which Slack formats nothing. */
function observationBlock({ observation, action, unreadable }: StepView): KnownBlock {
  if (unreadable) return context(['⚠️ The model’s output could not be read; it was asked again.'])
  if (!observation) return context([action ? '⏳ running …' : '…'])
  const note = observation.note ? `\n⚠️ ${escapeText(observation.note)}` : ''
  const text = `${observation.ok ? '👁' : '⚠️'} ${escapeWithin(observation.text.trim(), OBSERVATION)}${note}`
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] }
}

/** Each line of it costs two characters more as a quote. */
const ROOT_QUESTION = { max: 900, most: 1800 }

/** The message that `/ask` opens its thread with. The asker is the one person that may be mentioned. */
export function rootContent(user: string, question: string): Content {
  const quoted = escapeWithin(question.replace(/\n\s*\n/g, '\n'), ROOT_QUESTION).replace(/^/gm, '> ')
  const lines = `<@${user}> asked:\n${quoted}`
  return { text: clip(lines), blocks: [section(lines)] }
}

/** A short word of the bot's own: help, a failure. mrkdwn that the caller has escaped. */
export function noteContent(text: string): Content {
  return { text: clip(text), blocks: [section(text)] }
}

/** What its asker may do with a private answer, with the id of the question. */
export function privateChoice(question: string): Content {
  const line = 'Only you see this answer.'
  const button = (action_id: string, text: string) =>
    ({ type: 'button', action_id, text: { type: 'plain_text', text, emoji: false }, value: question }) as const
  const elements = [button(SHARE, 'Share with the channel'), button(KEEP, 'Keep for myself')]
  return { text: line, blocks: [context([line]), { type: 'actions', elements }] }
}

/** The offer to answer an edited question, with the id of the question. */
export function askEditedContent(question: string): Content {
  const text = { type: 'plain_text', text: 'Ask again', emoji: false } as const
  const line = 'You edited this question after I answered it. Ask again with the edited question?'
  const button: KnownBlock = {
    type: 'actions',
    elements: [{ type: 'button', action_id: ASK_EDITED, text, value: question }],
  }
  return { text: line, blocks: [section(line), button] }
}

/** The same without its blocks, for a Slack that refuses them: all the words, as long as the method takes them. */
export function withoutBlocks(content: Content, method: 'chat.postMessage' | 'chat.update'): Content {
  return { text: method === 'chat.update' ? content.text : textsOf(content.blocks).join('\n\n'), blocks: [] }
}

/** The words of blocks for a place that formats: what is plain text in a block is made so that it stays plain. */
function textsOf(blocks: KnownBlock[]): string[] {
  return blocks.flatMap((block) => {
    if (block.type === 'section') return block.text ? [block.text.text] : []
    if (block.type !== 'context') return []
    return block.elements.flatMap((element) => {
      if (element.type === 'plain_text') return [withoutMarks(element.text)]
      return element.type === 'mrkdwn' ? [element.text] : []
    })
  })
}

export function section(text: string): KnownBlock {
  return { type: 'section', expand: true, text: mrkdwn(text) }
}

export function context(texts: string[]): KnownBlock {
  return { type: 'context', elements: texts.map(mrkdwn) }
}

/** `verbatim`: Slack makes no links or pings of its own from what it finds in the text. */
function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true }
}

export function clip(text: string): string {
  return text.length > TEXT_CHARS ? `${headOf(text, TEXT_CHARS).replace(/[&<][^;>]{0,2500}$/, '')}…` : text
}
