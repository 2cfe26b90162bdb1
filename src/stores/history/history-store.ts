import { parseJson } from '../../base/parse-json.ts'
import { withoutPerson } from './thread-context.ts'
import type { StoreLog } from '../../base/store-log.ts'
import type { ForgottenPerson, ThreadKey } from '../../base/place.ts'
import { below, forgettingKeys, kvKey, moveKeys, type Kv, type KvKey } from '../kv/kv.ts'
import { withOriginal } from '../runs/question.ts'
import { MAX_TURNS, storedTurn, type History, type Turn } from './types.ts'

interface HistoryOptions {
  log: StoreLog
  /** HISTORY_TTL_DAYS: how long a thread is kept after its last turn. Milliseconds. */
  ttlMs: number
}

/** Keeps the turns of a thread as JSON, in the list `{team:channel:ts}:history`. */
export function createHistory(kv: Kv, { log, ttlMs }: HistoryOptions): History {
  const keyOf = (thread: ThreadKey) => kvKey(thread, 'history')
  return {
    async load(thread) {
      const turns = (await kv.lists.all(keyOf(thread))).slice(-MAX_TURNS).map(parseTurn)
      const corrupt = turns.filter((turn) => turn === undefined).length
      if (corrupt > 0) log.warn({ thread, turns: corrupt }, 'skipped unreadable turns of the history')
      return turns.filter((turn) => turn !== undefined)
    },
    async append(thread, { id, ...rest }) {
      const bounds = { beginning: beginningOf(id), max: MAX_TURNS, ttlMs }
      await kv.lists.append(keyOf(thread), [JSON.stringify({ id, ...rest })], bounds)
    },
    async remove(thread, id) {
      const key = keyOf(thread)
      for (const turn of await kv.lists.all(key))
        if (turn.startsWith(beginningOf(id))) await kv.lists.replace(key, turn)
    },
    async forget(thread) {
      await kv.keys.remove(keyOf(thread))
    },
    async forgetUser(person) {
      for await (const keys of kv.keys.matching(keyOf(below(person.team))))
        await Promise.all(keys.map((key) => forgetPersonIn(kv, key, person)))
    },
    moveChannel: (place, to) =>
      moveKeys(kv, place, to, /^history$/, async (from, to) => {
        const turns = await kv.lists.all(from)
        if (turns.length > 0) await kv.lists.append(to, turns, { beginning: '', max: MAX_TURNS, ttlMs })
        await kv.keys.remove(from)
      }),
    ...forgettingKeys(kv, /^history$/),
  }
}

async function forgetPersonIn(kv: Kv, history: KvKey, person: ForgottenPerson): Promise<void> {
  for (const before of await kv.lists.all(history)) {
    const turn = parseTurn(before)
    const kept = turn && withoutPerson(turn, person)
    // A turn that cannot be read is never shown to anyone, and expires.
    if (turn && kept !== turn) await kv.lists.replace(history, before, kept && JSON.stringify(kept))
  }
}

/** A turn's JSON begins with its id. */
function beginningOf(id: string): string {
  return `{"id":${JSON.stringify(id)},`
}

function parseTurn(text: string): Turn | undefined {
  const turn = storedTurn.safeParse(parseJson(text)).data
  return turn && withOriginal(turn)
}
