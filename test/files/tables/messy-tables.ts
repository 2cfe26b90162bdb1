/** Twelve tables as people keep them, each with ten questions: the right SQL, and the answer worked out without SQL. */
import type { SourceTable } from '../../../src/files/tables/types.ts'

export interface MessyTable {
  about: string
  table: SourceTable
  /** SQL and its rows: cells divided by `|`, rows by ` / `, an empty cell as `∅`. */
  questions: [sql: string, rows: string][]
}

/** Rows are divided by ` / `, cells by `|`. */
function written(rows: string, more: Partial<SourceTable> = {}): SourceTable {
  return { name: 't', text: rows.replaceAll(' / ', '\n').replaceAll('|', '\t'), ...more }
}

const GERMAN: MessyTable = {
  about: 'German numbers, dates and a total',
  table: written(
    'Umsatzliste 2024||| / ||| / Ort|Datum|Umsatz|Anteil / Köln|03.01.2024|1.234,56 €|12,5 % / Ulm|13.02.2024|-200,10 €|7,25 % / München|29.02.2024|12.000,00 €|50 % / Überlingen|01.03.2024||0,5 % / Köln|30.02.2024|0,44 €|k.A. / Summe||13.034,90 €|',
  ),
  questions: [
    ['select sum(Umsatz) from t', '13034.9'],
    ['select count(*) from t', '5'],
    ['select count(Umsatz) from t', '4'],
    ["select sum(Umsatz) from t where Ort = 'Köln'", '1235'],
    ['select avg(Anteil) from t', '17.5625'],
    ['select max(Datum) from t', '2024-03-01'],
    ['select count(*) from t where Datum is null', '1'],
    ["select Ort from t where Datum between '2024-02-01' and '2024-02-29' order by Datum", 'Ulm / München'],
    ["select Ort from t where lower(Ort) like 'ü%'", 'Überlingen'],
    ['select Ort, sum(Umsatz) s from t group by Ort having s > 0 order by s desc', 'München|12000 / Köln|1235'],
  ],
}

const ENGLISH: MessyTable = {
  about: 'English numbers with currencies, brackets and a footnote',
  table: written(
    'Account|Booked|Amount|Rate / Rent|01/15/2024|$1,200.00|5% / Refund|01/16/2024|($300.50)|2.5% / Sales|02/01/2024|$10,000.25|0.75% / Fees|12/31/2023|-45.5|n/a / Gift|02/02/2024|USD 7|1% / * unaudited|||',
  ),
  questions: [
    ['select sum(Amount) from t', '10861.25'],
    ['select count(*) from t', '5'],
    ['select min(Amount), max(Amount) from t', '-300.5|10000.25'],
    ['select Account from t where Amount < 0 order by Amount', 'Refund / Fees'],
    ['select min(Booked), max(Booked) from t', '2023-12-31|2024-02-02'],
    ["select sum(Amount) from t where strftime('%Y', Booked) = '2024'", '10906.75'],
    ['select avg(Rate) from t', '2.3125'],
    ['select count(Rate) from t', '4'],
    ['select round(sum(Amount) / count(*), 2) from t', '2172.25'],
    [
      'select substr(Booked, 1, 7) m, sum(Amount) from t group by m order by m',
      '2023-12|-45.5 / 2024-01|899.5 / 2024-02|10007.25',
    ],
  ],
}

