import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { ConfigError } from '../../base/errors.ts'
import { ROOT } from '../../base/package-root.ts'

/** The two manifests of this project, and the file of each. */
const FILES = { plain: 'manifest.yml', agent: 'manifest.agent.yml' } as const

export type ManifestKind = keyof typeof FILES

/** What an app of ours asks a workspace for. */
export interface AppManifest {
  file: string
  text: string
  /** Every scope of the bot, those of `optional` among them, which a workspace may decline. */
  scopes: string[]
  optional: string[]
  /** Whether Slack escapes people and channels in what stands after a slash command, by the command. */
  shouldEscape: Record<string, boolean>
}

const schema = z.object({
  features: z.object({ slash_commands: z.array(z.object({ command: z.string(), should_escape: z.boolean() })) }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()), bot_optional: z.array(z.string()) }) }),
})

/** @throws ConfigError where the file is not there, or is no manifest */
export function readManifest(kind: ManifestKind): AppManifest {
  const file = FILES[kind]
  try {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const { features, oauth_config: oauth } = schema.parse(parse(text))
    const commands = features.slash_commands.map(({ command, should_escape: escapes }) => [command, escapes] as const)
    const { bot: scopes, bot_optional: optional } = oauth.scopes
    return { file, text, scopes, optional, shouldEscape: Object.fromEntries(commands) }
  } catch {
    throw new ConfigError(`${file} should be a manifest that can be read: take it anew from the repository.`)
  }
}

/** Browsers and servers take an address of this many characters; not every one takes more. */
const MAX_ADDRESS = 8_000

/**
 * The page of Slack that makes an app of a manifest (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests);
 * undefined where the manifest is too long for an address.
 */
export function createAddress({ text }: Pick<AppManifest, 'text'>): string | undefined {
  const bare = text.replaceAll(/^\s*#.*\n/gm, '')
  const address = `https://api.slack.com/apps?new_app=1&manifest_yaml=${encodeURIComponent(bare)}`
  return address.length > MAX_ADDRESS ? undefined : address
}
