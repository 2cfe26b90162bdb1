import { parse } from 'dotenv'
import type { Env } from '../../config.ts'
import type { Installed } from './check-slack.ts'
import type { Desk } from './desk.ts'
import { installedBefore, newEnvFile, readEnvFile, withSettings, writeEnvFile } from './env-file.ts'
import { TOKEN_NAMES, type SlackTokens, type TokenName } from './slack-tokens.ts'

export interface Keep {
  installed: Installed
  /** Asked before a token that is there is replaced; without one it is replaced. */
  desk?: Pick<Desk, 'say' | 'confirm'>
}

/** The tokens in a `.env`. */
export interface TokenFile {
  /** Where the bot was installed when the file was last written. */
  installed(): Installed
  /**
   * Writes what has changed, and says so. `same`: there was nothing to write; `refused`: the person keeps what is there.
   * @throws ConfigError where it cannot be written
   */
  keep(tokens: SlackTokens, how: Keep): Promise<'written' | 'same' | 'refused'>
}

export interface TokenFileOptions {
  /** What the environment and the file say together: what the environment sets goes before the file. */
  env: Env
  /** The tokens that these settings give. */
  given: SlackTokens
}

export function tokenFile(path: string, { env, given }: TokenFileOptions): TokenFile {
  return {
    installed: () => installedBefore(readEnvFile(path) ?? ''),
    async keep(tokens, { installed, desk }) {
      const text = readEnvFile(path)
      const held = parse(text ?? '')
      const changed = TOKEN_NAMES.filter((name) => (tokens[name] ?? '') !== (given[name] ?? ''))
      // What the environment alone has stays there.
      if (changed.length === 0 && held['SLACK_BOT_TOKEN'] !== tokens.SLACK_BOT_TOKEN) return 'same'
      const replaced = changed.filter((name) => held[name])
      if (
        replaced.length > 0 &&
        desk &&
        !(await desk.confirm(`${path} has another ${list(replaced)}. Replace?`, false))
      )
        return 'refused'
      const settings = Object.fromEntries(changed.map((name) => [name, tokens[name] ?? '']))
      const written = withSettings(text ?? newEnvFile(), settings, installed)
      if (written === text) return 'same'
      writeEnvFile(path, written)
      if (changed.length > 0) desk?.say(`${path} is written: ${list(changed)}; only you can read it (mode 600).`)
      const hidden = changed.filter((name) => env[name] && env[name] !== held[name])
      if (hidden.length > 0)
        desk?.say(`The environment sets ${list(hidden)} too, and goes before ${path}: unset it there.`)
      return 'written'
    },
  }
}

function list(names: TokenName[]): string {
  return names.join(' and ')
}
