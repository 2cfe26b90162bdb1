const SLACK_HOSTS = /(?:^|\.)slack(?:-gov|-files)?\.com$/

/** Returns the address, normalized as it was checked; undefined unless it is at Slack or at the server of `apiUrl`. */
export function addressAtSlack(address: string, apiUrl: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') return undefined
  const isSlacks = url.protocol === 'https:' && url.port === '' && SLACK_HOSTS.test(url.hostname)
  return isSlacks || url.origin === new URL(apiUrl).origin ? url.href : undefined
}
