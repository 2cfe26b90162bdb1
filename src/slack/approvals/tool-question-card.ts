/** The card of a tool's question. The server's text is shown as plain text: nothing in it links or pings. */
import type { ActionsBlock, Button, KnownBlock } from '@slack/web-api'
import type { ToolQuestion } from '../../agent/contracts/tool.ts'
import { checkForm } from '../../stores/runs/filled-form.ts'
import { formFrom, type FormField } from '../../stores/runs/form-schema.ts'
import {
  QUESTION_CHOOSE,
  QUESTION_CONNECT,
  QUESTION_DECLINE,
  QUESTION_OPEN,
  QUESTION_PAGE,
} from '../format/action-ids.ts'
import { clipSection, context, section, type Content } from '../format/blocks.ts'
import { button, plainContext } from '../format/plain-elements.ts'
import { escapeText, escapeWithin, isBlank, shorten, type TextLimit } from '../format/escape.ts'
import { distinct, NO_SECRETS, REMAKES, visible, YES_NO, type QuestionEnd } from './tool-question-words.ts'

/** The card while nobody has answered. `value` names the wait (`waitValue`). */
export function questionCard(asked: ToolQuestion, { asker, value }: { asker: string; value: string }): Content {
  const line = `❓ <@${asker}>, *${nameOf(asked)}* needs an answer from you to continue.`
  return contentOf(line, [
    ...textBlocks(asked.message, MESSAGE),
    ...(asked.remakes ? [context([REMAKES])] : []),
    ...(asked.url === undefined ? formBlocks(asked, value) : pageBlocks(value)),
  ])
}

/** The card after the question is over. It does not show the answer. */
export function endedQuestionCard(asked: ToolQuestion, asker: string, end: QuestionEnd): Content {
  const names = [`<@${asker}>`, `*${nameOf(asked)}*`] as const
  if (asked.login) return contentOf(CONNECT_ENDS[end](...names), [])
  return contentOf(ENDS[end](...names), textBlocks(asked.message, MESSAGE))
}

const NOT_CONNECTED = (_: string, server: string) => `🚫 ${server} is not connected. I am continuing without it.`

const CONNECT_ENDS: Record<QuestionEnd, (asker: string, server: string) => string> = {
  accept: (_, server) => `✅ ${server} is connected.`,
  decline: NOT_CONNECTED,
  cancel: NOT_CONNECTED,
  expired: (_, server) => `⌛ Nobody connected ${server} in time.`,
  over: (_, server) => `⏹️ This is closed: I no longer need ${server}.`,
}

const ENDS: Record<QuestionEnd, (asker: string, server: string) => string> = {
  accept: (asker, server) => `✅ ${asker} has answered ${server}.`,
  decline: (asker, server) => `🚫 ${asker} declined to answer ${server}.`,
  cancel: (asker, server) => `🚫 ${asker} did not answer ${server}.`,
  expired: (_, server) => `⌛ Nobody answered ${server} in time.`,
  over: (_, server) => `⏹️ This is closed: ${server} no longer waits for an answer.`,
}

/** The card that asks for the asker's own login. The message is the tool's name for people. */
export function connectCard(
  asked: ToolQuestion,
  { asker, value, link }: { asker: string; value: string; link: string },
): Content {
  const name = nameOf(asked)
  const what = escapeText(shorten(visible(asked.message).replace(/[*_~`\s]+/g, ' '), 80))
  const line = `🔑 <@${asker}>, to continue, I need your *${name}* login for “${what}”.`
  const connect: Button = {
    ...button(QUESTION_CONNECT, connectWords(asked.server), { value, style: 'primary' }),
    url: link,
  }
  const how = 'Only you can use this link. It works for ten minutes. I will continue as soon as you have connected.'
  return contentOf(line, [context([how]), actions([connect, button(QUESTION_DECLINE, 'Not now', { value })])])
}

/** The text of a button. */
export function connectWords(name: string): string {
  return `Connect ${shorten(visible(name), 60)}`
}

const MESSAGE = { max: 1_500, maxEscaped: 2_800 }
const DESCRIPTION = { max: 500, maxEscaped: 1_000 }

/** A single choice has buttons on the card; any other form opens in a modal. */
function formBlocks(asked: ToolQuestion, value: string): KnownBlock[] {
  const form = formFrom(asked.schema)
  const fields = 'fields' in form ? form.fields : []
  const choices = choicesOf(fields)
  const buttons = choices.map(({ title }, i) => button(`${QUESTION_CHOOSE}${i}`, title, { value }))
  const opens = button(QUESTION_OPEN, 'Answer…', { value, style: 'primary' })
  const about =
    choices.length > 0
      ? fields.flatMap(({ title, description = '' }) => textBlocks(`${title}\n${description}`, DESCRIPTION))
      : []
  return [...about, context([NO_SECRETS]), actions([...(choices.length > 0 ? buttons : [opens]), declines(value)])]
}

/** The card does not show the address, because only the asker may see it. */
function pageBlocks(value: string): KnownBlock[] {
  return [
    context(['The server asks you to do this on its own page. Only you can see the address.']),
    actions([button(QUESTION_PAGE, 'Show me the page', { value, style: 'primary' }), declines(value)]),
  ]
}

/** Slack accepts 25 buttons in a row; the other two are to leave it empty and to decline. */
const MAX_BUTTONS = 23

const DECLINE = 'Decline'
const LEAVE = 'Leave empty'
/** Titles of our own buttons: a server's option with the same title gets its number. */
const OURS = [DECLINE, LEAVE]

/** The answers that take one press: the choices of the only field, or "OK" for an empty form. None for other forms. */
function choicesOf(fields: readonly FormField[]): { title: string; answer: string | undefined }[] {
  const [field, ...others] = fields
  if (!field) return [{ title: 'OK', answer: undefined }]
  if (others.length > 0 || (field.kind !== 'one' && field.kind !== 'boolean')) return []
  const options = field.kind === 'one' ? field.options : YES_NO
  if (options.length > MAX_BUTTONS) return []
  const choices = distinct(options, OURS).map(({ title, value }) => ({ title, answer: value }))
  return field.isRequired ? choices : [...choices, { title: LEAVE, answer: undefined }]
}

/** Returns the form content of a pressed choice; undefined if there is no such choice. */
export function choiceOf({ schema, url }: ToolQuestion, place: number): Record<string, unknown> | undefined {
  const form = formFrom(schema)
  if ('why' in form || url !== undefined) return undefined
  const choice = choicesOf(form.fields)[place]
  const checked = choice && checkForm(form.fields, () => choice.answer)
  return checked && 'content' in checked ? checked.content : undefined
}

function declines(value: string): Button {
  return button(QUESTION_DECLINE, DECLINE, { value })
}

function actions(elements: Button[]): ActionsBlock {
  return { type: 'actions', elements }
}

function textBlocks(text: string, limit: TextLimit): KnownBlock[] {
  const shown = visible(text).trim()
  if (isBlank(shown)) return []
  return [plainContext(escapeWithin(shown, limit))]
}

function nameOf({ server }: ToolQuestion): string {
  return escapeText(shorten(visible(server).replace(/[*_~`\s]+/g, ' '), 80))
}

function contentOf(line: string, more: KnownBlock[]): Content {
  return { text: clipSection(line), blocks: [section(line), ...more] }
}
