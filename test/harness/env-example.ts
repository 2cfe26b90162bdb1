import { loadConfig } from '../../src/config.ts'
import { settingsIn, type SettingGroup } from './settings-page.ts'

const TITLES: [SettingGroup, string][] = [
  ['needed', 'Needed: npm run slack fills these in'],
  ['common', 'Common'],
  ['advanced', 'Advanced'],
]

/** The first settings of a new .env. All others are commented out, at their defaults. */
const OPEN = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'OPENAI_API_KEY']

const HEAD = `# Copy to .env and fill in. Lines that begin with # are optional and show the default.
# A secret can also come from a file: set NAME_FILE instead of NAME. Put JSON in single quotes.
`

/** Returns the text of `.env.example`: every setting with its sentence and its default, in its group. */
export function envExample(): string {
  const defaults = new Map<string, unknown>(Object.entries(loadConfig({})))
  const line = (name: string) => `${OPEN.includes(name) ? '' : '#'}${name}=${String(defaults.get(name) ?? '')}`
  const groups = TITLES.map(([group, title]) => {
    return `\n# ---- ${title} ----\n${settingsIn(group)
      .map(([name, words]) => `# ${words}\n${line(name)}\n`)
      .join('')}`
  })
  return HEAD + groups.join('')
}
