import { z } from 'zod'
import { DIALECT_NAMES, FOLLOW_UPS, STEPS } from '../../config.ts'
import { MAX_INSTRUCTIONS, type ChannelSettings } from '../../stores/settings/settings.ts'
import { DEFAULT, FIELDS, type SettingsChoices } from './settings-view.ts'

/** The submitted settings, one for each input in the modal. `undefined` keeps the operator's default. */
interface SettingsInput {
  set: ChannelSettings
  /** Error messages by the inputs' `block_id`s. */
  errors: Record<string, string>
}

const fieldSchema = z.object({
  value: z.string().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
  selected_options: z.array(z.object({ value: z.string() })).nullish(),
})

type InputState = z.infer<typeof fieldSchema>

const valuesSchema = z.record(z.string(), z.record(z.string(), fieldSchema))

const SHAPES: { [Name in keyof ChannelSettings]-?: z.ZodType<ChannelSettings[Name]> } = {
  followUps: z.enum(FOLLOW_UPS),
  steps: z.enum(STEPS),
  model: z.string(),
  dialect: z.enum(DIALECT_NAMES),
  tools: z.array(z.string()),
  skills: z.array(z.string()),
  instructions: z.string().max(MAX_INSTRUCTIONS),
  whoMayStop: z.enum(['asker', 'anyone']),
  whoMayForget: z.enum(['admins', 'anyone']),
}

interface CheckedChoices extends SettingsChoices {
  isModel(name: string): boolean
}

/** Reads `view.state.values`. `set` has only inputs that were in the modal. */
export function readSettingsInput(values: unknown, choices: CheckedChoices): SettingsInput {
  const fields = valuesSchema.safeParse(values).data ?? {}
  const set: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const name of Object.keys(SHAPES) as (keyof ChannelSettings)[]) {
    const field = fields[FIELDS[name]]?.[FIELDS[name]]
    if (!field) continue
    const value = valueOf(field)
    const shaped = value === undefined ? { success: true, data: undefined } : SHAPES[name].safeParse(value)
    set[name] = shaped.data
    const why = shaped.success ? whyNot(name, shaped.data, choices) : GONE
    if (why !== undefined) errors[FIELDS[name]] = why
  }
  return { set, errors }
}

/** Returns undefined for an empty input and for the `DEFAULT` option. */
function valueOf({ value, selected_option: one, selected_options: some }: InputState): string | string[] | undefined {
  if (some) return some.length > 0 ? some.map((each) => each.value) : undefined
  const text = (one?.value ?? value ?? '').trim()
  return text === '' || text === DEFAULT ? undefined : text
}

const GONE = 'This choice is no longer available. Please open the settings again.'

function whyNot(
  name: keyof ChannelSettings,
  value: unknown,
  { models, isModel, dialects, tools, skills }: CheckedChoices,
): string | undefined {
  if (value === undefined) return undefined
  if (name === 'dialect') return dialects.includes(String(value)) ? undefined : GONE
  if (name === 'tools' || name === 'skills') {
    const known = name === 'tools' ? tools : skills
    return Array.isArray(value) && value.every((one) => known.includes(one)) ? undefined : GONE
  }
  if (name !== 'model' || isModel(String(value))) return undefined
  return `I cannot use this model: its name is not valid, or it has no price while a dollar budget is set. I can use ${models.join(', ')}.`
}
