import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { ConfigError } from '../../base/errors.ts'
import { ROOT } from '../../base/package-root.ts'

const schema = z.object({ oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }) })

/** Returns the bot scopes of manifest.yml, which an installation requests. @throws ConfigError if it cannot be read */
export function botScopes(): string[] {
  try {
    return schema.parse(parse(readFileSync(join(ROOT, 'manifest.yml'), 'utf8'))).oauth_config.scopes.bot
  } catch {
    throw new ConfigError('manifest.yml should be a manifest that can be read: take it anew from the repository.')
  }
}
