/** SQL over tables as people keep them: right, or refused with a reason. */
import { expect, test } from 'vitest'
import { queryTables } from '../../../src/files/tables/query-tables.ts'
import { TableLines } from '../../../src/files/tables/table-lines.ts'
import { withoutFooter } from '../../../src/files/tables/table-totals.ts'
import type { SourceTable } from '../../../src/files/tables/types.ts'

/** Rows are divided by `/`, cells by `|`, so that a table stands on one line. */
function table(rows: string, more: Partial<SourceTable> = {}): SourceTable {
  return { name: 't', text: rows.replaceAll(' / ', '\n').replaceAll('|', '\t'), ...more }
}

async function ask(source: SourceTable, sql: string) {
  const outcome = await queryTables({ sql, tables: [source], timeoutMs: 1500 }, Date.now)
  return outcome.result ?? outcome.fault ?? ''
}

async function cells(source: SourceTable, sql: string): Promise<string> {
  const result = await ask(source, sql)
  return typeof result === 'string'
    ? result
    : result.rows.map((row) => row.map((cell) => cell ?? '∅').join('|')).join(' / ')
}

const GERMAN = table('Ort|Betrag / Köln|1.234,56 € / Ulm|2.000,10 € / ÜBERLINGEN|-0,66 €')
const DIVIDED = table('name|done|all / a|1|2 / b|2|3')
const DATES = table('day|n / 13.02.2024|1 / 29.02.2024|2 / 01.03.2024|3 / 02.03.2024|4 / 03.03.2024|5 / 30.02.2024|6')
const ARTICLES = 'a|n / AB 10-11-12|1 / Room 1-2-03|2 / SO 10-11-12|3'
const FRACTIONS = '0 / 1.25 / 12.5 / 3'

