/** Texts in encodings that nothing in the file names: short ones, as people export them. */
import { expect, test } from 'vitest'
import { decodeText, detectEncoding } from '../../src/files/text-decoding.ts'
import { parsed } from '../harness/file-corpus.ts'

test.each([
  ['shift-jis', '田中,東京\n鈴木,大阪\n', '936392862c938c8b9e0a97e996d82c91e58de30a'],
  ['euc-jp', '田中,東京\n鈴木,大阪\n', 'c5c4c3e62cc5ecb5fe0aceebccda2cc2e7bae50a'],
  ['gb18030', '张三,北京\n李四,上海\n', 'd5c5c8fd2cb1b1bea90ac0eecbc42cc9cfbaa30a'],
  ['big5', '王小明,台北\n陳,高雄\n', 'a4fda470a9fa2ca578a55f0ab3af2cb0aab6af0a'],
  ['euc-kr', '김철수,서울\n이영희,부산\n', 'b1e8c3b6bcf62cbcadbfef0ac0ccbfb5c8f12cbacebbea0a'],
  ['windows-1254', 'İstanbul şehri, ağaç ve ışık\n', 'dd7374616e62756c20fe656872692c2061f061e720766520fdfefd6b0a'],
  ['windows-1255', 'שלום עולם\nמה שלומך\n', 'f9ece5ed20f2e5eced0aeee420f9ece5eeea0a'],
  ['mac-roman', 'Müller café naïve – “hi”\n', '4d9f6c6c6572206361668e206e6195766520d020d26869d30a'],
  ['cp850', 'Müller café Größe\n', '4d816c6c6572206361668220477294e1650a'],
  ['windows-1250', 'Łódź, Kraków żółć\n', 'a3f3649f2c204b72616bf37720bff3b3e60a'],
  ['windows-1251', 'Привет мир\n', 'cff0e8e2e5f220ece8f00a'],
  ['koi8-r', 'Привет мир\n', 'f0d2c9d7c5d420cdc9d20a'],
  ['windows-1253', 'Καλημέρα κόσμε\n', 'cae1ebe7ecddf1e120eafcf3ece50a'],
  ['windows-1252', 'Café “x” – 5 €\n', '436166e9209378942096203520800a'],
  ['shift-jis', '注文番号,数量\nりんご,3\n', '928d95b694d48d862c909497ca0a82e882f182b22c330a'],
  ['euc-jp', '注文番号,数量\nりんご,3\n', 'c3edcab8c8d6b9e62cbff4cecc0aa4eaa4f3a4b42c330a'],
  ['gb18030', '订单号,数量\n苹果,3\n', 'b6a9b5a5bac52ccafdc1bf0ac6bbb9fb2c330a'],
  ['big5', '訂單號,數量\n蘋果,3\n', 'ad71b3e6b8b92cbcc6b6710ac4abaa472c330a'],
  ['euc-kr', '주문번호,수량\n사과,3\n', 'c1d6b9aeb9f8c8a32cbcf6b7ae0abbe7b0fa2c330a'],
  ['windows-1254', 'Çalışma günü: Pazartesi, öğle\n', 'c7616cfdfe6d612067fc6efc3a2050617a6172746573692c20f6f06c650a'],
  ['windows-1255', 'מחיר,כמות\nתפוח,3\n', 'eee7e9f82cebeee5fa0afaf4e5e72c330a'],
  ['mac-roman', 'Économie française, élève\n', '83636f6e6f6d6965206672616e8d616973652c208e6c8f76650a'],
  ['cp850', 'Straße, Prénom, Öl\n', '53747261e1652c205072826e6f6d2c20996c0a'],
  ['windows-1250', 'Příliš žluťoučký kůň\n', '50f8ed6c699a209e6c759d6f75e86bfd206bf9f20a'],
  ['windows-1251', 'Цена,Количество\nЯблоко,3\n', 'd6e5ede02ccaeeebe8f7e5f1f2e2ee0adfe1ebeeeaee2c330a'],
  ['koi8-r', 'Цена,Количество\nЯблоко,3\n', 'e3c5cec12cebcfccc9dec5d3d4d7cf0af1c2cccfcbcf2c330a'],
  ['windows-1253', 'Τιμή,Ποσότητα\nΜήλο,3\n', 'd4e9ecde2cd0eff3fcf4e7f4e10accdeebef2c330a'],
  ['windows-1252', '• Item – it’s “fine”…\n', '95204974656d20962069749273209366696e6594850a'],
  ['windows-1252', 'naïve coöperate £5\n', '6e61ef766520636ff670657261746520a3350a'],
  ['windows-1252', 'Größe;Maß\nÜber;Öl\n', '4772f6df653b4d61df0adc6265723bd66c0a'],
  ['windows-1252', 'Le prix est de 5 à 10\n', '4c65207072697820657374206465203520e02031300a'],
  ['windows-1252', 'København\n', '4bf862656e6861766e0a'],
  ['windows-1252', '«bonjour»\n', 'ab626f6e6a6f7572bb0a'],
  ['windows-1252', 'España mañana ¿qué?\n', '45737061f161206d61f1616e6120bf7175e93f0a'],
  ['shift-jis', '佐藤,名古屋\n', '8db293a12c96bc8cc389ae0a'],
  ['euc-jp', '高橋一郎,千葉県\n', 'b9e2b6b6b0eccfba2cc0e9cdd5b8a90a'],
  ['gb18030', '刘洋,杭州\n', 'c1f5d1f32cbabcd6dd0a'],
  ['big5', '林志玲,台中\n', 'aa4ca7d3acc22ca578a4a40a'],
  ['euc-kr', '박지성\n', 'b9dac1f6bcba0a'],
  [
    'windows-1252',
    'Þetta er íslenska, það er gott\n',
    'de6574746120657220ed736c656e736b612c20fe61f020657220676f74740a',
  ],
  ['windows-1252', 'Smørrebrød på Århus Å\n', '536df87272656272f8642070e520c57268757320c50a'],
  ['mac-roman', 'Ström ångström\n', '5374729a6d208c6e677374729a6d0a'],
  ['windows-1250', 'árvíztűrő tükörfúrógép\n', 'e17276ed7a74fb72f52074fc6bf67266fa72f367e9700a'],
  ['utf-16-le', '張三,東京\n田中,大阪\n', '355f094e2c007167ac4e0a0030752d4e2c0027592a960a00'],
  ['utf-16-be', '東京,100\n', '67714eac002c003100300030000a'],
  ['utf-16-le', '서울,부산\n', '1cc1b8c62c0080bdb0c00a00'],
  ['utf-16-le', '会议记录', '1a4fae8bb08b555f'],
  ['shift-jis', '担当者,渡辺\n期限,来週\n', '925393968ed22c936e95d30a8afa8cc02c97888f540a'],
  ['shift-jis', '①株式会社㈱\n', '87408a948eae89ef8ed0878a0a'],
  ['shift-jis', 'ﾃｽﾄ\n', 'c3bdc40a'],
  ['euc-jp', '会議,東京\n', 'b2f1b5c42cc5ecb5fe0a'],
  ['euc-jp', '担当者,渡辺\n', 'c3b4c5f6bcd42cc5cfcad50a'],
  ['gb18030', '联系人,电话\n赵敏,010\n', 'c1aacfb5c8cb2cb5e7bbb00ad5d4c3f42c3031300a'],
  ['gb18030', '备注：已付\n', 'b1b8d7a2a3bad2d1b8b60a'],
  ['big5', '聯絡人,電話\n', 'c170b5b8a4482cb971b8dc0a'],
  ['big5', '金額 100 元\n', 'aaf7c3422031303020a4b80a'],
  ['euc-kr', '담당자,전화\n', 'b4e3b4e7c0da2cc0fcc8ad0a'],
  ['euc-kr', '비고: 지급 완료\n', 'baf1b0ed3a20c1f6b1de20bfcfb7e10a'],
  ['windows-1254', 'Müşteri: Ayşe Yılmaz\n', '4dfcfe746572693a204179fe652059fd6c6d617a0a'],
  ['windows-1254', 'Öğretmen\n', 'd6f07265746d656e0a'],
  ['windows-1254', 'İzmir\n', 'dd7a6d69720a'],
  ['windows-1255', 'לקוח: דנה כהן\n', 'ecf7e5e73a20e3f0e420ebe4ef0a'],
  ['mac-roman', 'Größe: 5 m\n', '47729aa7653a2035206d0a'],
  ['mac-roman', 'Øre, Åse, pølse\n', 'af72652c208173652c2070bf6c73650a'],
  ['windows-1250', 'Dvořák\n', '44766ff8e16b0a'],
  ['windows-1250', 'Zażółć gęślą jaźń\n', '5a61bff3b3e62067ea9c6cb9206a619ff10a'],
  ['iso-8859-2', 'Łódź, Kraków żółć\n', 'a3f364bc2c204b72616bf37720bff3b3e60a'],
  ['windows-1251', 'Да\n', 'c4e00a'],
  ['ibm866', 'Итого: 100 руб.\n', '88e2aea3ae3a2031303020e0e3a12e0a'],
  ['windows-1253', 'Ναι\n', 'cde1e90a'],
  ['windows-1256', 'مرحبا بالعالم\n', 'e3d1cdc8c720c8c7e1dac7e1e30a'],
  ['windows-1257', 'Žąsis ėda šieną\n', 'dee073697320eb646120f069656ee00a'],
  ['windows-1252', '50 µm ± 2 °C\n', '353020b56d20b1203220b0430a'],
  ['windows-1252', 'FRANÇOIS\n', '4652414ec74f49530a'],
  ['utf-16-le', 'Привет, мир\n', '1f04400438043204350442042c0020003c04380440040a00'],
  ['utf-16-le', 'שלום\n', 'e905dc05d505dd050a00'],
  ['utf-16-be', 'Ναι\n', '039d03b103b9000a'],
  ['iso-2022-jp', '会議,東京\n', '1b2442327135441b28422c1b2442456c357e1b28420a'],
])('a short text in %s is read as it was written: %j', (_, text, hex) => {
  const bytes = Buffer.from(hex, 'hex')
  expect(decodeText(bytes, detectEncoding(bytes)?.encoding)).toBe(text)
})

