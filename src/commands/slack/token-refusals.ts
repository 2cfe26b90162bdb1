import { WHERE, type TokenName } from './slack-tokens.ts'

/** What Slack's token errors mean: https://docs.slack.dev/reference/methods/auth.test, apps.connections.open */
const MEANINGS: Record<string, string> = {
  account_inactive: 'is of an app that was removed from its workspace',
  token_revoked: 'was revoked',
  token_expired: 'has expired: the app’s tokens rotate, which the bot does not follow',
  invalid_auth: 'is not known to Slack: revoked, or not copied whole',
  not_authed: 'did not arrive at Slack',
  not_allowed_token_type: 'is of another kind than it should be',
  access_denied: 'may not be used from this network: the app has a list of addresses',
  no_bot: 'is of a person, not of a bot',
}

/** Explains an error. Repeats only Slack's error code, which is a single word. */
export function refusedSentence(error: string, { name, host }: { name: TokenName; host: string }): string {
  if (error === 'connection') return `${host} could not be reached.`
  if (error === 'ratelimited') return `${host} takes no more calls for now.`
  if (error.startsWith('http_')) return `${host} answered with the status ${error.slice(5)}, not as Slack does.`
  if (error === 'not_slack') return `${host} answered, but not as Slack does.`
  if (error === 'missing_scope') return `${name} is without the scope connections:write.`
  const meaning = Object.hasOwn(MEANINGS, error) ? MEANINGS[error] : 'is not taken'
  return `${name} ${meaning} (${error}).`
}

/** Says what to do: the menus by name, and the page of the app if its id is known. */
export function fixFor(error: string, { app, name }: { app: string | undefined; name: TokenName }): string {
  if (error === 'connection') return 'Check the network; behind a proxy set HTTPS_PROXY. Nothing else can be said yet.'
  if (/^(?:ratelimited|not_slack|http_)/.test(error))
    return 'Try again in a minute; check SLACK_API_URL and HTTPS_PROXY.'
  const page = (path: string) =>
    app ? `https://api.slack.com/apps/${app}/${path}` : 'https://api.slack.com/apps, then the app'
  if (name === 'SLACK_APP_TOKEN') return `Open ${page('general')}: ${WHERE.SLACK_APP_TOKEN}.`
  if (error === 'missing_scope')
    return (
      `Open ${page('oauth')}: OAuth & Permissions → Scopes → Bot Token Scopes → Add an OAuth Scope ` +
      '(or paste the new manifest into App Manifest), then Install App → Reinstall to Workspace.'
    )
  return `Open ${page('oauth')}: Install App → Install to Workspace, then ${WHERE[name]}.`
}