test.each<[string, SourceTable, string, string]>([
  ['comma and thousands', GERMAN, 'select sum(Betrag) from t', '3234'],
  ['letters beyond ASCII', GERMAN, "select Betrag from t where lower(ort) = 'überlingen'", '-0.66'],
  ['LIKE beyond ASCII', GERMAN, "select ort from t where ort like 'ü%'", 'ÜBERLINGEN'],
  ['NOCASE beyond ASCII', GERMAN, "select ort from t where ort = 'überlingen' collate nocase", 'ÜBERLINGEN'],
  ['English thousands', table('a|b / x|$1,234.50 / y|$2,000.25'), 'select sum(b) from t', '3234.75'],
  ['a point as thousands beside hundreds', table('a|b / x|850 / y|1.200 / z|2.000'), 'select sum(b) from t', '4050'],
  ['fractions beside 0.000', table('a / 0.000 / 1.250 / 12.500 / 3.000'), 'select a from t order by _row', FRACTIONS],
  ['fractions beside 0,000', table('a / 0,000 / 1,250 / 12,500 / 3,000'), 'select a from t order by _row', FRACTIONS],
  ['apostrophes', table("a|b / x|1'234.50 / y|12'000"), 'select sum(b) from t', '13234.5'],
  ['spaces', table('a|b / x|1 234,5 / y|12 000,0'), 'select sum(b) from t', '13234.5'],
  ['brackets are negative', table('a|b / x|(1,200) / y|200'), 'select sum(b) from t', '-1000'],
  ['a minus behind, and a real minus', table('a|b / x|5- / y|−7'), 'select sum(b) from t', '-12'],
  ['per cent', table('a|b / x|12,5 % / y|7,5 %'), 'select avg(b) from t', '10'],
  ['currencies in front', table('a|b / x|EUR 10 / y|EUR 2.5'), 'select sum(b) from t', '12.5'],
  [
    'units of two kinds have a column',
    table('a|w / x|10 kg / y|500 g'),
    'select w, "w unit" from t order by a',
    '10|kg / 500|g',
  ],
  ['ten times 0.1', table(`a|b${' / x|0.1'.repeat(10)}`), 'select sum(b) from t', '1'],
  ['0.1 + 0.2', table('a|b / 0.1|0.2'), 'select a + b from t', '0.3'],
  ['round as people do', table('a / 1.005 / 2.675'), 'select round(a, 2) from t order by a', '1.01 / 2.68'],
  [
    'ids of 19 digits',
    table('id|n / 1234567890123456789|1 / 1234567890123456788|2'),
    'select id from t where n = 2',
    '1234567890123456788',
  ],
  [
    'ids of 22 digits',
    table('id|n / 1234567890123456789012|1 / 2|2'),
    "select n from t where id = '1234567890123456789012'",
    '1',
  ],
  ['sums beyond 2^53', table('n / 9007199254740993 / 2'), 'select sum(n) from t', '9007199254740995'],
  ['leading zeros stay', table('zip|n / 01067|1 / 80331|2'), "select n from t where zip = '01067'", '1'],
  ['whole numbers divide exactly', DIVIDED, 'select done/"all" from t where name = \'a\'', '0.5'],
  ['a share of counts', DIVIDED, 'select count(case when done > 1 then 1 end) / count(*) from t', '0.5'],
  ['avg of whole numbers', DIVIDED, 'select avg(done) from t', '1.5'],
  ['windows', DIVIDED, 'select name, sum(done) over (order by name) from t order by name', 'a|1 / b|3'],
  [
    'a moving window',
    table('n / 1 / 2 / 4 / 8'),
    'select sum(n) over (order by n rows 1 preceding) from t order by n',
    '1 / 3 / 6 / 12',
  ],
  ['German dates, an impossible one is empty', DATES, "select count(*) from t where day >= '2024-02-29'", '4'],
  [
    'months',
    DATES,
    "select strftime('%m', day) m, sum(n) from t where day is not null group by m order by m",
    '02|3 / 03|12',
  ],
  [
    'month first, as one cell shows',
    table('d|n / 03/04/2024|1 / 12/31/2024|2'),
    'select d from t order by n',
    '2024-03-04 / 2024-12-31',
  ],
  [
    'named months',
    table('d|n / 3 March 2024|1 / 4. Mai 2024|2 / Dec 5, 2024|3'),
    'select d from t order by n',
    '2024-03-03 / 2024-05-04 / 2024-12-05',
  ],
  [
    'times of day',
    table('d|n / 2024-03-01T08:30:00Z|1 / 2024-03-01 9:15 pm|2'),
    'select d from t order by n',
    '2024-03-01 08:30:00 / 2024-03-01 21:15:00',
  ],
  ['yes and no', table('a|ok / x|ja / y|nein / z|ja'), 'select sum(ok) from t', '2'],
  ['words for nothing', table('a|b / x|1 / y|n/a / z|– / w|3'), 'select count(b), avg(b) from t', '2|2'],
  [
    'a title above, a total below',
    table('Sales 2024 / | / city|sum / Oslo|1 / Bergen|2 / Total|3'),
    'select sum("sum") from t',
    '3',
  ],
  ['a repeated heading', table('city|n / Oslo|1 / city|n / Bergen|2'), 'select sum(n), count(*) from t', '3|2'],
  [
    'merged headings',
    table('City|Q1||Q2| / |Plan|Is|Plan|Is / Oslo|1|2|3|4'),
    'select "Q1 Is", "Q2 Plan" from t',
    '2|3',
  ],
  [
    'groups of years above the headings',
    table('|2023||2024| / City|Plan|Is|Plan|Is / Oslo|1|2|3|4 / Ulm|5|6|7|8'),
    'select sum("2023 Is"), sum("2024 Plan") from t',
    '8|10',
  ],
  [
    'merged headings as documents repeat them',
    table('City|2023|2023|2024|2024 / City|Plan|Is|Plan|Is / Oslo|1|2|3|4 / Ulm|5|6|7|8', { repeatsMerged: true }),
    'select City, "2023 Is", "2024 Plan" from t order by City',
    'Oslo|2|3 / Ulm|6|7',
  ],
  [
    'a heading of a sheet that repeats a name above a row of text',
    table('Name|Contact|Contact / Ada|a@x|b@x / Bob|c@x|5'),
    'select Name, Contact, Contact_2 from t order by Name',
    'Ada|a@x|b@x / Bob|c@x|5',
  ],
  ['prices without cents', table("a|b / x|5,- / y|CHF 1'200.–"), 'select sum(b) from t', '1205'],
  ['a sign before a space', table('a|b / x|-1.200,50 € / y|+ 5,5 €'), 'select sum(b) from t', '-1195'],
  [
    'weekdays, and years of two digits',
    table('d|n / Fr, 16.03.2024|1 / 01-Feb-24|2 / Mon 02/12/2024|3 / 13/12/2023|4'),
    'select d from t order by n',
    '2024-03-16 / 2024-02-01 / 2024-12-02 / 2023-12-13',
  ],
  [
    'article numbers behind words are no dates',
    table(ARTICLES),
    'select a from t order by n',
    'AB 10-11-12 / Room 1-2-03 / SO 10-11-12',
  ],
  [
    'a count of sets is no date',
    table('a|n / 1 Set 12|1 / 2 Dec 30|2'),
    'select a from t order by n',
    '1 Set 12 / 2 Dec 30',
  ],
  [
    'weekdays of other languages, and cut months before two digits',
    table("d|n / lunes 1/2/24|1 / mar. 13 mars 24|2 / 3 Sept. 24|3 / Thursday 3 May '24|4 / 5. März 24|5"),
    'select d from t order by n',
    '2024-02-01 / 2024-03-13 / 2024-09-03 / 2024-05-03 / 2024-03-05',
  ],
  ['doubled and blank headings', table('n|N||n / 1|2|3|4'), 'select n, N_2, column3, n_3 from t', '1|2|3|4'],
  ['no heading', table('1|2 / 3|4'), 'select sum(column1), sum(column2) from t', '4|6'],
  ['years as headings', table('city|2023|2024 / Oslo|1|2'), 'select "2023" + "2024" from t', '3'],
  ['numbers in text, read on demand', table('a / x 1 / 1.5 / two / y / z / k'), 'select sum(number(a)) from t', '1.5'],
  ['the row in the file', table('a|b / x|1 / y|2'), 'select _row, a from t order by _row limit 1', '2|x'],
  ['spread and correlation', table('a|b / 1|2 / 2|4 / 3|6'), 'select stddev(a), corr(a, b) from t', '1|1'],
  ['a subquery that SQL names', DIVIDED, 'with big as (select * from t where done > 1) select count(*) from big', '1'],
  ['a workbook has points', table('a|b / x|1.234 / y|2.345', { isExact: true }), 'select sum(b) from t', '3.579'],
])('%s', async (...[, source, sql, expected]) => {
  expect(await cells(source, sql)).toBe(expected)
})

