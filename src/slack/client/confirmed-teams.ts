import { z } from 'zod'
import { TransientError } from '../../base/errors.ts'
import { Pace } from '../../base/token-bucket.ts'
import type { Installation, Installations } from './installations.ts'
import { ifRefused } from './slack-errors.ts'
import { pagesOf } from './web-api.ts'

const listSchema = z.object({ teams: z.array(z.object({ id: z.string() })) })
const botSchema = z.object({ user: z.object({ enterprise_user: z.object({ teams: z.array(z.string()) }) }) })

/** The largest page of `auth.teams.list`, and the most pages that are read. */
const PAGE = 1_000
const MAX_PAGES = 50
/** A team is checked again after this time, in milliseconds. */
const CHECKED_MS = 60 * 60_000
/** How often Slack is asked about unknown teams, whatever is delivered. It allows 20 such calls a minute. */
const CHECKS = { burst: 10, everyMs: 6_000 }

/**
 * The installations of an organisation's token. It accepts any team id, so only teams that Slack confirms are served:
 * a signed delivery may name another company's. `isOthers` returns whether another app of SLACK_APPS is installed in
 * the team itself.
 */
export async function confirmedTeamsOnly(
  base: Installations,
  now: () => number,
  isOthers: (team: string) => boolean = () => false,
): Promise<Installations> {
  const { defaultTeam } = base
  /** The teams that were its own, with the time of the last check. They stay, so that their data can be deleted. */
  const known = new Map<string, number>()
  let listing: Promise<boolean> | undefined
  const checks = new Pace({ ...CHECKS, now })
  const list = async () => {
    const home = await base.of(defaultTeam)
    const listed = home && (await listTeams(home))
    for (const team of listed ?? []) known.set(team, now())
    return listed !== undefined
  }
  const isFresh = (team: string) => now() - (known.get(team) ?? -Infinity) < CHECKED_MS
  /** @throws if Slack does not say */
  const ask = async (team: string) => {
    listing ??= list().finally(() => (listing = undefined))
    const isListed = await listing
    if (isListed || isFresh(team)) return isFresh(team)
    const there = await base.of(team)
    if (!there || !(await saysItIsOwn(there))) return false
    known.set(team, now())
    return true
  }
  const isOwn = async (team: string) => {
    if (isFresh(team)) return true
    // A team that was its own a moment ago is still served; an unknown one waits.
    if (!listing && !checks.take('')) return known.has(team)
    try {
      return await ask(team)
    } catch (error) {
      if (known.has(team)) return true
      throw new TransientError(`Slack does not tell whether ${team} is a workspace of the organisation.`, {
        cause: error,
      })
    }
  }
  // Once the app is removed, Slack no longer tells which teams it had.
  await list().catch(() => undefined)
  return {
    ...base,
    async of(team) {
      if (team === defaultTeam) return base.of(team)
      if (!/^T/.test(team) || isOthers(team) || !(await isOwn(team))) return undefined
      return base.of(team)
    },
    teams: () => [defaultTeam, ...known.keys()].filter((team) => !isOthers(team)),
  }
}

/** Returns the organisation's teams. Undefined if Slack refuses. @throws if Slack does not answer */
async function listTeams({ client }: Installation): Promise<string[] | undefined> {
  const list = async () => {
    const teams: string[] = []
    for await (const page of pagesOf(client, 'auth.teams.list', { limit: PAGE }, { effort: 'once' }, MAX_PAGES)) {
      const { data } = listSchema.safeParse(page)
      if (!data) return undefined
      teams.push(...data.teams.map(({ id }) => id))
    }
    return teams
  }
  return answered(list())
}

/** Asks where the bot itself is, if Slack refuses the list. */
async function saysItIsOwn({ client, identity: { team, botUser } }: Installation): Promise<boolean> {
  const bot = botSchema.safeParse(await answered(client.call('users.info', { user: botUser }, { effort: 'once' }))).data
  return bot?.user.enterprise_user.teams.includes(team) === true
}

/** Resolves to undefined if Slack refuses the call. @throws if it does not answer, or with a transient fault */
async function answered<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch(
    ifRefused((refusal) => {
      if (refusal.code === 'ratelimited') throw refusal
      return undefined
    }),
  )
}
