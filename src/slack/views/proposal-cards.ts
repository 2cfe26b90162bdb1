/** Cards that the model opens for the asker alone. Each says what suggested it, if the run has read anything. */
import type { Button } from '@slack/web-api'
import { ASK_ALONE, OPEN_SETTINGS, PROPOSED_NO, PROPOSED_REMEMBER } from '../format/action-ids.ts'
import { cardContent, ROOT_QUESTION, type Content } from '../format/blocks.ts'
import { quote } from '../format/escape.ts'
import { button } from '../format/plain-elements.ts'

function card(lines: (string | undefined)[], elements: Button[]): Content {
  return cardContent(lines.filter((line) => line !== undefined).join('\n'), elements)
}

/** Asks whether to remember a text. `id`: the question's; `value`: a `questionValue`. */
export function rememberCard({ id, text, value }: { id: string; text: string; value: string }, note?: string): Content {
  const elements = [
    button(PROPOSED_REMEMBER, 'Remember', { value, style: 'primary' }),
    button(PROPOSED_NO, 'No', { value: id }),
  ]
  const where = /^[^:]*:D/.test(id) ? 'our direct messages' : 'this channel'
  const head = `*Should I remember this for ${where}?* Nothing is saved yet.`
  return card([note, head, quote(text, ROOT_QUESTION)], elements)
}

/** Offers the answer to its asker alone. `value`: a `questionValue`. */
export function aloneCard({ text, value }: { text: string; value: string }, note?: string): Content {
  const elements = [button(ASK_ALONE, 'Only me', { value, style: 'primary' }), button(PROPOSED_NO, 'No', { value })]
  return card([note, '*Should I answer this to you alone?*', quote(text, ROOT_QUESTION)], elements)
}

/** A button that opens the settings. `id`: the question's. */
export function settingsCard(id: string, note?: string): Content {
  const head = '*My settings here*: the model, the tools, how I show my work and follow up. Nothing is changed yet.'
  const elements = [button(OPEN_SETTINGS, 'Open settings', { value: id }), button(PROPOSED_NO, 'No', { value: id })]
  return card([note, head], elements)
}
