/** The time of a prompt, in words, here and elsewhere. */

const ASKED_AT = /^\w{3}, (\d{1,2} \w{3} \d{4}), (\d\d:\d\d) \((.+)\)$/

/**
 * Returns the time of the asker as `clock`, or that of a city that has a time zone of its name. `time` is as prompts
 * have it: `Sun, 29 Nov 2026, 13:30 (Europe/London)`.
 */
export function timeIn(time: string, city: string | undefined): { clock?: string; where?: string } {
  const [, day = '', clock = '', zone = ''] = ASKED_AT.exec(time) ?? []
  if (clock === '') return {}
  if (city === undefined) return { clock, where: zone }
  const name = city.trim().replaceAll(' ', '_').toLowerCase()
  const there = Intl.supportedValuesOf('timeZone').find((one) => one.toLowerCase().endsWith(`/${name}`))
  const written = Date.parse(`${day} ${clock} UTC`)
  if (there === undefined || Number.isNaN(written)) return {}
  return { clock: clockAt(written - (asUtc(written, zone) - written), there), where: there }
}

/** Reads what clocks in a zone show at an instant as if they showed UTC. */
function asUtc(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at)
  return Date.parse(`${parts.replace(',', '')} UTC`)
}

function clockAt(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone }).format(at)
}