test.for([
  ['shift_jis', 'テスト', '836583588367'],
  ['shift_jis', '横浜', '89a1956c'],
  ['shift_jis', '予定表', '975c92e8955c'],
  ['euc-jp', '完了', 'b4b0cebb'],
  ['euc-jp', '山田花子', 'bbb3c5c4b2d6bbd2'],
  ['euc-jp', '請求書', 'c0c1b5e1bdf1'],
  ['euc-kr', '매출', 'b8c5c3e2'],
  ['euc-kr', '10개', '3130b0b3'],
  ['euc-kr', '취소', 'c3ebbcd2'],
  ['gb18030', '登录失败', 'b5c7c2bccaa7b0dc'],
  ['gb18030', '错误', 'b4edcef3'],
  ['big5', '測試', 'b4fab8d5'],
  ['big5', '錯誤', 'bff9bb7e'],
  ['windows-1251', 'Белград', 'c1e5ebe3f0e0e4'],
  ['windows-1251', 'ОШИБКА', 'ced8c8c1cac0'],
  ['windows-1252', 'it’s', '69749273'],
  ['windows-1252', 'Coca® £5', '436f6361ae20a335'],
  ['windows-1252', '’90s', '92393073'],
  ['windows-1253', 'και', 'eae1e9'],
  ['windows-1254', 'Şişli', 'de69fe6c69'],
  ['windows-1255', 'דוד כהן', 'e3e5e320ebe4ef'],
  ['windows-1256', 'مرحبا', 'e3d1cdc8c7'],
  ['macintosh', 'für', '669f72'],
  ['macintosh', 'Malmö', '4d616c6d9a'],
  ['macintosh', 'España', '457370619661'],
  ['windows-1250', 'Gdańsk', '476461f1736b'],
  ['windows-1250', 'Zdeněk', '5a64656eec6b'],
  ['windows-1257', 'Klaipėda', '4b6c616970eb6461'],
  ['windows-1257', 'Jonaitė', '4a6f6e616974eb'],
  ['cp850', 'Müller', '4d816c6c6572'],
  ['windows-874', 'สวัสดี', 'cac7d1cab4d5'],
  ['utf-16-be', '서울', 'c11cc6b8'],
] as [string, string, string][])(
  'one word in %s is read as it was written, alone, in a cell and in a line of a log: %s',
  ([, word, hex]) => {
    const isWide = word === '서울'
    const ascii = [
      ['id,name,city\n1,', ',Paris\n2,Smith,Rome\n'],
      ['10:00 WARN user ', ' not found\n'],
    ]
    for (const [before = '', after = ''] of [[], ...(isWide ? [] : ascii)]) {
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from(hex, 'hex'), Buffer.from(after)])
      expect(decodeText(bytes, detectEncoding(bytes)?.encoding)).toBe(`${before}${word}${after}`)
    }
  },
)