const DATES: MessyTable = {
  about: 'dates of four forms in one column',
  table: written(
    'id|when|n / 1|2024-01-31|1 / 2|13.02.2024|2 / 3|3 March 2024|3 / 4|04/15/2024|4 / 5|Apr 5, 2024|5 / 6|2024-05-01 13:30|6 / 7|31.06.2024|7 / 8||8 / 9|soon|9 / 10|2. Mai 2024|10 / 11|2024-12-24|11 / 12|24.12.2023|12',
  ),
  questions: [
    ['select "when" from t where id = 2', '2024-02-13'],
    ['select "when" from t where id in (3, 4, 5) order by id', '2024-03-03 / 2024-04-15 / 2024-04-05'],
    ['select "when" from t where id = 6', '2024-05-01 13:30:00'],
    ['select count(*) from t where "when" is null', '3'],
    ['select id from t where "when" is null order by id', '7 / 8 / 9'],
    ['select sum(n) from t where "when" >= \'2024-04\' and "when" < \'2024-06\'', '25'],
    ['select min("when"), max("when") from t', '2023-12-24|2024-12-24'],
    [
      'select strftime(\'%m\', "when") m, count(*) from t where "when" is not null group by m order by m limit 3',
      '01|1 / 02|1 / 03|1',
    ],
    ['select julianday(max("when")) - julianday(min("when")) from t', '366'],
    ['select id from t where date("when") = \'2024-05-01\'', '6'],
  ],
}

const MERGED: MessyTable = {
  about: 'merged headings over two rows',
  table: written(
    'Region|Q1||Q2||Note / |Plan|Actual|Plan|Actual| / North|100|90|110|120|ok / South|200|250|210|190|late / East|50||60|55| / Total|350|340|380|365|',
  ),
  questions: [
    ['select sum("Q1 Plan") from t', '350'],
    ['select sum("Q1 Actual") from t', '340'],
    ['select sum("Q2 Actual") - sum("Q2 Plan") from t', '-15'],
    ['select Region from t where "Q1 Actual" > "Q1 Plan"', 'South'],
    ['select count(*) from t', '3'],
    ['select "Q1 Actual" from t where Region = \'East\'', '∅'],
    ["select Note from t where Region = 'South'", 'late'],
    ['select avg("Q1 Actual") from t', '170'],
    ['select Region, "Q1 Plan" + "Q2 Plan" p from t order by p desc limit 1', 'South|410'],
    ['select round(sum("Q1 Actual") / sum("Q1 Plan"), 4) from t', '0.9714'],
  ],
}

const HEADINGS: MessyTable = {
  about: 'blank and doubled headings',
  table: written(
    'Name|Value|value||Value / a|1|10|x|0.5 / b|2|20|y|1.5 / c|3|30|x|2.5 / Name|Value|value||Value / d|4|40||3.5',
  ),
  questions: [
    ['select sum(Value) from t', '10'],
    ['select sum(value_2) from t', '100'],
    ['select sum(value_3) from t', '8'],
    ['select count(*) from t', '4'],
    ['select column4, count(*) from t group by column4 order by column4', '∅|1 / x|2 / y|1'],
    ["select Name from t where column4 = 'x' order by Name", 'a / c'],
    ["select Value, value_2, value_3 from t where Name = 'b'", '2|20|1.5'],
    ['select max(value_2 / Value) from t', '10'],
    ['select Name from t order by value_3 desc limit 1', 'd'],
    ['select sum(Value * value_3) from t', '25'],
  ],
}

const UNITS: MessyTable = {
  about: 'units in cells',
  table: written(
    'Item|Weight|Length|Price / Rope|10 kg|5 m|€ 12,50 / Nail|500 g|2,5 m|€ 0,10 / Sail|25,5 kg|12 m|€ 1.200,00 / Hook|250 g|0,5 m|€ 3,40 / Mast|80 kg|18 m|',
  ),
  questions: [
    ['select sum(Weight) from t where "Weight unit" = \'kg\'', '115.5'],
    ['select sum(case "Weight unit" when \'g\' then Weight / 1000 else Weight end) from t', '116.25'],
    ['select "Weight unit", count(*) from t group by 1 order by 1', 'g|2 / kg|3'],
    ['select sum(Length) from t', '38'],
    ['select sum(Price) from t', '1216'],
    ['select count(Price) from t', '4'],
    ['select Item from t order by Length desc limit 1', 'Mast'],
    ['select Item from t where Price is null', 'Mast'],
    ['select avg(Length) from t', '7.6'],
    ['select Item, Price from t where Price > 3 order by Price', 'Hook|3.4 / Rope|12.5 / Sail|1200'],
  ],
}

