/**
 * The clock of the playground's bot, which a switch of the page moves forward, so that schedules can be seen to run.
 */
import { nextTimes } from '../../src/schedules/when.ts'

const DAY_MS = 86_400_000
/** Every morning, in the time zone of the local workspace's people. */
const MORNING = { kind: 'cron', cron: '0 9 * * *', zone: 'Europe/London' } as const

/** Schedules of one time are spread over a minute, so all of them are due after it. */
const SPREAD_MS = 60_000

interface MovedClock {
  now(): Date
  /** Moves it to 9:00 tomorrow, or back to the real time. */
  toTomorrow(isOn: boolean): void
  aDayLater(): void
}

export function movedClock(): MovedClock {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    toTomorrow(isOn) {
      const real = Date.now()
      const [next = real] = nextTimes(MORNING, real, 1)
      ahead = isOn ? next - real + SPREAD_MS : 0
    },
    aDayLater: () => void (ahead += DAY_MS),
  }
}
