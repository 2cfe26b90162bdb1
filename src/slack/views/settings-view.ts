import type { KnownBlock, ModalView, PlainTextOption } from '@slack/web-api'
import { toolTitle } from '../../agent/tool-title.ts'
import { cutText } from '../../base/cut-text.ts'
import { FOLLOW_UPS, STEPS, type Config } from '../../config.ts'
import { MAX_INSTRUCTIONS, type ChannelSettings } from '../../stores/settings/settings.ts'
import { SETTINGS_FORM } from '../format/action-ids.ts'
import { plainContext, plainTextElement } from '../format/plain-elements.ts'
import { formModal } from './plain-blocks.ts'

export interface SettingsChoices {
  /** Suggested model names. Others are allowed too. */
  models: string[]
  dialects: string[]
  tools: string[]
  skills: string[]
}

interface SettingsDefaults extends Record<MenuName | 'model', string> {
  tools: string[]
}

/** The content of the modal of `/ask settings`. */
export interface SettingsForm {
  /** Whether the place is a direct message: settings that concern several people are left out. */
  isDirect: boolean
  set: ChannelSettings
  /** The operator's defaults for all places, by name. */
  defaults: SettingsDefaults
  choices: SettingsChoices
  /** The titles of the tools that are on by default, by name. */
  titles: ReadonlyMap<string, string>
  /** Whether to show who may forget: only if the person may change it. */
  mayChangeForget: boolean
  /** Slack returns it with the submitted values. At most 3,000 characters. */
  metadata: string
}

/** The `block_id`s of the inputs, which are also their `action_id`s. */
export const FIELDS = {
  followUps: 'follow_ups',
  steps: 'steps',
  model: 'model',
  dialect: 'dialect',
  tools: 'tools',
  skills: 'skills',
  instructions: 'instructions',
  whoMayStop: 'who_may_stop',
  whoMayForget: 'who_may_forget',
} as const satisfies Record<keyof ChannelSettings, string>

/** The value of a menu's first option, which keeps the operator's default. */
export const DEFAULT = 'default'

/** Slack's limits for an option, a placeholder, a hint and a menu. */
const OPTION_CHARS = 75
const PLACEHOLDER_CHARS = 150
const HINT_CHARS = 2_000
const MAX_OPTIONS = 100
const MODEL_CHARS = 200

/** The ways to show a run, for people. */
export const STEPS_WORDS: Record<Config['STEPS'], string> = {
  replies: 'Each step as a reply in the thread',
  card: 'One card that folds up at the end',
  stream: 'One streamed message',
  hidden: 'Only the answer',
}

const WORDS: Record<MenuName, Record<string, string>> = {
  steps: STEPS_WORDS,
  followUps: { thread: 'I answer replies in my threads', mention: 'I answer only when mentioned' },
  whoMayStop: { asker: 'Whoever asked', anyone: 'Anyone here' },
  whoMayForget: { admins: 'Admins of the workspace', anyone: 'Anyone here' },
  dialect: {},
}

type MenuName = 'followUps' | 'steps' | 'dialect' | 'whoMayStop' | 'whoMayForget'

/** The modal of `/ask settings`. All texts are plain text. */
export function settingsView(form: SettingsForm): ModalView {
  const { isDirect, choices, mayChangeForget, metadata } = form
  const ofSeveral: KnownBlock[] = [
    menu('followUps', 'Follow-ups', FOLLOW_UPS, form),
    menu('whoMayStop', 'Who may stop me', ['asker', 'anyone'], form),
    ...(mayChangeForget ? [menu('whoMayForget', WHO_MAY_FORGET, ['admins', 'anyone'], form)] : []),
  ]
  const title = isDirect ? 'Settings here' : 'Settings of this channel'
  return formModal(title, ['Save', 'Cancel'], SETTINGS_FORM, metadata, [
    plainContext(INTRODUCTION),
    menu('steps', 'How I show my work', STEPS, form),
    modelInput(form),
    ...toolsInput(form),
    ...skillsInput(form),
    instructionsInput(form),
    ...(isDirect ? [] : ofSeveral),
    { type: 'header', text: plainTextElement('Advanced') },
    menu('dialect', 'Dialect', choices.dialects, form),
  ])
}

