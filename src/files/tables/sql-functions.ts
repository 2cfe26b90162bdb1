/** The functions of SQL that replace SQLite's, where SQLite's are silently wrong, and those that it lacks. */
import type { Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { messageOf } from '../../base/errors.ts'
import { ExactSum, roundExactly } from './exact-sum.ts'
import { decimalOf, sqlNumber, plainDigits, writtenNumber } from './numbers.ts'
import type { SqlCell } from './types.ts'

/** Every function that SQL may call. */
export const SQL_FUNCTIONS = new Set(
  `abs acos asin atan atan2 avg ceil ceiling char coalesce concat concat_ws corr cos count cume_dist date datetime degrees
dense_rank exp first_value floor format glob group_concat string_agg hex if ifnull iif instr julianday lag last_value lead length like ln log
log10 log2 lower ltrim max median min mod nth_value ntile nullif number percent_rank percentile percentile_cont percentile_disc pi
pow power printf quote radians rank replace round row_number rtrim sign sin sqrt stddev strftime substr substring sum tan time
timediff total trim trunc typeof unicode unixepoch upper variance`.split(/\s+/),
)

interface AggregateState {
  add(values: SqlCell[], sign: 1 | -1): void
}

export function addFunctions(sqlite: Sqlite3Static, db: Database): void {
  addAggregates(sqlite, db)
  addScalars(sqlite, db)
  addCollation(sqlite, db)
}

function addScalars({ capi }: Sqlite3Static, db: Database): void {
  const textual = capi.SQLITE_UTF8 | capi.SQLITE_DETERMINISTIC
  const scalar = (name: string, count: number, call: (...values: SqlCell[]) => SqlCell) => {
    const run = (_: unknown, ...values: unknown[]) => call(...(values as SqlCell[])) as never
    capi.sqlite3_create_function(db.pointer!, name, count, textual as never, 0, run, 0, 0)
  }
  scalar('lower', 1, (text = null) => (text === null ? null : String(text).toLowerCase()))
  scalar('upper', 1, (text = null) => (text === null ? null : String(text).toUpperCase()))
  scalar('like', 2, (pattern, text) => isLike(pattern, text))
  scalar('like', 3, (pattern, text, escape) => isLike(pattern, text, escape))
  scalar('number', 1, numberIn)
  for (const count of [1, 2]) scalar('round', count, (value = null, digits = 0) => rounded(value, digits))
}

/** Compares text without case, for all letters. */
function addCollation({ capi, wasm }: Sqlite3Static, db: Database): void {
  const textAt = (at: number, length: number) => String(Buffer.from(wasm.heap8u().slice(at, at + length))).toLowerCase()
  const compare = (...[, length, a, otherLength, b]: [unknown, number, number, number, number]) => {
    const [one, two] = [textAt(a, length), textAt(b, otherLength)]
    return one < two ? -1 : one > two ? 1 : 0
  }
  capi.sqlite3_create_collation_v2(db.pointer!, 'NOCASE', capi.SQLITE_UTF8, 0, compare as never, 0)
}

function addAggregates(sqlite: Sqlite3Static, db: Database): void {
  const sums = () => new ExactSum()
  const moments = () => new Moments()
  const add = <State extends AggregateState>(
    name: string,
    count: number,
    begin: () => State,
    value: (of: State) => SqlCell,
  ) => addAggregate(sqlite, db, [name, count], begin, value)
  add('sum', 1, sums, ({ sum }) => sum)
  add('total', 1, sums, ({ sum }) => sum ?? 0)
  add('avg', 1, sums, ({ average }) => average)
  add('stddev', 1, moments, ({ deviation }) => deviation)
  add('variance', 1, moments, ({ variance }) => variance)
  add('corr', 2, moments, ({ correlation }) => correlation)
}

/** Called for every row, so it bypasses the package's conversions, which take longer than adding does. */
function addAggregate<State extends AggregateState>(
  sqlite: Sqlite3Static,
  db: Database,
  [name, count]: [string, number],
  begin: () => State,
  valueOf: (state: State) => SqlCell,
): void {
  const { capi, wasm } = sqlite
  const raw = wasm.exports as unknown as RawValues
  const states = new Map<number, State>()
  const stateOf = (context: number) => {
    const key = raw.sqlite3_aggregate_context(context, 8)
    let state = states.get(key)
    if (state === undefined) states.set(key, (state = begin()))
    return state
  }
  const takes = (sign: 1 | -1) =>
    wasm.installFunction('v(pip)', (context: number, count: number, values: number) => {
      try {
        stateOf(context).add(valuesAt(sqlite, count, values), sign)
      } catch (error) {
        capi.sqlite3_result_error(context as never, messageOf(error), -1)
      }
    })
  const final = (context: never) => {
    const state = stateOf(context)
    states.delete(raw.sqlite3_aggregate_context(context, 8))
    return valueOf(state) as never
  }
  const value = (context: never) => valueOf(stateOf(context)) as never
  const calls = [takes(1), final, value, takes(-1)] as unknown as [never, never, never, never]
  capi.sqlite3_create_window_function(db.pointer!, name, count, capi.SQLITE_UTF8, 0, ...calls, 0)
}

interface RawValues {
  sqlite3_aggregate_context(context: number, bytes: number): number
  sqlite3_value_type(value: number): number
  sqlite3_value_double(value: number): number
  sqlite3_value_int64(value: number): bigint
}

function valuesAt(sqlite: Sqlite3Static, count: number, values: number): SqlCell[] {
  const heap = sqlite.wasm.heap32u()
  const cells: SqlCell[] = []
  for (let i = 0; i < count; i += 1) cells.push(valueAt(sqlite, heap[values / 4 + i] ?? 0))
  return cells
}

function valueAt({ capi, wasm }: Sqlite3Static, value: number): SqlCell {
  const raw = wasm.exports as unknown as RawValues
  const type = raw.sqlite3_value_type(value)
  if (type === capi.SQLITE_NULL) return null
  if (type === capi.SQLITE_FLOAT) return raw.sqlite3_value_double(value)
  if (type !== capi.SQLITE_INTEGER) return capi.sqlite3_value_text(value as never) ?? ''
  const near = raw.sqlite3_value_double(value)
  return Number.isSafeInteger(near) ? near : raw.sqlite3_value_int64(value)
}

function numberIn(cell?: SqlCell): SqlCell {
  if (typeof cell !== 'string') return cell ?? null
  const written = writtenNumber(cell.trim())
  const plain = written && plainDigits(written.digits, decimalOf(written.digits) ?? 'point')
  return written && plain !== undefined ? (sqlNumber(plain, written) ?? null) : null
}

function rounded(value: SqlCell, digits: SqlCell): SqlCell {
  if (typeof value === 'string') throw new Error(`"${value.slice(0, 40)}" is text, so it cannot be rounded`)
  return typeof value === 'number' ? roundExactly(value, Number(digits ?? 0)) : value
}

const MAX_PATTERN = 200

/** SQL's LIKE for all letters, not only those of ASCII. */
function isLike(pattern: SqlCell = null, text: SqlCell = null, escape: SqlCell = null): SqlCell {
  if (pattern === null || text === null) return null
  const wanted = [...String(pattern).toLowerCase()]
  if (wanted.length > MAX_PATTERN) throw new Error(`A pattern of LIKE has at most ${MAX_PATTERN} characters`)
  const given = [...String(text).toLowerCase()]
  let [p, t, star, from] = [0, 0, -1, 0]
  while (t < given.length) {
    const isEscaped = escape !== null && wanted[p] === escape
    const sign = isEscaped ? wanted[p + 1] : wanted[p]
    if (!isEscaped && sign === '%') [star, from, p] = [p, t, p + 1]
    else if (sign !== undefined && (sign === given[t] || (!isEscaped && sign === '_')))
      [p, t] = [p + (isEscaped ? 2 : 1), t + 1]
    else if (star < 0) return 0
    else [p, from, t] = [star + 1, from + 1, from + 1]
  }
  return wanted.slice(p).every((sign) => sign === '%') ? 1 : 0
}

/** Sums for the spread and the correlation of a sample (Welford is not needed: values are shifted by the first one). */
class Moments {
  #n = 0
  #x = 0
  #y = 0
  #xx = 0
  #yy = 0
  #xy = 0
  #from: [number, number] | undefined

  /** Two values are correlated; one is its own pair. */
  add([a = null, b = a]: SqlCell[], sign: number): void {
    if (a === null || b === null) return
    if (typeof a === 'string' || typeof b === 'string')
      throw new Error('Text has no spread. number(…) reads the numbers in a text')
    this.#from ??= [Number(a), Number(b)]
    const [x, y] = [Number(a) - this.#from[0], Number(b) - this.#from[1]]
    this.#n += sign
    this.#x += sign * x
    this.#y += sign * y
    this.#xx += sign * x * x
    this.#yy += sign * y * y
    this.#xy += sign * x * y
  }

  get variance(): number | null {
    return this.#n < 2 ? null : Number(((this.#xx - this.#x ** 2 / this.#n) / (this.#n - 1)).toPrecision(12))
  }

  get deviation(): number | null {
    const { variance } = this
    return variance === null ? null : Number(Math.sqrt(Math.max(0, variance)).toPrecision(12))
  }

  get correlation(): number | null {
    const spread = (this.#xx - this.#x ** 2 / this.#n) * (this.#yy - this.#y ** 2 / this.#n)
    return this.#n < 2 || spread <= 0
      ? null
      : Number(((this.#xy - (this.#x * this.#y) / this.#n) / Math.sqrt(spread)).toPrecision(12))
  }
}