const TOTALS: MessyTable = {
  about: 'subtotals, a grand total and a title',
  table: written(
    'Costs by team, 2024|| / Team|Person|Cost / A|Ann|10.5 / A|Al|20 / Subtotal||30.5 / B|Bo|5 / B|Bea|7.25 / Subtotal||12.25 / Grand total||42.75 / Source: accounting||',
  ),
  questions: [
    ['select sum(Cost) from t', '42.75'],
    ['select count(*) from t', '4'],
    ['select Team, sum(Cost) from t group by Team order by Team', 'A|30.5 / B|12.25'],
    ['select max(Cost) from t', '20'],
    ['select Person from t order by Cost desc limit 1', 'Al'],
    ['select avg(Cost) from t', '10.6875'],
    ['select count(distinct Team) from t', '2'],
    ["select count(*) from t where Team = 'Subtotal'", '0'],
    ['select _row, Person from t order by _row', '3|Ann / 4|Al / 6|Bo / 7|Bea'],
    ["select round(100 * sum(Cost) filter (where Team = 'A') / sum(Cost), 2) from t", '71.35'],
  ],
}

const IDS: MessyTable = {
  about: 'ids of 19 and 22 digits, zip codes and phone numbers',
  table: written(
    'id|order no|zip|phone|n / 1234567890123456789|1234567890123456789012|01067|+49 30 1|1 / 1234567890123456788|1234567890123456789013|80331|+49 30 2|2 / 9007199254740993|1234567890123456789014|00501|030-3|3 / 9007199254740992|5|10115|030-4|4',
  ),
  questions: [
    ['select id from t where n = 1', '1234567890123456789'],
    ['select n from t where id = 1234567890123456788', '2'],
    ['select max(id) from t', '1234567890123456789'],
    ['select id from t where n in (3, 4) order by id', '9007199254740992 / 9007199254740993'],
    ['select count(distinct id) from t', '4'],
    ['select "order no" from t where n = 2', '1234567890123456789013'],
    ['select n from t where "order no" = \'1234567890123456789014\'', '3'],
    ["select n from t where zip = '00501'", '3'],
    ["select n from t where zip like '01%'", '1'],
    ["select count(*) from t where phone like '+49%'", '2'],
  ],
}

const AREAS = ['North', 'South', 'East', 'West', 'Überlingen']
const LARGE_ROWS = Array.from({ length: 100_000 }, (_, i) => ({
  id: i + 1,
  area: AREAS[(i * 7) % 5] ?? '',
  cents: (i * 7919) % 100_000,
  month: ((i * 31) % 12) + 1,
}))
const sumOf = (rows: readonly { cents: number }[]) =>
  Number((rows.reduce((sum, { cents }) => sum + cents, 0) / 100).toFixed(2))
const area = (name: string) => LARGE_ROWS.filter((row) => row.area === name)
const two = (n: number) => String(n).padStart(2, '0')

const LARGE: MessyTable = {
  about: '100,000 rows',
  table: {
    name: 't',
    text: [
      'id\tarea\tamount\tday',
      ...LARGE_ROWS.map((row) => `${row.id}\t${row.area}\t${(row.cents / 100).toFixed(2)}\t2024-${two(row.month)}-15`),
    ].join('\n'),
  },
  questions: [
    ['select count(*) from t', '100000'],
    ['select sum(amount) from t', String(sumOf(LARGE_ROWS))],
    ...AREAS.slice(0, 3).map((name): [string, string] => [
      `select sum(amount) from t where area = '${name}'`,
      String(sumOf(area(name))),
    ]),
    [
      'select area, count(*) from t group by area order by area',
      AREAS.toSorted()
        .map((name) => `${name}|20000`)
        .join(' / '),
    ],
    ["select sum(amount) from t where day >= '2024-12'", String(sumOf(LARGE_ROWS.filter(({ month }) => month === 12)))],
    ['select max(id) from t where amount < 0.02', String(LARGE_ROWS.findLast(({ cents }) => cents < 2)?.id)],
    ['select sum(id) from t', '5000050000'],
    [
      'select count(*) from (select area, day from t group by area, day)',
      String(new Set(LARGE_ROWS.map((row) => row.area + row.month)).size),
    ],
  ],
}

