import { escapeText } from '../format/escape.ts'
import { listOf, objectOf, asText, type SlackObject } from './unsure-json.ts'

/** Reads a text object or a text. */
type TextReader = (value: unknown) => string

/**
 * Returns a button's words, or what a menu or an input shows: what is chosen, else its placeholder. Undefined for an
 * element that is no control.
 */
export function controlText(element: SlackObject, read: TextReader): string | undefined {
  const type = asText(element.type)
  if (type === 'button' || type === 'workflow_button' || type === 'icon_button') return inBrackets(read(element.text))
  if (type === 'overflow' || type === 'file_input' || type === 'feedback_buttons') return ''
  if (type === 'checkboxes' || type === 'radio_buttons') return choices(element, read)
  if (!/select$|picker$|_input$/.test(type)) return undefined
  const chosen = chosenOf(element, read)
  return inBrackets(chosen === '' ? read(element.placeholder) : chosen)
}

/** People see all options of these, and which ones are ticked. */
function choices(element: SlackObject, read: TextReader): string {
  const ticked = new Set([...listOf(element.initial_options), element.initial_option].map((one) => objectOf(one).value))
  return listOf(element.options)
    .map((one) => `${ticked.has(objectOf(one).value) ? '☒' : '☐'} ${optionText(one, read)}`)
    .join('\n')
}

function optionText(option: unknown, read: TextReader): string {
  const { text, description } = objectOf(option)
  return [read(text), read(description)].filter(Boolean).join(' ')
}

function chosenOf(element: SlackObject, read: TextReader): string {
  const options = [element.initial_option, ...listOf(element.initial_options)].map((one) => optionText(one, read))
  const ids = Object.entries(SIGNS).flatMap(([field, sign]) =>
    [element[`initial_${field}`], ...listOf(element[`initial_${field}s`])].map((id) =>
      /^\w+$/.test(asText(id)) ? `<${sign}${asText(id)}>` : '',
    ),
  )
  const { initial_value: value, initial_date_time: seconds } = element
  const times = [element.initial_date, element.initial_time].map((one) => escapeText(asText(one)))
  const typed = [read(value), asText(seconds) === '' ? '' : `<!date^${asText(seconds).replace(/\D/g, '')}^>`]
  return [...options, ...ids, ...times, ...typed].filter(Boolean).join(', ')
}

const SIGNS: Record<string, string> = { user: '@', channel: '#', conversation: '#' }

function inBrackets(words: string): string {
  return words.trim() === '' ? '' : `[${words}]`
}
