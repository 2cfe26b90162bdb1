import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'dotenv'
import { ConfigError } from '../../base/errors.ts'
import { ROOT } from '../../base/package-root.ts'
import type { InstalledIds } from './check-slack.ts'

/** The line that records where the bot was installed, for the next check. */
const MARK = /^# npm run slack: team ([A-Z0-9]+)(?:, app ([A-Z0-9]+))?[ \t]*\r?$/m

/**
 * Matches an active line of a name like dotenv: optional `export`, and a value that may be quoted and span several
 * lines.
 */
const line = (name: string) =>
  new RegExp(
    `^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)[ \\t]*(?:'[^']*'|"(?:\\\\.|[^"\\\\])*"|\`[^\`]*\`|[^\\r\\n#]*?)([ \\t]*(?:#[^\\r\\n]*)?)\\r?$`,
    'gm',
  )

/** Returns the file's text; undefined if it does not exist. @throws ConfigError if it cannot be read */
export function readEnvText(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError(`${path} cannot be read. Check its permissions.`)
  }
}

/** Returns the initial text of a new file: the documented settings, if available. */
export function newEnvFile(): string {
  return readEnvText(join(ROOT, '.env.example')) ?? ''
}

/** Returns the app and workspace that the file records. */
export function installedBefore(text: string): InstalledIds {
  const [, team, app] = MARK.exec(text) ?? []
  return { ...(team && { team }), ...(app && { app }) }
}

/**
 * Returns the text with these settings and everything else unchanged, including comments and line ends.
 * @throws ConfigError if the text has a form that this cannot preserve
 */
export function withSettings(text: string, settings: Record<string, string>, installed: InstalledIds): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  let changed = text
  for (const [name, value] of Object.entries(settings)) changed = withSetting(changed, { name, value, end })
  if (installed.team) changed = withMark(changed, installed, end)
  const [expected, found] = [{ ...parse(text), ...settings }, parse(changed)]
  const names = new Set([...Object.keys(expected), ...Object.keys(found)])
  if ([...names].some((name) => expected[name] !== found[name]))
    throw new ConfigError('.env cannot be edited safely as it is. Put the settings into it by hand.')
  return changed
}

interface Setting {
  name: string
  value: string
  end: string
}

/** Replaces the setting's own line; else inserts it below the comment that names it; else appends it. */
function withSetting(text: string, { name, value, end }: Setting): string {
  const written = /^[\w.-]*$/.test(value) ? value : `'${value}'`
  if (line(name).test(text))
    return text.replace(line(name), (old: string, before: string, after: string) => {
      return `${before}${written}${after}${old.endsWith('\r') ? '\r' : ''}`
    })
  const comment = new RegExp(`^#[ \\t]*${name}=.*$`, 'm').exec(text)
  if (!comment) return `${text}${text === '' || text.endsWith('\n') ? '' : end}${name}=${written}${end}`
  const at = comment.index + comment[0].replace(/\r$/, '').length
  return `${text.slice(0, at)}${end}${name}=${written}${text.slice(at)}`
}

function withMark(text: string, { team, app }: InstalledIds, end: string): string {
  const mark = `# npm run slack: team ${team}${app ? `, app ${app}` : ''}`
  if (MARK.test(text)) return text.replace(MARK, (old) => (old.endsWith('\r') ? `${mark}\r` : mark))
  const at = line('SLACK_BOT_TOKEN').exec(text)?.index ?? text.length
  return `${text.slice(0, at)}${mark}${end}${text.slice(at)}`
}

/**
 * Writes the file atomically, readable only by its owner. If it is a link, replaces the file behind it.
 * @throws ConfigError if it cannot be written
 */
export function writeEnvFile(path: string, text: string): void {
  const target = existsSync(path) ? realpathSync(path) : path
  const beside = `${target}.${process.pid}.new`
  try {
    writeFileSync(beside, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(beside, target)
  } catch {
    rmSync(beside, { force: true })
    throw new ConfigError(`${path} cannot be written. Check its permissions.`)
  }
}
