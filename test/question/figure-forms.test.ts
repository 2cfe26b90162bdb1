/** Figures in the forms of other languages, scripts and formats: right answers are accepted, wrong ones are found. */
import { describe, expect, test } from 'vitest'
import { judgeFigures } from '../../src/question/check-figures/judge-figures.ts'
import { readTexts } from '../../src/question/check-figures/read-texts.ts'

const TODAY = new Date('2026-11-26T12:00:00Z')

/** @returns the figures without a source; undefined if the answer has none at all */
function missing(answer: string, text: string): string[] | undefined {
  const question = 'What do we know?'
  const read = [
    { place: 'the question', text: question },
    { place: 'step 1', text },
  ]
  const judged = judgeFigures(answer, { question, read, today: TODAY })!
  return judged.length === 0 ? undefined : judged.filter((one) => one.in.length === 0).map((one) => one.text)
}

/** What was read, a right answer and a wrong one. */
type Form = [read: string, right: string, wrong: string]

const GIVEN: Form[] = [
  ['売上は1200円です。', '売上は1200円です。', '売上は1500円です。'],
  ['用户数为12000人。', '用户数为12000人。', '用户数为15000人。'],
  ['매출은 1200원입니다.', '매출은 1200원입니다.', '매출은 1500원입니다.'],
  ['会议在2026年11月21日举行。', '会议在2026年11月21日举行。', '会议在2026年11月23日举行。'],
  ['比例是42%。', '比例是42%。', '比例是47%。'],
  ['There are 127.', 'العدد ١٢٧ فقط.', 'العدد ١٣٧ فقط.'],
  ['There are 127.', 'कुल १२७ लोग', 'कुल १४७ लोग'],
  ['There are 127.', '１２７件です', '１３７件です'],
  ['It costs 500000.', '5 lakh', '7 lakh'],
  ['It costs 35000000.', '3.5 crore', '4.5 crore'],
  ['On 2026-02-03.', '3 février 2026', '4 février 2026'],
  ['On 2026-02-03.', 'il 3 febbraio', 'il 5 febbraio'],
  ['On 2026-02-03.', 'dnia 3 lutego', 'dnia 3 marca'],
  ['On 2026-02-03.', 'den 3 februari', 'den 13 februari'],
  ['On 2026-02-03.', 'el 3 de febrero de 2026', 'el 3 de marzo de 2026'],
  ['Total 2100000000', '2,1 milliards', '2,4 milliards'],
  ['Total 3200000', '$3.2MM', '$3.7MM'],
  ['Units: 1200000', '1.2 × 10^6', '1.4 × 10^6'],
  ['Units: 1200000', '1.2 × 10⁶', '1.2 × 10⁷'],
  ['It has 1536 MiB.', '1.5 GiB', '1.7 GiB'],
  ['Takes PT1H30M.', '90 minutes', '95 minutes'],
  ['{"elapsed_ms": 2350}', '2.35 seconds', '2.45 seconds'],
  ['{"ts": 1795219200}', '2026-11-21', '2026-11-23'],
  ['At 15:30Z.', '16:30 in Berlin', '17:30 in Berlin'],
  ['Values: 10, 15, 23', 'The average is 16.', 'The average is 17.'],
  ['Call +1 415 555 0199.', '(415) 555-0199', '(415) 555-0198'],
  ['It is 2.5 metres.', '2½ metres', '3½ metres'],
  ['Sold 1800 here and 400 there.', '1,800 + 400 = 2,200', '1,800 + 400 = 2,300'],
]

