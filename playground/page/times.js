/** Times in words. A ts is a message's id and its time: seconds since the epoch. */
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

export function dateOf(ts) {
  return new Date(Number(ts) * 1000)
}

export function time(ts) {
  return dateOf(ts).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}

/** Returns "Today", "Yesterday", "Friday, November 20th"; with the year if it is another one. */
export function dayOf(ts, now = new Date()) {
  const date = dateOf(ts)
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (date.toDateString() === now.toDateString()) return 'Today'
  if (date.toDateString() === yesterday.toDateString()) return 'Yesterday'
  const [weekday, month] = [{ weekday: 'long' }, { month: 'long' }].map((part) =>
    date.toLocaleDateString('en-US', part),
  )
  const year = date.getFullYear() === now.getFullYear() ? '' : `, ${date.getFullYear()}`
  return `${weekday}, ${month} ${ordinal(date.getDate())}${year}`
}

function ordinal(n) {
  const isTeen = n > 10 && n < 14
  return `${n}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`
}

/** Returns "just now", "2 minutes ago", "3 days ago". */
export function ago(ts, now = Date.now()) {
  const seconds = Math.max(0, now / 1000 - Number(ts))
  if (seconds < MINUTE) return 'just now'
  if (seconds < HOUR) return count(seconds / MINUTE, 'minute')
  if (seconds < DAY) return count(seconds / HOUR, 'hour')
  return count(seconds / DAY, 'day')
}

function count(number, unit) {
  const whole = Math.floor(number)
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`
}

/**
 * Formats a date in Slack's form, such as `{date_short} at {time}`:
 * https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */
export function formatted(seconds, format = '{date_short_pretty} {time}') {
  const date = dateOf(seconds)
  const day = (options) => date.toLocaleDateString('en-US', options)
  const forms = {
    date_num: () => date.toISOString().slice(0, 10),
    date: () => day({ year: 'numeric', month: 'long', day: 'numeric' }),
    date_short: () => day({ year: 'numeric', month: 'short', day: 'numeric' }),
    date_long: () => day({ year: 'numeric', month: 'long', day: 'numeric', weekday: 'long' }),
    time: () => time(seconds),
    time_secs: () => date.toLocaleTimeString(),
    ago: () => ago(seconds),
  }
  return format.replace(/\{(\w+)\}/g, (whole, name) => {
    const form = forms[name.replace('_pretty', '')]
    const near = name.endsWith('_pretty') && /^(Today|Yesterday)$/.exec(dayOf(seconds))?.[0]
    return near || (form ? form() : whole)
  })
}
