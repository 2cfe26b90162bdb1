import { z } from 'zod'
import type { ToolQuestion } from '../../agent/contracts/tool.ts'
import { checkForm, checkPatterns, type FilledValue } from '../../stores/runs/filled-form.ts'
import { formFrom, type FormField } from '../../stores/runs/form-schema.ts'

/** The `block_id` and `action_id` of a field's input. They use the field's index, because names can be anything. */
export function fieldId(index: number): string {
  return `field_${index}`
}

const stateSchema = z.object({
  value: z.string().nullish(),
  selected_date: z.string().nullish(),
  selected_date_time: z.number().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
  selected_options: z.array(z.object({ value: z.string() })).nullish(),
})

const valuesSchema = z.record(z.string(), z.record(z.string(), stateSchema))

/** Reads `view.state.values`. @returns the answer's content, or error messages by the inputs' `block_id`s */
export async function readSubmittedAnswer(
  values: unknown,
  { schema }: Pick<ToolQuestion, 'schema'>,
): Promise<{ content: Record<string, unknown> } | { errors: Record<string, string> }> {
  const form = formFrom(schema)
  const fields = 'fields' in form ? form.fields : []
  const states = valuesSchema.safeParse(values).data ?? {}
  const read = checkForm(fields, (field) => {
    const id = fieldId(fields.indexOf(field))
    return filledOf(field, states[id]?.[id] ?? {})
  })
  const errors = 'content' in read ? await checkPatterns(fields, read.content) : read.errors
  if ('content' in read && errors.size === 0) return read
  const wrong = [...fields.entries()].flatMap(([i, { name }]) => {
    const why = errors.get(name)
    return why === undefined ? [] : [[fieldId(i), why] as const]
  })
  return { errors: Object.fromEntries(wrong) }
}

function filledOf(field: FormField, state: z.infer<typeof stateSchema>): FilledValue {
  if (field.kind === 'several') return state.selected_options?.map(({ value }) => optionAt(field.options, value))
  if (field.kind === 'one')
    return state.selected_option ? optionAt(field.options, state.selected_option.value) : undefined
  if (field.kind === 'boolean') return state.selected_option?.value
  if (state.selected_date_time) return new Date(state.selected_date_time * 1000).toISOString().replace('.000', '')
  return state.selected_date ?? state.value ?? undefined
}

/** Returns the value of the option at an index. An unknown index returns a value that the check rejects. */
function optionAt(options: readonly { value: string }[], index: string): string {
  return options[Number(index)]?.value ?? '\0'
}
