/** The choices of a menu: its own options, or the workspace's people and channels. */
import { plainWords } from './mrkdwn.js'
import { state, titleOf } from './state.js'

/** Shown if a menu has no options. */
export const NO_OPTIONS = '(the app provides these options on request)'

const people = () => [...state.users.values()].map(({ id, real_name }) => ({ value: id, words: real_name }))
const channels = (fits = () => true) =>
  [...state.channels.values()].filter(fits).map((channel) => ({ value: channel.id, words: titleOf(channel) }))

const OF_WORKSPACE = {
  users: people,
  conversations: () => channels(),
  channels: () => channels(({ kind }) => kind === 'channel'),
}

/**
 * @param {object} element a menu of any kind. The page has no options for an external one: the app gives them
 * @returns {{ label?: string, options: { value: string, words: string, about?: string }[] }[]}
 */
export function choicesOf(element) {
  const kind = /^(?:multi_)?(users|conversations|channels)_select$/.exec(element.type)?.[1]
  if (kind) return [{ options: OF_WORKSPACE[kind]() }]
  return (element.option_groups ?? [element]).map(({ label, options = [] }) => ({
    label: label && plainWords(label),
    options: options.map(({ text, value, description }) => ({
      value,
      words: plainWords(text),
      about: description && plainWords(description),
    })),
  }))
}

/** Returns the values that are chosen initially. */
export function initialOf(element) {
  const given = Object.entries(element).filter(([key]) => /^initial_(?:option|user|conversation|channel)s?$/.test(key))
  return given.flatMap(([, value]) => value).map((one) => one?.value ?? one)
}
