import { editDistance } from '../intake/edit-distance.ts'

/** The commands after `/ask` that are one word. */
const ALONE = [
  'forget',
  'settings',
  'schedules',
  'schedule',
  'memory',
  'connections',
  'remember',
  'help',
  'stop',
  'private',
]
/** Commands that take words. */
const WITH_WORDS = ['remember', 'schedule']

/** Ordinary words that resemble a command. */
const OTHER_WORDS =
  /^(?:remembers|remembered|remembering|schedules|scheduled|scheduler|schedulers|scheduling|reschedule|steps?|shop|stock|stops|heap|held|hell|hello|hero|herd|kelp|yelp|top|spot|soup|memo|memoirs?|memories|forge[ds]?|forger|forges|privates?)$/

/** How many letters may differ, by the length of the command. */
const slips = (command: string) => (command.length < 6 ? 1 : 2)

/**
 * Returns the command that a text was probably meant to be: `forgt`, `schedul every Monday at 9 …`. Undefined for a
 * command as it is written, and for an ordinary question.
 */
export function resembledCommand(text: string): string | undefined {
  const [, word = '', rest = ''] = /^[\s/\\-]{0,3}(\p{L}{3,14})(?![\p{L}\p{N}_-])([^]*)$/u.exec(text) ?? []
  const lower = word.toLowerCase()
  const isAlone = /^[\s\p{P}]*$/u.test(rest)
  if (lower === '' || OTHER_WORDS.test(lower)) return undefined
  const known = isAlone ? ALONE : WITH_WORDS
  if (known.includes(lower)) return undefined
  const near = known.filter((command) => command[0] === lower[0] && editDistance(lower, command) <= slips(command))
  return near.sort((a, b) => editDistance(lower, a) - editDistance(lower, b))[0]
}