const SIBLINGS: Form[] = [
  ['At 2026-11-21T15:30:00Z.', '東京では0時30分です。', '東京では0時50分です。'],
  ['At 2026-11-21T15:30:00Z.', 'Um 16:30 Uhr in Wien.', 'Um 16:20 Uhr in Wien.'],
  ['At 2026-11-21T15:30:00Z.', 'À 16h30 à Paris.', 'À 16h50 à Paris.'],
  ['At 2026-11-21T15:30:00Z.', 'In New York it begins at 10:30.', 'In New York it begins at 10:50.'],
  ['It closes at 18:30.', 'Fecha às 18h30.', 'Fecha às 18h50.'],
  ['Fermeture à 18 h 30.', 'It closes at 18:30.', 'It closes at 18:50.'],
  ['It takes 90 min.', '1 Std. 30 Min.', '1 Std. 50 Min.'],
  ['It takes 90 min.', '1 heure et 30 minutes', '1 heure et 50 minutes'],
  ['It takes 90 min.', '1 час 30 минут', '1 час 50 минут'],
  ['It takes 90 min.', '90 минут', '95 минут'],
  ['Size: 2 GB', '2048 MB', '2848 MB'],
  ['Size: 5000000 bytes', '5 Mo', '8 Mo'],
  ['Size: 5000000 bytes', '5 МБ', '8 МБ'],
  ['{"temp_c": 20}', '68 °F', '75 °F'],
  ['{"id": 1234567890123456789}', 'ID 1234567890123456789', 'ID 1234567890123456780'],
  ['Sold: 2050', 'Half of it is 1,025.', 'Half of it is 1,065.'],
  ['Sold: 1900', 'Die Hälfte sind 950.', 'Die Hälfte sind 980.'],
  ['Sold: 1600', 'Twice as much, 3,200.', 'Twice as much, 3,300.'],
  ['売上は3億5000万円でした。', '350,000,000', '360,000,000'],
  ['Total 15000 people', '1.5万人', '1.7万人'],
  ['Total 23000 won', '2만 3천원', '2만 4천원'],
  ['Total 120000000', '1.2亿', '1.3亿'],
  ['Total 120000000', '1億2000万円', '1億3000万円'],
  ['15:30 に始まる', '午後3時30分から', '午後4時30分から'],
  ['15:30', '오후 3시 30분', '오후 4시 30분'],
  ['2026년 11월 23일', '2026-11-23', '2026-11-24'],
  ['2026-11-23', '11月23日', '11月25日'],
  ['There are 127.', 'จำนวน๑๒๗คน', 'จำนวน๑๓๗คน'],
  ['There are 127.', '১২৭ জন', '১৩৭ জন'],
  ['There are 127.', '۱۲۷ نفر', '۱۴۷ نفر'],
  ['It is 12.5 %.', '١٢٫٥٪', '١٣٫٥٪'],
  ['Total: १२,३४,५६७', '1,234,567', '1,244,567'],
  ['Total 500000', '5 लाख', '6 लाख'],
  ['It costs 2.5 crore', '25,000,000', '26,000,000'],
  ['It costs ₹12,50,000', '12.5 lakh', '13.5 lakh'],
  ['am 2026-03-05', 'dne 5. března', 'dne 6. března'],
  ['2026-08-15', '15 августа 2026', '16 августа 2026'],
  ['2026-08-15', '15 août 2026', '15 septembre 2026'],
  ['2026-08-15', '15 Ağustos 2026', '17 Ağustos 2026'],
  ['2026-08-15', '15 sierpnia', '18 sierpnia'],
  ['2026-08-15', '15 elokuuta', '18 elokuuta'],
  ['2026-08-15', '15 Αυγούστου 2026', '16 Αυγούστου 2026'],
  ['2026-02-15', '15 févr. 2026', '15 mars 2026'],
  ['le 3 février 2026', '2026-02-03', '2026-02-05'],
  ['Total 3400000', '3,4 millones', '3,6 millones'],
  ['Total 3400000', '3,4 mln', '3,6 mln'],
  ['Total 3400000', '3,4 Millionen', '3,6 Millionen'],
  ['Total 3400000000', '3,4 Mrd', '3,6 Mrd'],
  ['Total 3400000000', '3,4 млрд', '3,6 млрд'],
  ['It is 6.02e23', '6.02 × 10^23', '6.02 × 10^24'],
  ['It is 0.00012', '1.2 × 10⁻⁴', '1.2 × 10⁻³'],
  ['1000000 units', '10⁶ units', '10⁷ units'],
  ['1.2·10^6', '1,200,000', '1,300,000'],
  ['It is 2 GiB.', '2048 MiB', '2148 MiB'],
  ['{"sizeBytes": 1572864}', '1.5 MiB', '1.7 MiB'],
  ['{"size_bytes": 2500000}', '2.5 MB', '2.7 MB'],
  ['It is 3 TB.', '3000 GB', '3100 GB'],
  ['| step | elapsed (ms) |\n|---|---|\n| a | 2350 |', '2.35 s', '2.45 s'],
  ['name,size_mb\nx,1536', '1.536 GB', '1.736 GB'],
  ['2026-11-23T15:30Z', '24 November at 00:30 in Tokyo', '25 November at 00:30 in Tokyo'],
  ['2026-02-03', '3. helmikuuta 2026', '4. helmikuuta 2026'],
  ['P3DT4H', '76 hours', '78 hours'],
  ['P1Y6M', '18 months', '19 months'],
  ['PT45M', '45 minutes', '46 minutes'],
  ['PT2M30.5S', '150.5 seconds', '151.5 seconds'],
  ['It takes 90 minutes', 'PT1H30M', 'PT1H40M'],
  ['elapsed_ms: 125000', '2 min 5 s', '2 min 6 s'],
  ['timeoutSeconds=5400', '1.5 hours', '1.6 hours'],
  ['uptime_hours: 72', '3 days', '4 days'],
  ['{"ts": 1795219200000}', '21 November 2026', '22 November 2026'],
  ['created: 1795219200', 'at 00:00 UTC', 'at 01:00 UTC'],
  ['created: 1795219200', '09:00 in Tokyo', '10:00 in Tokyo'],
  ['2026-07-01T15:30:00Z', '11:30 in New York', '10:30 in New York'],
  ['2026-11-23T15:30:00+01:00', '14:30 UTC', '13:30 UTC'],
  ['2026-11-23T15:30:00Z', '10:30 ET', '11:30 ET'],
  ['2026-11-23T20:30:00Z', '5:30 JST on 24 November 2026', '6:30 JST on 24 November 2026'],
  ['2026-11-23 15:30 UTC', '21:00 (Asia/Kolkata)', '20:00 (Asia/Kolkata)'],
  ['2026-11-23 15:30 UTC', '07:30 Pacific', '08:30 Pacific'],
  ['a: 4\nb: 6\nc: 11\nd: 13', 'The mean is 8.5.', 'The mean is 9.5.'],
  ['[{"n": 31, "m": 2}, {"n": 44, "m": 5}, {"n": 62, "m": 9}]', 'On average 45.67.', 'On average 47.67.'],
  ['10, 15, 23', 'The average of 10, 15 and 23 is 16.', 'The average of 10, 15 and 23 is 18.'],
  ['Scores 71, 80, 95 and 62', 'The sum is 308.', 'The sum is 309.'],
  ['+44 20 7946 0958', '(020) 7946 0958', '(020) 7946 0959'],
  ['+14155550199', '415-555-0199', '415-555-0189'],
  ['It is 0.75 l', '¾ l', '½ l'],
  ['It is 1.25 l', '1 1/4 l', '1 3/4 l'],
  ['It is 2.33 l', '2⅓ l', '2⅔ l'],
  ['Sold 1600 in the north and 1900 in the south.', 'Together 3,500.', 'Together 3,600.'],
  ['| a | 1800 |\n| b | 250 |', '1800 − 250 = 1550', '1800 − 250 = 1560'],
  ['{"used": 1500, "limit": 2000}', '500 are left.', '600 are left.'],
  ['1500 units at 3 each', 'Total 4,500.', 'Total 4,600.'],
  ['1,500 and 400', '1500 + 400 = 1900', '1500 + 400 = 1950'],
]

