/** The time by Slack's own clock, which its events have too. Ours may differ. */
interface SlackClock {
  fetch: typeof globalThis.fetch
  /** Returns when Slack last answered, in milliseconds since the epoch, to the second; our time if it has not said. */
  time(): number
}

/** Wraps `fetch`: an HTTP response says when it was made (RFC 9110, 6.6.1). */
export function slackClock(options: { now: () => number; fetch?: typeof globalThis.fetch | undefined }): SlackClock {
  let answeredAt = NaN
  return {
    async fetch(...args) {
      const response = await (options.fetch ?? globalThis.fetch)(...args)
      answeredAt = Date.parse(response.headers.get('date') ?? '')
      return response
    },
    time: () => (Number.isNaN(answeredAt) ? options.now() : answeredAt),
  }
}