test.each<[string, SourceTable, string, RegExp]>([
  ['empty cells', table('a|b / x|1 / y| / z|3'), 'select sum(b) from t', /^2 of 3 rows of t have a value in "b"\.$/],
  [
    'misfits',
    table('a|b / 1|1 / 2|2 / 3|3 / 4|4 / 5|5 / 6|oops'),
    'select sum(b) from t',
    /1 cell is no whole numbers.*"oops"/,
  ],
  [
    'a date that could be two',
    table('d|n / 03/04/2024|1 / 05/06/2024|2'),
    'select max(d) from t',
    /could be read two ways; it is read with the day first/,
  ],
  [
    'a number that could be two',
    table('a|b / x|1.234 / y|2.345'),
    'select sum(b) from t',
    /1\.234 could be read two ways; it is read as 1\.234/,
  ],
  ['units that differ', table('a|w / x|10 kg / y|500 g'), 'select sum(w) from t', /units differ \(kg 1, g 1\)/],
  [
    'totals',
    table('c|n / a|1 / b|2 / Total|3'),
    'select sum(n) from t',
    /Rows of totals are left out \(row 4: Total 3\)/,
  ],
  [
    'a bare column',
    table('a|b / x|1 / x|2'),
    'select a, b, count(*) from t group by a',
    /depends on the order of the rows/,
  ],
  ['LIMIT without an order', table('a|b / x|1 / y|2'), 'select a from t limit 1', /depends on the order of the rows/],
  [
    'a tie at the limit',
    table('a|b / x|1 / y|1'),
    'select a from t order by b limit 1',
    /depends on the order of the rows/,
  ],
  [
    'a list without an order',
    table('a|b / x|1 / y|1'),
    'select group_concat(a) from t',
    /depends on the order of the rows/,
  ],
])('what may be wrong is said: %s', async (...[, source, sql, expected]) => {
  const result = await ask(source, sql)
  expect(typeof result === 'string' ? [result] : result.notes).toContainEqual(expect.stringMatching(expected))
})

