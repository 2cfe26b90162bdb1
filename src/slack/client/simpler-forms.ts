import { isOfForm, TOO_LONG } from './slack-errors.ts'

/** The forms of one message, from the full one to plain text. */
interface Forms<Form> {
  /** The form that was sent and refused. */
  first: Form
  send(form: Form): Promise<Record<string, unknown>>
  /** The message without these block types, as far as they have simpler forms. */
  without(refused: ReadonlySet<string>): Form
  /** Guesses the refused block type from an error's details; undefined if no block has a simpler form. */
  blamed(form: Form, details: string[]): string | undefined
  /** The text alone. */
  plain(): Form
  /** Remembers what the workspace refused (`Refusals`). */
  refusals: { remember(name: string): void }
  log(fields: object, line: string): void
}

/**
 * Sends a message again in simpler forms after Slack refused its form. Remembers block types that this workspace does
 * not support, but not faults of a single message. @throws the refusal if it does not concern the form
 */
export async function sendSimpler<Form>(refusal: unknown, forms: Forms<Form>): Promise<Record<string, unknown>> {
  const refused = new Set<string>()
  let form = forms.first
  for (let error = refusal; ;) {
    if (!isOfForm(error)) throw error
    const { code, details } = error
    const type = TOO_LONG.has(code) ? undefined : forms.blamed(form, details)
    if (type === undefined) {
      forms.log({ code }, 'Slack refused the blocks: sent as plain text')
      return forms.send(forms.plain())
    }
    forms.log({ code, type }, 'Slack refused a kind of block: sent in a simpler form')
    if (details.some((detail) => detail.includes('unsupported'))) forms.refusals.remember(type)
    form = forms.without(refused.add(type))
    try {
      const result = await forms.send(form)
      // Slack gave no details, but the message went through without this type, so the type was the cause.
      if (details.length === 0) forms.refusals.remember(type)
      return result
    } catch (next) {
      error = next
    }
  }
}
