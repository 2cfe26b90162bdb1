/** The runs that wait until a person has connected an account. */
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Person } from '../../base/place.ts'
import type { Account } from '../../mcp/login/connectable-account.ts'
import { personKey, type PeopleStore } from '../../stores/values/people-store.ts'
import type { RunControl } from '../../stores/runs/run-control.ts'

/** The maximum number of runs that wait for one login. */
const MAX_WAITING = 100
const LOCK_MS = 10_000
/** As long as APPROVAL_HOURS may be. */
const WAITING_MS = 720 * 3_600_000

const waitingKey = (account: string) => `waiting:${account}`

/** A suspended step: its run, and the key of its wait. */
export interface WaitingStep {
  thread: string
  id: string
  key: string
}

/** A person's account. */
interface OfPerson {
  person: Person
  account: string
}

/** Notes that a step waits for a login. */
export async function addWaiting(of: OfPerson, step: WaitingStep, people: PeopleStore): Promise<void> {
  await changeWaiting(people, of, (waiting) => [...waiting, step].slice(-MAX_WAITING))
}

/** @returns the steps that waited before the change */
async function changeWaiting(
  people: PeopleStore,
  { person, account }: OfPerson,
  change: (waiting: WaitingStep[]) => WaitingStep[],
): Promise<WaitingStep[]> {
  const store = people.of(personKey(person))
  const key = waitingKey(account)
  return store.lock(key, LOCK_MS, async () => {
    const waiting = ((await store.get(key)) ?? []) as WaitingStep[]
    const next = change(waiting)
    await (next.length > 0 ? store.put(key, next, { ttlMs: WAITING_MS }) : store.remove(key))
    return waiting
  })
}

interface ResumeDeps {
  people: PeopleStore
  control: RunControl
  log: Log
}

/** Resumes every run of the person that waits for this login. */
export async function resumeWaiting(of: OfPerson, { people, control, log }: ResumeDeps): Promise<void> {
  const decision = { outcome: 'answered', by: of.person.user, action: 'accept' } as const
  try {
    const waiting = await changeWaiting(people, of, (steps) => steps)
    for (const { thread, id, key } of waiting) await control.resume({ thread, id }, key, decision)
    const isResumed = ({ id, key }: WaitingStep) => waiting.some((one) => one.id === id && one.key === key)
    await changeWaiting(people, of, (steps) => steps.filter((step) => !isResumed(step)))
  } catch (error) {
    log.error({ account: of.account, error: messageOf(error) }, 'a run that waits for a login could not be resumed')
  }
}

/** Resumes the runs of everybody who has connected the account that they wait for. */
export async function resumeAllWaiting(accounts: readonly Account[], deps: ResumeDeps): Promise<void> {
  const { people } = deps
  for (const person of await people.list())
    for (const { name: account, look } of accounts) {
      if ((await people.of(personKey(person)).get(waitingKey(account))) === undefined) continue
      const login = await look(person).catch(() => undefined)
      if (login) await resumeWaiting({ person, account }, deps)
    }
}
