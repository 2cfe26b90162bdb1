import { parse } from 'dotenv'
import type { Env } from '../../config.ts'
import type { InstalledIds } from './check-slack.ts'
import type { Prompter } from './terminal.ts'
import { installedBefore, newEnvFile, readEnvText, withSettings, writeEnvFile } from './env-file.ts'
import { TOKEN_NAMES, type SlackTokens } from './slack-tokens.ts'

/** The tokens in a `.env`. */
export interface TokenFile {
  /** Returns where the bot was installed when the file was last written. */
  installed(): InstalledIds
  /**
   * Writes the changes, and reports them. `same`: there was nothing to write. `refused`: the person, who is asked
   * before an existing token is replaced, keeps it. Without a prompter, tokens are replaced without asking.
   * @throws ConfigError if the file cannot be written
   */
  keep(tokens: SlackTokens, installed: InstalledIds, prompter?: Prompter): Promise<'written' | 'same' | 'refused'>
  /** Writes other settings, and returns a sentence that says so. @throws ConfigError if the file cannot be written */
  keepSettings(settings: Record<string, string>): string
}

/** `env`: the environment merged with the file; the environment wins. `given`: the tokens in these settings. */
export function tokenFile(path: string, env: Env, given: SlackTokens): TokenFile {
  return {
    installed: () => installedBefore(readEnvText(path) ?? ''),
    async keep(tokens, installed, prompter) {
      const text = readEnvText(path)
      const held = parse(text ?? '')
      const changed = TOKEN_NAMES.filter((name) => (tokens[name] ?? '') !== (given[name] ?? ''))
      // Tokens that are only in the environment stay there.
      if (changed.length === 0 && held['SLACK_BOT_TOKEN'] !== tokens.SLACK_BOT_TOKEN) return 'same'
      const replaced = changed.filter((name) => held[name])
      if (
        replaced.length > 0 &&
        prompter &&
        !(await prompter.confirm(`${path} already has another ${list(replaced)}. Replace it?`, false))
      )
        return 'refused'
      const settings = Object.fromEntries(changed.map((name) => [name, tokens[name] ?? '']))
      const written = withSettings(text ?? newEnvFile(), settings, installed)
      if (written === text) return 'same'
      writeEnvFile(path, written)
      if (changed.length > 0) prompter?.say(`Saved ${list(changed)} in ${path}. Only you can read it (mode 600).`)
      const hidden = changed.filter((name) => env[name] && env[name] !== held[name])
      if (hidden.length > 0)
        prompter?.say(`The environment also sets ${list(hidden)} and overrides ${path}. Unset it there.`)
      return 'written'
    },
    keepSettings(settings) {
      writeEnvFile(path, withSettings(readEnvText(path) ?? newEnvFile(), settings, {}))
      return `Saved ${list(Object.keys(settings))} in ${path}.`
    },
  }
}

function list(names: string[]): string {
  return names.join(' and ')
}
