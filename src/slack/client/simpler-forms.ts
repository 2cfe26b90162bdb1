import { isOfForm, TOO_LONG } from './slack-errors.ts'

/** Ways to show one message, from the best to its text alone. */
interface Forms<Form> {
  /** What was sent, and refused. */
  first: Form
  send(form: Form): Promise<Record<string, unknown>>
  /** The same without these types of blocks, as far as they have simpler forms. */
  without(refused: ReadonlySet<string>): Form
  /** The type of block that a refusal speaks of, by what it says; undefined where no block has a simpler form. */
  blamed(form: Form, details: string[]): string | undefined
  /** The words alone. */
  plain(): Form
  /** Keeps in mind what the workspace refused (`Refusals`). */
  refusals: { remember(name: string): void }
  log(fields: object, line: string): void
}

/**
 * Sends a message whose form Slack refused in simpler ones. A type of block that this workspace does not take is remembered; a fault
 * of the one message says nothing of the next. @throws the refusal, where it is of something else than the form
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
      // Where Slack does not say what it refused, the message that went through without it does.
      if (details.length === 0) forms.refusals.remember(type)
      return result
    } catch (next) {
      error = next
    }
  }
}