test.for([
  'Nº Pedido,Fecha\n1,2\n',
  'Año;Nº\n2024;1\n',
  'Factura nº 123',
  'Mª José',
  'Rua das Flores, nº 10, 2º andar',
  'FUßBALL-VEREIN E.V.',
  'STRAßE;ORT\nHAUPTSTRAßE 5;KÖLN\n',
  'WEIßBIER',
  'STRAßE',
  'Straße',
  'Fußball',
  '¾ cup',
  '½ tsp salt, ¼ cup milk',
])('a sign or letter between capitals is read in Latin-1: %j', (text) => {
  const bytes = Buffer.from(text, 'latin1')
  expect(decodeText(bytes, detectEncoding(bytes)?.encoding)).toBe(text)
})

test.for([
  ['a Latvian city', '52ee6761', 'windows-1252', ['windows-1257', 'Rîga', 'Rīga']],
  ['a Chinese name', 'c0eec4c8', 'euc-jp', ['gb18030', '川槌', '李娜']],
  ['a Korean city', 'bcadbfefc6afbab0bdc3', 'euc-kr', []],
  ['a Portuguese name', '4a6fe36f', 'windows-1252', ['windows-1250', 'João', 'Joăo']],
  ['a German name', '4dfc6c6c6572', 'windows-1252', []],
] as [string, string, string, string[]][])(
  'encodings that are nearly as likely are named, with what the text would be: %s',
  async ([, hex, encoding, [other, word, instead]]) => {
    const { notes } = await parsed({ name: 'a.txt', bytes: Buffer.from(hex, 'hex') })
    const [note = '', ...more] = notes ?? []
    expect(more).toEqual([])
    expect(note.startsWith(`Its text is read as ${encoding} (guessed).`)).toBe(true)
    if (other === undefined) expect(note.endsWith('(guessed).')).toBe(true)
    else expect(note).toContain(` If it is ${other}, “${word}” is “${instead}”.`)
  },
)

