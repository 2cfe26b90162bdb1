import { WHERE, type TokenName } from './slack-tokens.ts'

/** The meaning of Slack's token errors: https://docs.slack.dev/reference/methods/auth.test, apps.connections.open */
const MEANINGS: Record<string, string> = {
  account_inactive: 'belongs to an app that was removed from its workspace',
  token_revoked: 'was revoked',
  token_expired: 'has expired. Turn off token rotation for the app: the bot does not support it',
  invalid_auth: 'is not valid: revoked, or not copied completely',
  not_authed: 'did not reach Slack',
  not_allowed_token_type: 'is the wrong kind of token',
  access_denied: 'may not be used from this network: the app allows only certain IP addresses',
  no_bot: 'belongs to a person, not to a bot',
}

/** Explains an error. Repeats only Slack's error code, which is a single word. */
export function refusedSentence(error: string, name: TokenName, host: string): string {
  if (error === 'connection') return `Cannot reach ${host}.`
  if (error === 'ratelimited') return `${host} accepts no more calls for now.`
  if (error === 'not_slack' || error === 'http_200') return `${host} answered, but unlike Slack.`
  if (error.startsWith('http_'))
    return `${host} answered with status ${error.slice(5)}, which Slack does not do. Is this really Slack?`
  if (error === 'missing_scope') return `${name} lacks the scope connections:write.`
  const meaning = Object.hasOwn(MEANINGS, error) ? MEANINGS[error] : 'was rejected'
  return `${name} ${meaning} (${error}).`
}

/** Says what to do: the menus by name, and the page of the app if its id is known. */
export function fixFor(error: string, app: string | undefined, name: TokenName): string {
  if (error === 'connection') return 'Check the network; behind a proxy set HTTPS_PROXY.'
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