test.each([
  [
    'a group’s total behind its name',
    'Area|Sum / North|1 / North|2 / North Total|3 / South|4 / South Total|4 / Grand Total|7',
  ],
  ['a group’s total before its name', 'Area|Sum / North|1 / North|2 / Summe North|3 / South|4 / Summe South|4'],
  ['a pivot’s total', 'Area|Sum / North|1 / North|2 / South|4 / Gesamtergebnis|7'],
  ['a year behind the word', 'Area|Sum / North|1 / North|2 / South|4 / Summe 2024|7'],
  ['a currency behind the word', 'Area|Sum / North|1 / North|2 / South|4 / TOTAL (EUR):|7'],
  ['a sign', 'Area|Sum / North|1 / North|2 / South|4 / Σ|7'],
  ['an average below it', 'Area|Sum / North|1 / North|2 / South|4 / Total|7 / Average|2.33'],
  ['taxes below it', 'Area|Sum / North|1 / North|2 / South|4 / Zwischensumme|7 / zzgl. 19 % MwSt.|1.33 / Gesamt|8.33'],
  ['a tax below it', 'Area|Sum / North|1 / North|2 / South|4 / Subtotal|7 / VAT (19%)|1.33 / Total|8.33'],
  ['a sum carried over', 'Area|Sum / North|1 / North|2 / Übertrag|3 / Brought forward|3 / South|4'],
  ['no name at all', 'Area|Sum|Note / North|1|x / North|2| / South|4|y / |7|'],
])('a total is no row, and it is said: %s', async (_, rows) => {
  const result = await ask(table(rows), 'select sum("Sum"), count(*) from t')
  expect(result).toMatchObject({ rows: [['7', '3']] })
  expect(JSON.stringify(result)).toContain('Rows of totals are left out (row ')
})

test.each([
  ['a name that begins like a total', 'Film|Sum / Total Recall|1 / Summer|2 / Sum of All Fears|3', '6|3'],
  ['a product of the brand above', 'Product|Brand|Sum / Max|Colgate|1 / Colgate Total|Colgate|2', '3|2'],
  ['a total of something else', 'Film|Sum / North|1 / West Total|2', '3|2'],
  ['a tax among other rows', 'Kind|Sum / Rent|1 / VAT|2 / Tax|3', '6|3'],
  ['a tax as the first row', 'Kind|Sum / Tax|1 / Rent|2 / Food|3', '6|3'],
  ['a transfer among other rows', 'Kind|Sum / Miete|1 / Übertrag|2 / Essen|3', '6|3'],
  ['days carried over among others', 'Kind|Sum / Leave|1 / Carry-over|2 / Sick|3', '6|3'],
  ['a measure among others', 'Measure|Sum / Minimum|1 / Average|2 / Maximum|3', '6|3'],
  ['a last row without a name that is no sum', 'Area|Sum / North|1 / South|2 / |7', '10|3'],
])('a row that only looks like a total stays: %s', async (_, rows, expected) => {
  expect(await cells(table(rows), 'select sum("Sum"), count(*) from t')).toBe(expected)
})