test('what was guessed is said, and what the file says is no guess', async () => {
  const guessed = await parsed({
    name: 'members.csv',
    bytes: Buffer.from('8e8196bc2c95948f900d0a8e52936393632c', 'hex'),
  })
  expect(guessed.sections[0]?.text).toContain('氏名\t部署')
  expect(guessed.notes).toEqual(['Its text is read as shift_jis (guessed).'])
  expect((await parsed({ name: 'a.txt', bytes: Buffer.from('Größe') })).notes).toBeUndefined()
  const page = Buffer.from('<html><meta charset="iso-8859-2"><p>\xa3\xf3d\xbc</p></html>', 'latin1')
  expect(await parsed({ name: 'a.html', bytes: page })).not.toHaveProperty('notes')
})

test.each([
  ['Latin-1', Buffer.from('Größe für Österreich\n'.repeat(200)), Buffer.from('\xfcbrig\n', 'latin1')],
  ['Shift_JIS', Buffer.from('数量と金額\n'.repeat(100)), Buffer.from([0x93, 0x8c, 10])],
])('one line of %s leaves the rest of a UTF-8 text as it is', (_, good, bad) => {
  const bytes = Buffer.concat([good, bad, good])
  const text = decodeText(bytes, detectEncoding(bytes)?.encoding)
  expect(text.startsWith(good.toString())).toBe(true)
  expect(text.endsWith(good.toString())).toBe(true)
})

