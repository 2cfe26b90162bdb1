import { z } from 'zod'
import { parseJson } from '../../base/parse-json.ts'
import { isOf, type ThreadKey } from '../../base/place.ts'
import { below, changeText, forgettingKeys, kvKey, moveKeys, type Kv, type KvKey } from '../kv/kv.ts'
import { grantSchema, MAX_GRANTS, type Grant, type ThreadState, type ThreadStates } from './types.ts'

/** The parts of a state, and their keys' names. */
const NAMES: Record<keyof ThreadState, string> = {
  muted: 'muted',
  title: 'title',
  renamed: 'renamed',
  lookingAt: 'looking-at',
  grants: 'grants',
  movedTo: 'moved-to',
  ownTeams: 'own-teams',
}

/** Keeps states as one text per part, `{team:channel:ts}:title`, so that no part overwrites another. */
export function createThreadStates(kv: Kv, expiry: { ttlMs: number }): ThreadStates {
  const names = new RegExp(`^(?:${Object.values(NAMES).join('|')})$`)
  const keysOf = (thread: ThreadKey) => Object.values(NAMES).map((name) => kvKey(thread, name))
  const changeGrants = (key: KvKey, change: (grants: Grant[]) => Grant[]) =>
    changeText(kv, key, (text) => {
      const grants = change(grantsIn(text))
      const after = grants.length > 0 ? JSON.stringify(grants.slice(-MAX_GRANTS)) : undefined
      return after === text ? undefined : { after, ...expiry }
    })
  return {
    async load(thread) {
      const [muted, title, renamed, lookingAt, grants, movedTo, ownTeams] = await kv.texts.getAll(keysOf(thread))
      return stateOf({ muted, title, renamed, lookingAt, grants, movedTo, ownTeams })
    },
    async patch(thread, { lookingAt, ownTeams, grants: added, ...parts }) {
      const texts = {
        ...parts,
        lookingAt: lookingAt && `${lookingAt.channel} ${lookingAt.at}`,
        ownTeams: ownTeams && [ownTeams.at, ...ownTeams.teams].join(' '),
      }
      const set = Object.entries(texts).map(async ([part, value]) => {
        const name = NAMES[part as keyof typeof texts]
        if (value !== undefined) await kv.texts.put(kvKey(thread, name), String(value), expiry)
      })
      const isReplaced = ({ tool, by }: Grant) => added?.some((grant) => grant.tool === tool && grant.by === by)
      const granted =
        added &&
        changeGrants(kvKey(thread, NAMES.grants), (before) => [
          ...before.filter((grant) => !isReplaced(grant)),
          ...added,
        ])
      await Promise.all([...set, granted])
    },
    async forget(thread) {
      await kv.keys.remove(...keysOf(thread))
    },
    async forgetUser(person) {
      // Only people here can grant anything.
      for await (const keys of kv.keys.matching(kvKey(below(person.team), NAMES.grants)))
        for (const key of keys) await changeGrants(key, (all) => all.filter(({ by }) => !isOf(person, { user: by })))
    },
    moveChannel: (place, to) =>
      moveKeys(kv, place, to, names, async (from, to) => {
        const after = await kv.texts.get(from)
        if (after !== undefined) await kv.swap(to, { before: undefined, after, ...expiry })
        await kv.keys.remove(from)
      }),
    ...forgettingKeys(kv, names),
  }
}

type StoredThreadState = Partial<Record<keyof ThreadState, string | undefined>>

/** An unreadable part counts as never set. */
function stateOf({ muted, title, renamed, lookingAt, grants, movedTo, ownTeams }: StoredThreadState): ThreadState {
  const granted = grantsIn(grants)
  const [, channel, at] = /^([CGD][A-Z0-9]{1,20}) (\d{1,16})$/.exec(lookingAt ?? '') ?? []
  const [, toldAt, teams] = /^(\d{1,16}) (T[A-Z0-9]+(?: T[A-Z0-9]+)*)$/.exec(ownTeams ?? '') ?? []
  return {
    ...(channel ? { lookingAt: { channel, at: Number(at) } } : {}),
    ...flagOf('muted', muted),
    ...(title ? { title } : {}),
    ...flagOf('renamed', renamed),
    ...(granted.length > 0 ? { grants: granted } : {}),
    ...(movedTo ? { movedTo } : {}),
    ...(teams ? { ownTeams: { teams: teams.split(' '), at: Number(toldAt) } } : {}),
  }
}

const grantsSchema = z.array(grantSchema)

function grantsIn(stored: string | undefined): Grant[] {
  return grantsSchema.safeParse(parseJson(stored)).data ?? []
}

function flagOf<Name extends string>(name: Name, stored: string | undefined): Partial<Record<Name, boolean>> {
  const flags: Partial<Record<Name, boolean>> = {}
  if (stored === 'true' || stored === 'false') flags[name] = stored === 'true'
  return flags
}