/** Han numerals, eras, dates at the start of a line, and more languages. */
const MORE: Form[] = [
  ['2026-03-05', '5. března je schůze', '6. března je schůze'],
  ['2026-03-05', '5. März ist es', '6. März ist es'],
  ['2026-03-05', '5. marts er det', '6. marts er det'],
  ['2026-03-05', '5. maaliskuuta', '7. maaliskuuta'],
  ['2026-10-24', 'október 24-én', 'október 25-én'],
  ['二千五百円', '2500円', '2600円'],
  ['売上は1500円', '売上は千五百円', '売上は千六百円'],
  ['十二月三日', '12月3日', '12月4日'],
  ['2026年12月3日', '二〇二六年十二月三日', '二〇二六年十二月四日'],
  ['有127个', '一百二十七个', '一百三十七个'],
  ['35000', '三万五千', '三万六千'],
  ['120000000', '一億二千万円', '一億三千万円'],
  ['15:30', '下午三点半', '下午四点半'],
  ['15:30', '午後3時半', '午後4時半'],
  ['2026-02-03', 'ngày 3 tháng 2 năm 2026', 'ngày 4 tháng 2 năm 2026'],
  ['2026-02-03', '3 กุมภาพันธ์ 2569', '4 กุมภาพันธ์ 2569'],
  ['2026-02-03', '3 फ़रवरी 2026', '4 फ़रवरी 2026'],
  ['2026-02-03', '3 בפברואר 2026', '4 בפברואר 2026'],
  ['2026-02-03', '令和8年2月3日', '令和9年2月3日'],
  ['Total 2100000000', '2,1 mil millones', '2,2 mil millones'],
  ['Total 2100000', '2.1 triệu', '2.2 triệu'],
  ['Total 2100000', '2,1 juta', '2,2 juta'],
  ['Total 2100000', '2.1 मिलियन', '2.2 मिलियन'],
  ['Total 45000', '45 k', '46 k'],
  ['2:15:00', '135 minutes', '136 minutes'],
  ['36:00 h', '1.5 days', '1.7 days'],
  ['2026-02-03', '3 de fevereiro de 2026', '4 de fevereiro de 2026'],
  ['2026-02-03', '3 февраля', '4 февраля'],
  ['2026-02-03', '3 Şubat 2026', '4 Şubat 2026'],
  ['2026-02-03', '3 فبراير 2026', '4 فبراير 2026'],
  ['Total 2100000000', '2,1 miliardi', '2,2 miliardi'],
  ['Total 2100000', '2,1 milhões', '2,2 milhões'],
  ['Total 2100000', '210万', '220万'],
  ['Total 45000', '45 тыс.', '46 тыс.'],
  ['Total 1234567', '1’234’567', '1’234’667'],
  ['12.5 %', '12,5 Prozent', '13,5 Prozent'],
  ['It is 5.2 km.', '5200 m', '5300 m'],
  ['2h 15m', '135 minutes', '136 minutes'],
  ['2026-11-23T15:30:00Z', '16:30 Uhr (Berlin)', '17:30 Uhr (Berlin)'],
  ['10 of 40', '25 %', '35 %'],
  ['was 80, now 100', 'up 25 %', 'up 35 %'],
  ['Rs 12.5 lakh', '₹12,50,000', '₹13,50,000'],
  ['€1.5 Mrd.', '1.500.000.000', '1.600.000.000'],
  ['(1,234)', '-1,234', '-1,235'],
  ['Total 127', '೧೨೭', '೧೨೮'],
]