const BOOLEANS: MessyTable = {
  about: 'yes and no, words for nothing, times, and numbers among words',
  table: written(
    'Task|Done|Start|Hours|Mixed / a|ja|08:30|1,5|1 / b|nein|9:15 pm|2,25|two / c|ja|12:00|n/a|3 / d|–|23:59|0,75|four / e|Ja|00:05|4|5 / f|nein||–|six',
  ),
  questions: [
    ['select sum(Done) from t', '3'],
    ['select count(Done) from t', '5'],
    ['select sum(Done) / count(Done) from t', '0.6'],
    ['select sum(Hours) from t', '8.5'],
    ["select Task from t where Start > '12:00:00' order by Start", 'b / d'],
    ['select min(Start), max(Start) from t', '00:05:00|23:59:00'],
    ['select sum(number(Mixed)) from t', '9'],
    ['select count(*) from t where number(Mixed) is null', '3'],
    ['select Task from t where Done = 1 order by Task', 'a / c / e'],
    ['select avg(Hours) from t where Done = 1', '2.75'],
  ],
}

const WORKBOOK: MessyTable = {
  about: 'a workbook: canonical numbers, years as headings, blank rows',
  table: written(
    '|||| / City|2022|2023|2024|Growth / |||| / Oslo|1.5|1234.567|2000|0.125 / Bergen|10|0.1|0.2|-0.05 / |||| / Ålesund|3|4|5|1e-3',
    { isExact: true },
  ),
  questions: [
    ['select sum("2022") from t', '14.5'],
    ['select sum("2023") from t', '1238.667'],
    ['select "2023" + "2024" from t where City = \'Bergen\'', '0.3'],
    ['select count(*) from t', '3'],
    ['select City from t order by "2024" desc', 'Oslo / Ålesund / Bergen'],
    ['select sum(Growth) from t', '0.076'],
    ["select City from t where City like 'å%'", 'Ålesund'],
    ['select max("2022", "2023", "2024") from t where City = \'Oslo\'', '2000'],
    ['select sum("2022" + "2023" + "2024") from t', '3258.367'],
    ['select round("2023", 2) from t where City = \'Oslo\'', '1234.57'],
  ],
}

const ORDERS: MessyTable = {
  about: 'quotes, spaces in headings, integer shares, ties and gaps',
  table: written(
    'Order Id|Customer "Name"|Items|Returned|Paid On / 1|O\'Brien|3|1|01.02.2024 / 2|Smith & Co|7|0|05.02.2024 / 3|O\'Brien|2|2|17.03.2024 / 4|Müller|7|1| / 5|smith & co|1|0|20.03.2024 / 6|Zoë|4|1|31.12.2024',
  ),
  questions: [
    ['select sum(Returned) / sum(Items) from t', String(5 / 24).slice(0, 17)],
    ['select round(100 * sum(Returned) / sum(Items), 1) from t', '20.8'],
    ["select sum(Items) from t where \"Customer Name\" = 'O''Brien'", '5'],
    ['select count(*) from t where lower("Customer Name") = \'smith & co\'', '2'],
    ['select count(*) from t where "Paid On" is null', '1'],
    ["select count(*) from t where strftime('%Y-%m', \"Paid On\") = '2024-03'", '2'],
    ['select "Order Id" from t where Items = (select max(Items) from t) order by "Order Id"', '2 / 4'],
    ['select count(case when Returned > 0 then 1 end) / count(*) from t', '0.666666666666667'],
    ['select "Order Id", sum(Items) over (order by "Order Id") from t order by 1 limit 3', '1|3 / 2|10 / 3|12'],
    ['select upper("Customer Name") from t where "Order Id" in (4, 6) order by 1', 'MÜLLER / ZOË'],
  ],
}

export const MESSY_TABLES = [
  GERMAN,
  ENGLISH,
  DATES,
  MERGED,
  HEADINGS,
  UNITS,
  TOTALS,
  IDS,
  LARGE,
  BOOLEANS,
  WORKBOOK,
  ORDERS,
]
