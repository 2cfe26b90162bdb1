import type { KnownBlock, ModalView, PlainTextOption } from '@slack/web-api'
import type { ToolQuestion } from '../../agent/contracts/tool.ts'
import { checkField } from '../../stores/runs/filled-form.ts'
import { formFrom, type FormField } from '../../stores/runs/form-schema.ts'
import { QUESTION_DECLINE, QUESTION_DONE, QUESTION_FORM, QUESTION_LINK } from '../format/action-ids.ts'
import { context, section, type Content } from '../format/blocks.ts'
import { button, plainTextElement } from '../format/plain-elements.ts'
import { escapeText, escapeWithin } from '../format/escape.ts'
import { distinct, NO_SECRETS, visible, YES_NO } from '../approvals/tool-question-words.ts'
import { facts, formModal, sections } from './plain-blocks.ts'
import { fieldId } from './tool-question-input.ts'

/** The modal with the form of a tool's question. */
export function questionView(asked: ToolQuestion, metadata: string): ModalView {
  const form = formFrom(asked.schema)
  const fields = 'fields' in form ? form.fields : []
  return formModal('Your answer', ['Answer', 'Not now'], QUESTION_FORM, metadata, [
    facts(`${visible(asked.server)} asks:`),
    ...sections(visible(asked.message).slice(0, MESSAGE_CHARS)),
    facts(NO_SECRETS),
    ...fields.map(input),
  ])
}

const MESSAGE_CHARS = 3_000
const LABEL = { max: 150, maxEscaped: 700 }
const HINT = { max: 400, maxEscaped: 1_500 }

type Element = Extract<KnownBlock, { type: 'input' }>['element']

function input(field: FormField, index: number): KnownBlock {
  const { title, description, isRequired } = field
  const hint = [description === undefined ? '' : visible(description), wanted(field)].filter(Boolean).join('\n')
  return {
    type: 'input',
    block_id: fieldId(index),
    optional: !isRequired,
    label: plainTextElement(escapeWithin(visible(title) || `Field ${index + 1}`, LABEL)),
    element: elementOf(field, fieldId(index)),
    ...(hint === '' ? {} : { hint: plainTextElement(escapeWithin(hint, HINT)) }),
  }
}

function elementOf(field: FormField, action_id: string): Element {
  switch (field.kind) {
    case 'text':
      return textElement(field, action_id)
    case 'number':
      return numberElement(field, action_id)
    case 'boolean': {
      const options = YES_NO.map(({ value, title }) => option(value, title))
      const initial = field.initial === undefined ? undefined : options[field.initial ? 0 : 1]
      return { type: 'radio_buttons', action_id, options, initial_option: initial }
    }
    case 'one': {
      const options = optionsOf(field)
      const initial = options[field.options.findIndex(({ value }) => value === field.initial)]
      return { type: 'static_select', action_id, options, initial_option: initial }
    }
    case 'several': {
      const options = optionsOf(field)
      const initial = options.filter((_, i) => field.initial?.includes(field.options[i]?.value ?? ''))
      const first = initial.length > 0 ? { initial_options: initial } : {}
      return { type: 'multi_static_select', action_id, options, max_selected_items: field.maxItems, ...first }
    }
  }
}

function textElement(field: Extract<FormField, { kind: 'text' }>, action_id: string): Element {
  const { format, maxLength } = field
  const initial = isRight(field, field.initial) ? field.initial : undefined
  if (format === 'date') {
    return { type: 'datepicker', action_id, initial_date: initial }
  }
  if (format === 'date-time') {
    const at = Math.floor(Date.parse(initial ?? '') / 1000)
    return { type: 'datetimepicker', action_id, ...(at >= 1e9 && at < 1e10 ? { initial_date_time: at } : {}) }
  }
  const first = initial === undefined ? {} : { initial_value: initial }
  if (format === 'email') return { type: 'email_text_input', action_id, ...first }
  // Not `url_text_input`, which accepts only web addresses, and no length limits: Slack counts unlike JSON Schema.
  const multiline = format === undefined && maxLength > LINE_CHARS
  return { type: 'plain_text_input', action_id, multiline, ...first }
}

/**
 * Returns whether an initial value is valid. Slack refuses the whole modal if its input would not accept an initial
 * value.
 */
function isRight(field: FormField, initial: string | undefined): boolean {
  return initial !== undefined && 'value' in checkField(field, initial)
}

/** A text that may be longer than this gets a multi-line input. */
const LINE_CHARS = 200

function numberElement(field: Extract<FormField, { kind: 'number' }>, action_id: string): Element {
  const { isInteger, minimum, maximum } = field
  const initial = isRight(field, String(field.initial)) ? field.initial : undefined
  return {
    type: 'number_input',
    action_id,
    is_decimal_allowed: !isInteger,
    ...(minimum === undefined ? {} : { min_value: decimal(minimum) }),
    ...(maximum === undefined ? {} : { max_value: decimal(maximum) }),
    ...(initial === undefined ? {} : { initial_value: decimal(initial) }),
  }
}

/** Writes a number without an exponent, which Slack does not accept. */
function decimal(value: number): string {
  return String(value).includes('e') ? value.toFixed(value < 1 && value > -1 ? 20 : 0) : String(value)
}

/** Describes the checks on submission. */
function wanted(field: FormField): string {
  if (field.kind === 'several')
    return bounds('choices', {
      min: field.minItems,
      max: field.maxItems < field.options.length ? field.maxItems : undefined,
    })
  if (field.kind === 'number') return bounds('', { min: field.minimum, max: field.maximum })
  if (field.kind !== 'text') return ''
  const { minLength, maxLength, pattern } = field
  const chars = bounds('characters', {
    min: minLength || undefined,
    max: maxLength < LINE_CHARS * 5 ? maxLength : undefined,
  })
  return [chars, pattern === undefined ? '' : `It must match ${visible(pattern)}`].filter(Boolean).join('\n')
}

function bounds(unit: string, { min, max }: { min?: number | undefined; max?: number | undefined }): string {
  const limits = [
    min === undefined || (unit !== '' && min === 0) ? '' : `at least ${min}`,
    max === undefined ? '' : `at most ${max}`,
  ]
    .filter(Boolean)
    .join(', ')
  return limits === '' ? '' : `${limits.charAt(0).toUpperCase()}${limits.slice(1)} ${unit}`.trim()
}

/** The value is the option's index, because Slack accepts only 150 characters. */
function optionsOf({ options }: Extract<FormField, { kind: 'one' | 'several' }>): PlainTextOption[] {
  return distinct(options).map(({ title }, i) => ({ value: String(i), text: plainTextElement(title) }))
}

function option(value: string, title: string): PlainTextOption {
  return { value, text: plainTextElement(escapeText(title)) }
}

/** Shows the asker, before anything opens, the host and the whole address of a page that a server sends them to. */
export function pageContent({ server, url = '' }: ToolQuestion, value: string): Content {
  // `URL` writes letters of other scripts in the host as punycode, so that no host looks like another one.
  const { host, href } = new URL(url)
  const line = `🔗 *${escapeText(visible(server))}* asks you to visit *${escapeText(host)}*. Only open it if you trust that site.`
  const blocks: KnownBlock[] = [
    section(line),
    ...sections(href),
    context(['Only you see this. Press Done when you have finished on the page.']),
    {
      type: 'actions',
      elements: [
        { ...button(QUESTION_LINK, 'Open the page', { value }), url: href },
        button(QUESTION_DONE, 'Done', { value, style: 'primary' }),
        button(QUESTION_DECLINE, 'Decline', { value }),
      ],
    },
  ]
  return { text: line, blocks }
}
