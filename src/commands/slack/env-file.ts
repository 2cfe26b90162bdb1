import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'dotenv'
import { ConfigError } from '../../base/errors.ts'
import { ROOT } from '../../base/package-root.ts'
import type { Installed } from './check-slack.ts'

/** The line that tells the next look where the bot was installed. */
const MARK = /^# npm run slack: team ([A-Z0-9]+)(?:, app ([A-Z0-9]+))?[ \t]*\r?$/m

/** An active line of a name, as dotenv reads it: perhaps with `export`, its value perhaps in quotes and over several lines. */
const line = (name: string) =>
  new RegExp(
    `^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)[ \\t]*(?:'[^']*'|"(?:\\\\.|[^"\\\\])*"|\`[^\`]*\`|[^\\r\\n#]*?)([ \\t]*(?:#[^\\r\\n]*)?)\\r?$`,
    'gm',
  )

/** What the file says when it is read; nothing where there is none. @throws ConfigError where it cannot be read */
export function readEnvFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError(`${path} should be a file that can be read.`)
  }
}

/** What a file that is not there yet begins with: the documented settings, where this place has them. */
export function newEnvFile(): string {
  return readEnvFile(join(ROOT, '.env.example')) ?? ''
}

/** Which app in which workspace the file was last written or looked at for. */
export function installedBefore(text: string): Installed {
  const [, team, app] = MARK.exec(text) ?? []
  return { ...(team && { team }), ...(app && { app }) }
}

/**
 * The text with these settings and all else as it was, comments and line ends included.
 * @throws ConfigError where the text is written in a way that this cannot keep
 */
export function withSettings(text: string, settings: Record<string, string>, installed: Installed): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  let changed = text
  for (const [name, value] of Object.entries(settings)) changed = withSetting(changed, { name, value, end })
  if (installed.team) changed = withMark(changed, installed, end)
  const [expected, found] = [{ ...parse(text), ...settings }, parse(changed)]
  const names = new Set([...Object.keys(expected), ...Object.keys(found)])
  if ([...names].some((name) => expected[name] !== found[name]))
    throw new ConfigError('.env is written in a way that cannot be kept: put the tokens into it by hand.')
  return changed
}

interface Setting {
  name: string
  value: string
  end: string
}

/** In the place of its own line; else below the comment that names it; else at the end. */
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

function withMark(text: string, { team, app }: Installed, end: string): string {
  const mark = `# npm run slack: team ${team}${app ? `, app ${app}` : ''}`
  if (MARK.test(text)) return text.replace(MARK, (old) => (old.endsWith('\r') ? `${mark}\r` : mark))
  const at = line('SLACK_BOT_TOKEN').exec(text)?.index ?? text.length
  return `${text.slice(0, at)}${mark}${end}${text.slice(at)}`
}

/**
 * Writes the file whole or not at all, for its owner's eyes alone; where it is a link, the file behind it.
 * @throws ConfigError where it cannot be written
 */
export function writeEnvFile(path: string, text: string): void {
  const target = existsSync(path) ? realpathSync(path) : path
  const beside = `${target}.${process.pid}.new`
  try {
    writeFileSync(beside, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(beside, target)
  } catch {
    rmSync(beside, { force: true })
    throw new ConfigError(`${path} should be a file that can be written.`)
  }
}