test('a last row without a name is compared with all rows above it once, not once for each column', () => {
  const numbers = Array.from({ length: 300 }, () => '1').join('\t')
  const rows = Array.from({ length: 2000 }, (_, i) => `x${i}\t${numbers}`)
  let looks = 0
  class CountedLines extends TableLines {
    override at(row: number | undefined): string[] {
      looks += 1
      return super.at(row)
    }
  }
  const lines = new CountedLines([...rows, `\t${numbers.replaceAll('1', '2000')}`].join('\n'))
  const notes: string[] = []
  expect(withoutFooter(lines.filled, lines, 301, [], notes)).toHaveLength(2000)
  expect(notes).toEqual([expect.stringContaining('Rows of totals are left out (row 2001: ')])
  expect(looks).toBeLessThan(3000)
})

test.each([
  ['select ort from t -- ; drop table t', 'Köln / Ulm'],
  ['select ort from t; -- done', 'Köln / Ulm'],
  ['select ort from t /* open', 'Köln / Ulm'],
  ['select distinct count(*) from t', '2'],
  ["select count(*) from (select ort, '*' from t union select ort, betrag from t)", '4'],
  ['select count(*) from (select * from t union all select * from t)', '4'],
])('comments end nothing, and stars that compare no rows are read: %s', async (sql, expected) => {
  expect(await cells(table('Ort|Betrag / Köln|1 / Ulm|2'), sql)).toBe(expected)
})

test('a currency behind its millions is a unit', async () => {
  const result = await ask(table('Jahr|Umsatz / 2023|1,2 Mio. € / 2024|3,4 Mio. €'), 'select sum(Umsatz) from t')
  expect(result).toMatchObject({ rows: [['4.6']], notes: expect.arrayContaining(['"Umsatz": in Mio. €.']) })
})

test('a result of SQL or JSON has no rows of totals', async () => {
  const result = table('kind|n / a|1 / sum|2 / total|3 / |6', { hasHeading: true, isExact: true })
  expect(await cells(result, 'select sum(n), count(*) from t')).toBe('12|4')
  const sheet = table('kind|n / a|1 / b|2 / total|3', { isExact: true })
  expect(await cells(sheet, 'select sum(n), count(*) from t')).toBe('3|2')
})

test.each([
  'select name, done from t order by done desc limit 1',
  'select sum(done), count(*), max(name) from t',
  'select name from t',
  'select name, sum(done) from t group by name',
])('what is determined gets no caution: %s', async (sql) => {
  const result = await ask(DIVIDED, sql)
  expect(JSON.stringify(result)).not.toContain('CAUTION')
})

test.each([
  ['select sum(ort) from t', /is text, so it cannot be added up/],
  ['select avg(ort) from t', /is text, so it cannot be added up/],
  ['select ort * 1 from t', /ort is text, so it cannot be calculated with/],
  ['select 2 + t.ort from t', /ort is text/],
  ['select cast(ort as real) from t', /cast\(\) reads "1,234" as 1/],
  ['select * from t where ort > 5', /ort is text: compare it with '5'/],
  ["select * from t where betrag > 'viel'", /betrag has numbers/],
  ['select missing from t', /no such column: missing.*"Ort", "Betrag"/],
  ['select "Köln" from t', /no such column/],
  ['select * from other', /names none of the tables: "t"/],
  ['select count(*) from (select distinct * from t)', /\* also has _row/],
  ['select distinct t.* from t', /\* also has _row/],
  ['select * from t intersect select * from t', /\* also has _row/],
  ['select * from t natural join t as u', /also joins by _row/],
  ['select ort from main.t limit 1', /without main\./],
])('what SQLite would answer wrongly is refused: %s', async (sql, expected) => {
  expect(await ask(GERMAN, sql)).toMatch(expected)
})

test.each([
  'with u as (select ort from t union select ort from t) select * from u',
  'with x as (select * from t) select ort from x union select ort from x',
  'select ort from t where exists (select * from t) union select ort from t',
  'with temp as (select ort from t) select temp.ort from temp',
])('an ordinary query of sets is answered: %s', async (sql) => {
  expect(await ask(GERMAN, sql)).toMatchObject({ rows: expect.anything() })
})

const DATED = table('d|n / 2024-01-31|1')