const INTRODUCTION = 'Applies here from the next question. Default = what the person who runs me has set.'

const WHO_MAY_FORGET = 'Who may delete what I remember about this channel'

function menu(name: MenuName, label: string, values: readonly string[], form: SettingsForm): KnownBlock {
  const words = (value: string) => WORDS[name][value] ?? value
  const usual = option(DEFAULT, `Default (${words(form.defaults[name])})`)
  const options = [usual, ...values.slice(0, MAX_OPTIONS - 1).map((value) => option(value, words(value)))]
  const initial_option = options.find(({ value }) => value === form.set[name]) ?? usual
  const element = { type: 'static_select' as const, action_id: FIELDS[name], options, initial_option }
  return input(name, label, element)
}

function modelInput({ set, defaults, choices }: SettingsForm): KnownBlock {
  const known = choices.models.length > 0 ? ` For example: ${choices.models.join(', ')}` : ''
  const element = {
    type: 'plain_text_input' as const,
    action_id: FIELDS.model,
    max_length: MODEL_CHARS,
    placeholder: plainTextElement(cut(`Default (${defaults.model})`, PLACEHOLDER_CHARS)),
    ...(set.model ? { initial_value: set.model.slice(0, MODEL_CHARS) } : {}),
  }
  return input('model', 'Model', element, `The name of a model at my endpoint.${known}`)
}

/** Absent if there are fewer than two tools. */
function toolsInput(form: SettingsForm): KnownBlock[] {
  const { defaults, choices, titles } = form
  if (choices.tools.length < 2) return []
  const titleOf = (name: string) => titles.get(name) ?? toolTitle({ name })
  const isAll = choices.tools.every((name) => defaults.tools.includes(name))
  const usual = isAll ? 'all' : defaults.tools.map(titleOf).join(', ')
  return [several('tools', 'Tools', usual, form, titleOf)]
}

/** Absent if there are no skills. */
function skillsInput(form: SettingsForm): KnownBlock[] {
  return form.choices.skills.length === 0
    ? []
    : [several('skills', 'Skills', 'all', form, (name) => toolTitle({ name }))]
}

/** `usual`: the default, in words. */
function several(
  name: 'tools' | 'skills',
  label: string,
  usual: string,
  { choices, set }: SettingsForm,
  titleOf: (name: string) => string,
): KnownBlock {
  const options = choices[name].slice(0, MAX_OPTIONS).map((one) => option(one, titleOf(one)))
  const initial = options.filter(({ value }) => set[name]?.includes(value ?? ''))
  const element = {
    type: 'multi_static_select' as const,
    action_id: FIELDS[name],
    options,
    placeholder: plainTextElement(cut(`Default (${usual})`, PLACEHOLDER_CHARS)),
    ...(initial.length > 0 ? { initial_options: initial } : {}),
  }
  return input(name, label, element, 'Choose none to use the default.')
}

function instructionsInput({ set }: SettingsForm): KnownBlock {
  const element = {
    type: 'plain_text_input' as const,
    action_id: FIELDS.instructions,
    multiline: true,
    max_length: MAX_INSTRUCTIONS,
    placeholder: plainTextElement('For example: Answer in Spanish. Prefer metric units.'),
    ...(set.instructions ? { initial_value: set.instructions } : {}),
  }
  return input('instructions', 'Extra instructions', element)
}

type InputElement = Extract<KnownBlock, { type: 'input' }>['element']

function input(name: keyof ChannelSettings, label: string, element: InputElement, hint?: string): KnownBlock {
  const shown = hint === undefined ? {} : { hint: plainTextElement(cut(hint, HINT_CHARS)) }
  return { type: 'input', block_id: FIELDS[name], optional: true, label: plainTextElement(label), element, ...shown }
}

function option(value: string, text: string): PlainTextOption {
  return { value, text: plainTextElement(cut(text, OPTION_CHARS)) }
}

function cut(text: string, max: number): string {
  return text.length > max ? `${cutText(text, max - 1)}…` : text
}