const ALL = [...GIVEN, ...SIBLINGS, ...MORE]

describe('each form', () => {
  test.each(GIVEN)('%s | %s | %s', (read, right, wrong) => {
    expect(missing(right, read)).toEqual([])
    expect(missing(wrong, read)!.length).toBeGreaterThan(0)
  })
})

test('over all forms at most 2 % of the right answers raise an alarm, and 90 % of the wrong ones are found', () => {
  const sentences = [
    (one: string) => one,
    (one: string) => `That is ${one}`,
    (one: string) => `${one}\nSee above.`,
    (one: string) => `- ${one}\n- **${one}**`,
    (one: string) => `> ${one}\n\nIt says so.`,
    (one: string) => `1. ${one}.\n2. Nothing else.`,
    (one: string) => `| what | value |\n|---|---|\n| it | ${one} |`,
  ]
  const all = ALL.flatMap(([read, right, wrong]) => sentences.map((say) => [read, say(right), say(wrong)] as const))
  const alarms = all.filter(([read, right]) => missing(right, read)?.length !== 0)
  const missed = all.filter(([read, , wrong]) => (missing(wrong, read)?.length ?? 0) === 0)
  expect({ alarms, isFew: alarms.length <= 0.02 * all.length }).toMatchObject({ isFew: true })
  expect({ missed, isFew: missed.length <= 0.1 * all.length }).toMatchObject({ isFew: true })
})

test('the numbers of a list are no dates, and words of Chinese characters are no numbers', () => {
  expect(missing('1. März: voll\n2. April: leer\n3. Mai: leer', 'Nothing.')).toBeUndefined()
  expect(missing('5. Mai ist frei.', 'Nothing.')).toEqual(['5. Mai'])
  const words =
    '一般に、十分な時間。百度と三菱、四川、千葉、万一。千万不要。一つ、一方、三十三間堂、八百屋、五十嵐さん、三点。'
  expect(missing(words, 'Nothing.')).toBeUndefined()
})

