const SLACK_HOSTS = /(?:^|\.)slack(?:-gov|-files)?\.com$/

/** The address as it is judged, which is the one that is used; undefined where it is neither Slack's nor at `apiUrl`'s server. */
export function addressAtSlack(address: string, apiUrl: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') return undefined
  const isSlacks = url.protocol === 'https:' && url.port === '' && SLACK_HOSTS.test(url.hostname)
  return isSlacks || url.origin === new URL(apiUrl).origin ? url.href : undefined
}