test.each([
  ["select * from t where d > '31.01.2024'", /'2024-01-31': write the date/],
  ['select * from t where d >= 2024', /d has dates: compare it with text/],
  ['select d + 1 from t', /julianday\(d\)/],
])('dates are compared in one form: %s', async (sql, expected) => {
  expect(await ask(DATED, sql)).toMatch(expected)
})

const HOSTILE = [
  'drop table t',
  'delete from t',
  "insert into t values ('x', 1)",
  'update t set betrag = 0',
  'create table x (a)',
  'create temp table x as select * from t',
  'alter table t rename to u',
  'select 1 from t; drop table t',
  'select 1 from t;;; select 2 from t',
  'select 1 from t; -- x\n delete from t',
  'with x as (select 1) delete from t',
  'with x as (select 1) insert into t select 1, 2',
  'with x as (select 1) update t set betrag = 1',
  "attach 'x.db' as x",
  "vacuum into '/tmp/t.db'",
  'pragma table_info(t)',
  'explain select * from t',
  'explain query plan select * from t',
  'begin',
  'commit',
  'savepoint t',
  'reindex',
  'analyze t',
  'select * from sqlite_master, t',
  'select * from sqlite_schema, t',
  'select * from main.sqlite_schema, t',
  'select * from sqlite_temp_master, t',
  "select * from pragma_table_info('t')",
  'select * from pragma_database_list, t',
  'select * from pragma_compile_options, t',
  'select * from dbstat, t',
  'select * from sqlite_stmt, t',
  "select * from json_each('[1]'), t",
  "select * from json_tree('[1]'), t",
  "select load_extension('x') from t",
  "select readfile('/etc/passwd') from t",
  "select writefile('/tmp/x', 'x') from t",
  "select edit('x') from t",
  'select randomblob(1000000000) from t',
  'select zeroblob(1000000000) from t',
  'select random() from t',
  'select sqlite_version() from t',
  "select fts5(1), 't' from t",
  'select sqlite_source_id() from t',
  'select sqlite_compileoption_get(1) from t',
  'select last_insert_rowid() from t',
  'select changes() from t',
  "replace into t values ('x', 1)",
  '/* select */ drop table t',
  '-- select\ndrop table t',
  ') select 1 from t',
  "select '",
  'select "',
  '',
]

test.each(HOSTILE)('hostile SQL does nothing: %s', async (sql) => {
  expect(await ask(GERMAN, sql)).toMatch(/^(?:Only |The SQL names none|SQLite: )/)
})

const HEAVY = [
  'with recursive r(x) as (select 1 union all select x + 1 from r) select count(*) from r, t',
  'with recursive r(x) as (select 1 union all select x + 1 from r) select sum(x) from r, t',
  "with recursive r(x) as (select 'a' union all select x || x from r) select max(length(x)) from r, t",
  "select replace(printf('%.*c', 900000, 'a'), 'a', 'aaaaaaaaaa') from t",
  `select count(*) from ${Array.from({ length: 30 }, (_, i) => `t t${i}`).join(', ')}`,
  "select hex(printf('%.*c', 900000, 'a')) from t",
  `select ${'('.repeat(5000)}1${')'.repeat(5000)} from t`,
  `select 1 from t where ${'betrag = 1 or '.repeat(600)} betrag = 2`,
  `select 1 from t ${'union select 1 from t '.repeat(300)}`,
  `select 1 from t where ort like '${'%a'.repeat(2000)}'`,
]

test.each(HEAVY.map((sql): [string, string] => [sql.slice(0, 80), sql]))(
  'SQL that takes too much ends: %s',
  async (_, sql) => {
    const from = performance.now()
    expect(await ask(GERMAN, sql)).toMatch(/too long|too much memory|took more than|SQLite: |Only SELECT/)
    expect(performance.now() - from).toBeLessThan(15_000)
  },
)

test('a table is described with its columns, types, values and first rows', async () => {
  const { described } = await queryTables({ tables: [GERMAN], timeoutMs: 1000 }, Date.now)
  expect(described).toContain('Table "t", 3 rows:\n- "Ort" text\n- "Betrag" numbers\nFirst rows:\nKöln | 1234.56')
  expect(described).toContain('"Betrag": in €.')
})