test('a year is no operand, a number like one is', () => {
  const read = 'It opened in 1987 and closed in 2004 (rebuilt 2010–2012). The 1996 season had 1800 visitors.'
  expect(missing('It has 21 rooms and 19 doors.', read)).toEqual(['21', '19'])
  expect(missing('200 fewer than 2,000 came, so 1,800.', `${read} 2000 seats.`)).toEqual([])
})

describe('the input of a call that its result repeats is no source:', () => {
  const step = (input: unknown, text: string) => ({
    kind: 'tool' as const,
    turn: 1,
    thought: '',
    action: { tool: 'web_search', input: input as string },
    observation: { ok: true, text },
  })
  const sources = (input: unknown, text: string, answer: string) => {
    const read = readTexts({ question: 'How much?', steps: [step(input, text)], sources: [] })!
    return judgeFigures(answer, { question: 'How much?', read, today: TODAY })!.map((one) => one.in.length)
  }
  test.each<[input: unknown, text: string, answer: string, found: number]>([
    ['ACME revenue 4711', 'No results for "ACME revenue 4711".', 'It is 4711.', 0],
    [{ query: 'ACME revenue 4711' }, '{"query": "ACME revenue 4711", "results": []}', 'It is 4711.', 0],
    ['{"q": "4711"}', 'Nothing matches “4711”.', 'It is 4711.', 0],
    [{ min_price: 4711 }, '{"filters": {"min_price": 4711}, "total": 0}', 'It is 4711.', 0],
    [{ query: 'acme  4711' }, 'Your search - ACME 4711 - did not match any documents.', 'It is 4711.', 0],
    ['ACME revenue 4711', 'Results for "ACME revenue 4711": the revenue was 4711.', 'It is 4711.', 1],
    ['4711', 'Ticket 4711 is open.', 'It is 4711.', 1],
    ['6 * 7', '6 * 7 = 42', 'It is 42.', 1],
    ['ACME revenue 1,234,567', 'No results for "ACME revenue 1234567".', 'It was 1,234,567.', 0],
    ['revenue 1234567', 'Nothing found for revenue 1,234,567 (0.12 s).', 'It was 1,234,567.', 0],
    ['what is the ACME revenue 4711', 'Terms: 4711, acme, revenue. 0 results.', 'It is 4711.', 0],
    ['ACME revenue 4711', 'No results for <em>ACME</em> <em>revenue</em> <em>4711</em>', 'It is 4711.', 0],
    ['revenue ４７１１', 'Keine Treffer: revenue 4711', 'It is 4711.', 0],
    [{ sql: 'select * from t where price>4711' }, 'SELECT * FROM t WHERE price > 4711 -- 0 rows', 'It is 4711.', 0],
    [{ id: 4711 }, '404: /records/4711 not found', 'It is 4711.', 0],
    [{ ids: ['A-4711'] }, 'Unknown ids: A-4711', 'It is A-4711.', 0],
    [{ date: '2026-03-14' }, 'No meetings on 14 March 2026.', 'It was on 14 March 2026.', 0],
    [{ id: 4711 }, 'Ticket 4711 is open, without errors.', 'It is 4711.', 1],
    ['ACME revenue 4711', 'No results for "revenue". ACME had 4711 in Q3 of 2020.', 'It is 4711.', 1],
    ['rooms 1987', 'Not found: rooms. In 1987 there were 21 rooms.', 'It had 21 rooms in 1987.', 1],
    ['"a-b: 4711!" (x) [y] {z} \\ ^ $', 'None for "a-b: 4711!" (x) [y] {z} \\ ^ $.', 'It is 4711.', 0],
  ])('%j: %s', (...[input, text, answer, found]) => {
    expect(new Set(sources(input, text, answer))).toEqual(new Set([found]))
  })
})

test.for([
  ['Der Umsatz stieg deshalb auf 642.', 'Der Umsatz war 321.', '642'],
  ['In the third quarter there were 417 tickets.', 'There are 1251 tickets.', '417'],
  ['There are three pricing tiers, and 3,703.5 euros.', 'It costs 1,234.5 euros.', '3,703.5'],
])('a word that is no factor makes no figure right: %s', ([answer, read, figure]) => {
  expect(missing(answer!, read!)).toContain(figure)
})

test('a long number is the same in groups', () => {
  const read = 'The id is 1,234,567,890,123,456 and 18 446 744 073 709 551 616.'
  expect(missing('It is 1234567890123456 and 18446744073709551616.', read)).toEqual([])
})