test('a text that is mostly UTF-8 says how many of its characters are not', async () => {
  const good = Buffer.from('Größe für Österreich\n'.repeat(200))
  const one = await parsed({ name: 'a.txt', bytes: Buffer.concat([good, Buffer.from('\xfcbrig\n', 'latin1'), good]) })
  expect(one.notes).toEqual(['1 character is not UTF-8 like the rest, so � is shown.'])
  const three = await parsed({ name: 'a.csv', bytes: Buffer.concat([good, Buffer.from('\xe4,\xf6,\xfc\n', 'latin1')]) })
  expect(three.notes).toEqual(['3 characters are not UTF-8 like the rest, so � is shown.'])
})

test.for([
  ['a list', 'Müller;Köln\nJürgen;Düsseldorf\n', 'B\xf6hm;M\xfcnchen\n', 2],
  ['a log of two lines', '10:00 user José\n', '10:01 user Andr\xe9\n', 1],
  ['two lines with more letters', 'Müller;Köln;Grüße\n', 'B\xf6hm\n', 1],
  ['Japanese', '田中,東京\n鈴木,大阪\n', '\x8d\xb2\x93\xa1\n', 4],
] as [string, string, string, number][])(
  'a line of another encoding leaves a short text in UTF-8: %s',
  ([, good, bad, broken]) => {
    const bytes = Buffer.concat([Buffer.from(good), Buffer.from(bad, 'latin1')])
    const detected = detectEncoding(bytes)
    expect(detected?.broken).toBe(broken)
    expect(decodeText(bytes, detected?.encoding).startsWith(good)).toBe(true)
  },
)

test('the first letters beyond ASCII decide, however late they come', async () => {
  const late = Buffer.concat([Buffer.from('plain text only\n'.repeat(8000)), Buffer.from('Gr\xf6\xdfe\n', 'latin1')])
  const file = await parsed({ name: 'a.txt', bytes: late })
  expect(file.sections[0]?.text).toContain('Größe')
  expect(file.notes).toEqual(['Its text is read as windows-1252 (guessed).'])
})

test('a mail in 8 bits names its own encoding, so none is guessed', async () => {
  const mail = 'From: a@example.com\nSubject: Offer\nContent-Type: text/plain; charset=iso-8859-1\n\nGr\xf6\xdfe 5\n'
  const file = await parsed({ name: 'a.eml', bytes: Buffer.from(mail, 'latin1') })
  expect(file.sections[0]?.text).toContain('Größe 5')
  expect(file.notes).toBeUndefined()
})

test.each([
  ['a page in an unknown one', 'a.html', '<html><meta charset="x-foo"><p>Gr\xf6\xdfe</p>', 'Größe', true],
  ['a page with spaces', 'a.html', '<html><meta charset = "windows-1250" ><p>\xa3\xf3d\x9f</p>', 'Łódź', false],
  ['XML', 'a.xml', '<?xml version="1.0" encoding="ISO-8859-2"?>\n<a>\xa3\xf3d\xbc</a>', 'Łódź', false],
  ['XML without one', 'a.xml', '<?xml version="1.0"?>\n<a>Gr\xf6\xdfe</a>', 'Größe', true],
])('the encoding that a file declares: %s', async (_, name, text, shown, isGuessed) => {
  const file = await parsed({ name, bytes: Buffer.from(text, 'latin1') })
  expect(file.sections[0]?.text).toContain(shown)
  expect(file.notes).toEqual(isGuessed ? ['Its text is read as windows-1252 (guessed).'] : undefined)
})
