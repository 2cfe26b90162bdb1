import ts from 'typescript'
import { loadConfig, SECRETS } from '../../src/config.ts'
import { textOf } from './project-files.ts'

/** The default of each setting, as in the environment. */
const defaults = new Map<string, unknown>(Object.entries(loadConfig({})))
export const defaultOf = (name: string) => String(defaults.get(name) ?? '')

export type SettingGroup = 'needed' | 'common' | 'advanced'

const SCHEMA = 'src/base/settings/setting-schema.ts'

/** Every setting with its group and its sentence, from the comments of the schema. */
const described: [name: string, group: string, words: string][] = []

function read(node: ts.Node): void {
  const [tag] = ts.isPropertyAssignment(node) ? ts.getJSDocTags(node) : []
  if (ts.isPropertyAssignment(node) && tag)
    described.push([
      node.name.getText(),
      tag.tagName.text,
      (ts.getTextOfJSDocComment(tag.comment) ?? '').replaceAll('\n', ' '),
    ])
  ts.forEachChild(node, read)
}
read(ts.createSourceFile(SCHEMA, textOf(SCHEMA), ts.ScriptTarget.Latest, true))

/** Returns the settings of a group, each with its sentence. */
export function settingsIn(group: SettingGroup): [name: string, words: string][] {
  return described.flatMap(([name, own, words]): [string, string][] => (own === group ? [[name, words]] : []))
}

const INTRODUCTION = `# Settings

<!-- Written by a test from src/base/settings/setting-schema.ts. To renew it: npx vitest run test/repo/settings.test.ts -u -->

Every setting is an environment variable or a line of \`.env\`; the environment wins. An empty value counts as unset. In \`.env\`, put JSON into
single quotes.

Settings with † are secrets, which logs and error messages never show. A secret can also come from a file: set \`NAME_FILE=/run/secrets/name\`.
`

/** Returns the text of `docs/settings.md`, generated from the code. */
export function settingsPage(): string {
  return [
    INTRODUCTION,
    `## Needed\n\n${SLACK_AND_MODEL}\n\n${tableOf('needed')}`,
    `## Common\n\n${tableOf('common')}`,
    `## Advanced\n\nThe defaults suit most installations.\n\n${tableOf('advanced')}`,
  ].join('\n')
}

const SLACK_AND_MODEL =
  'Set the bot token, either the app-level token or the signing secret, and a key or an address for the model. ' +
  '`npm run slack` asks for them.'

function tableOf(group: SettingGroup): string {
  const rows = settingsIn(group).map(([name, words]) => {
    const value = defaultOf(name)
    return `| \`${name}\`${SECRETS.includes(name) ? ' †' : ''} | ${value && `\`${value}\``} | ${forTable(words)} |`
  })
  return `| setting | default | meaning |\n|---|---|---|\n${rows.join('\n')}\n`
}

/** Escapes what a table cell and GitHub's HTML would interpret. */
function forTable(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
