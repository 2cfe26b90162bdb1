import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { isObject } from './args.ts'
import { packageRoot } from './playground-root.ts'

/** The bot scopes of a manifest of this project, which its workspace grants. */
export function manifestScopes(name: 'manifest.yml' | 'manifest.agent.yml'): string[] {
  let at: unknown = parse(readFileSync(join(packageRoot(), name), 'utf8'))
  for (const key of ['oauth_config', 'scopes', 'bot']) at = isObject(at) ? at[key] : undefined
  return Array.isArray(at) ? at.map(String) : []
}
