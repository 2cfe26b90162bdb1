import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { z } from 'zod'
import { ConfigError } from './errors.ts'
import { ROOT } from './package-root.ts'

/** The project's two manifests and their files. */
const FILES = { plain: 'manifest.yml', agent: 'manifest.agent.yml' } as const

type ManifestKind = keyof typeof FILES

/** The scopes, events and commands that our app requests from a workspace. */
export interface AppManifest {
  file: string
  text: string
  /** All bot scopes, including the `optional` ones, which a workspace may decline. */
  scopes: string[]
  optional: string[]
  /** Whether Slack escapes people and channels in the text after a slash command, by command. */
  shouldEscape: Record<string, boolean>
}

const schema = z.object({
  features: z.object({ slash_commands: z.array(z.object({ command: z.string(), should_escape: z.boolean() })) }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()), bot_optional: z.array(z.string()) }) }),
})

/** @throws ConfigError if the file is missing or is not a manifest */
export function readManifest(kind: ManifestKind): AppManifest {
  const file = FILES[kind]
  try {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const { features, oauth_config: oauth } = schema.parse(load(text))
    const commands = features.slash_commands.map(({ command, should_escape: escapes }) => [command, escapes] as const)
    const { bot: scopes, bot_optional: optional } = oauth.scopes
    return { file, text, scopes, optional, shouldEscape: Object.fromEntries(commands) }
  } catch {
    throw new ConfigError(`${file} cannot be read as a manifest. Restore it from the repository.`)
  }
}

/** Every browser and server supports addresses up to this length, in characters. */
const MAX_ADDRESS = 8_000

/**
 * Returns the address of Slack's page that creates an app from a manifest
 * (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests); undefined if the manifest is too long for
 * an address.
 */
export function createAddress({ text }: Pick<AppManifest, 'text'>): string | undefined {
  const bare = text.replaceAll(/^\s*#.*\n/gm, '')
  const address = `https://api.slack.com/apps?new_app=1&manifest_yaml=${encodeURIComponent(bare)}`
  return address.length > MAX_ADDRESS ? undefined : address
}
