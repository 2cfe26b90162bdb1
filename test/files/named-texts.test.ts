/** E-mails and notebooks as text, and sentences about what is not read. */
import { expect, test } from 'vitest'
import { fileTypeOf } from '../../src/files/file-type.ts'
import { parsed, textFile, zipOf } from '../harness/file-corpus.ts'

const lines = async (name: string, text: string) => (await parsed(textFile(name, text))).sections[0]?.text.split('\n')

test.each([
  [
    'base64',
    'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n' +
      Buffer.from('Der Betrag ist am 15. März fällig.').toString('base64'),
    'Der Betrag ist am 15. März fällig.',
  ],
  [
    'quoted-printable',
    'Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe aus =\nK=F6ln',
    'Grüße aus Köln',
  ],
  [
    'alternatives',
    'Content-Type: multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<p>rich</p>\n--b--\n',
    'plain',
  ],
  ['a page', 'Content-Type: text/html; charset=utf-8\n\n<p>Only <b>rich</b></p>', 'Only rich'],
])('a mail in %s is decoded, with its subject', async (_, rest, text) => {
  const mail = `From: Ann <ann@example.com>\r\nSubject: =?UTF-8?B?UmVjaG51bmcgZsO8ciBNw6Ryeg==?=\r\n =?iso-8859-1?Q?_2026=2C_G=FCte?=\r\n${rest.replaceAll('\n', '\r\n')}`
  expect(await lines('a.eml', mail)).toEqual([
    'From: Ann <ann@example.com>',
    'Subject: Rechnung für März 2026, Güte',
    '',
    text,
  ])
})

test('what is attached to a mail is named, and its bytes are no text', async () => {
  const mail =
    'Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n--b\nContent-Type: application/pdf; name="a.pdf"\nContent-Transfer-Encoding: base64\n\nJVBERi0xLjcK\n--b--\n'
  expect((await lines('a.eml', mail))?.filter((line) => line !== '')).toEqual([
    'Subject: x',
    'Hello',
    '[Attachment: a.pdf]',
  ])
})

test('a notebook has its cells and outputs, and no base64', async () => {
  const cells = [
    { cell_type: 'markdown', source: ['# Sales\n', 'by month'] },
    {
      cell_type: 'code',
      source: 'plot()',
      outputs: [
        { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo'.repeat(100), 'text/plain': ['<Figure>'] } },
      ],
    },
  ]
  const text = (await lines('a.ipynb', JSON.stringify({ cells, nbformat: 4 })))?.join('\n')
  expect(text).toBe('# Sales\nby month\n\n```\nplot()\n```\nOutput:\n<Figure>\n[Picture: image/png]')
})

test.each([
  [
    'a.msg',
    Buffer.from(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${[...'__substg1.0_0037001F'].join('\0')}`, 'latin1'),
    'Outlook messages (msg). Save it as eml or pdf.',
  ],
  ['a.epub', zipOf({ mimetype: 'application/epub+zip', 'a.xhtml': 'x' }), 'e-books (epub). Save it as pdf or docx.'],
])('%s gets a fitting sentence', (name, bytes, sentence) => {
  expect(fileTypeOf({ name, bytes })).toEqual({ fault: `I cannot read ${sentence}` })
})

test.each([
  ["filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf", 'Grüße.pdf'],
  ["filename*0*=iso-8859-1'de'Angebot%20M; filename*1*=%FCnchen.pdf", 'Angebot München.pdf'],
  ['filename="=?utf-8?Q?=C3=9Cbersicht.pdf?="', 'Übersicht.pdf'],
  ['filename=plan.pdf', 'plan.pdf'],
])('the name of what is attached is read: %s', async (name, shown) => {
  const mail = `From ann@example.com Mon Nov 23 09:00:00 2026\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; ${name}\n\nx\n--b--\n`
  expect(await lines('a.eml', mail)).toContain(`[Attachment: ${shown}]`)
})

test('of alternatives with an empty plain text, the page is read', async () => {
  const mail =
    'Subject: x\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n\n--b\nContent-Type: text/html\n\n<p>rich</p>\n--b--\n'
  expect(await lines('a.eml', mail)).toEqual(['Subject: x', '', 'rich'])
})

test('outputs that are pages, data in texts and older notebooks are read without base64', async () => {
  const base64 = 'A'.repeat(600)
  const output = (data: object) => ({
    cell_type: 'code',
    source: 'x',
    outputs: [{ output_type: 'display_data', data }],
  })
  const cells = [
    output({ 'text/html': '<table><tr><td>7</td><td>8</td></tr></table>' }),
    output({ 'application/vnd.plotly.v1+json': { data: base64 } }),
    {
      cell_type: 'markdown',
      source: [`<img src="data:image/png;base64,${base64}"> and [a]: data:font/woff2;base64,${base64}`],
    },
  ]
  const text = (await lines('a.ipynb', JSON.stringify({ nbformat: 4, cells })))?.join('\n')
  expect(text).toMatch(
    /7 \| 8[^]*\[Not shown: application\/vnd\.plotly[^]*<img src="\[image\/png\]"> and \[a\]: \[font\/woff2\]/,
  )
  const old = {
    nbformat: 3,
    worksheets: [{ cells: [{ cell_type: 'code', input: ['y = 2'], outputs: [{ text: ['2'], png: base64 }] }] }],
  }
  expect((await lines('a.ipynb', JSON.stringify(old)))?.join('\n')).toMatch(/y = 2[^]*Output:\n2/)
  expect(text).not.toContain('AAAA')
})

const mailBytes = (head: string, body: string | Buffer) =>
  Buffer.concat([Buffer.from(`Subject: x\n${head}\n\n`, 'latin1'), Buffer.from(body as string, 'latin1')])

test.each<[string, string | Buffer, string, string | undefined]>([
  ['charset=x-unknown', 'Gr\xfc\xdfe aus K\xf6ln', 'Grüße aus Köln', 'the encoding x-unknown is read as windows-1252'],
  [
    'charset=unknown-8bit',
    Buffer.from('936392862c938c8b9e0a', 'hex'),
    '田中,東京',
    'unknown-8bit is read as shift_jis',
  ],
  ['charset=us-ascii', 'Caf\xe9 d\xe9j\xe0', 'Café déjà', 'the encoding us-ascii is read as windows-1252'],
  ['charset=utf-8', 'Caf\xe9 d\xe9j\xe0', 'Café déjà', 'the encoding utf-8 is read as windows-1252'],
  ['format=flowed', 'Caf\xe9 d\xe9j\xe0', 'Café déjà', 'names no encoding is read as windows-1252'],
  ['charset=klingon', Buffer.from('Grüße'), 'Grüße', undefined],
  ['charset=klingon', 'only ASCII', 'only ASCII', undefined],
  ['charset=cp932', Buffer.from('936392862c938c8b9e0a', 'hex'), '田中,東京', undefined],
  ['charset=ibm850', 'Stra\xe1e', 'Straße', undefined],
  ['charset=utf-7', 'Gr+APwA3w-e', 'Gr+APwA3w-e', 'A part in utf-7 is shown as it is, not decoded.'],
])('a mail’s part with %s is read, and what was guessed is said', async (type, body, text, note) => {
  const file = await parsed({ name: 'a.eml', bytes: mailBytes(`Content-Type: text/plain; ${type}`, body) })
  expect(file.sections[0]?.text).toContain(text)
  if (note === undefined) expect(file.notes).toBeUndefined()
  else expect(file.notes).toEqual([expect.stringContaining(note)])
})

test.each([
  ['cut between the bytes of a letter', 'Subject: =?UTF-8?B?R3LD?= =?UTF-8?B?vMOfZQ==?=', 'Subject: Grüße'],
  ['as UTF-8 that is not encoded', `Subject: ${Buffer.from('Größe').toString('latin1')}`, 'Subject: Größe'],
  ['with words between', 'Subject: Re: =?utf-8?q?J=C3=BC?= and =?utf-8?q?A=C3=A9?= x', 'Subject: Re: Jü and Aé x'],
  ['two addresses', 'To: =?utf-8?q?J=C3=BC?= <a@b>, =?koi8-r?B?8NLJ18XU?= <c@d>', 'To: Jü <a@b>, Привет <c@d>'],
])('a header is read: %s', async (_, head, shown) => {
  const file = await parsed({ name: 'a.eml', bytes: Buffer.from(`${head}\n\nx`, 'latin1') })
  expect([file.sections[0]?.text, file.notes]).toEqual([expect.stringContaining(`${shown}\n`), undefined])
})

test('a name or word in an unknown charset is said too', async () => {
  const words = await parsed({ name: 'a.eml', bytes: Buffer.from('Subject: =?x-foo?Q?Gr=FC=DFe?= aus K\n\nx') })
  expect(words.sections[0]?.text).toContain('Subject: Grüße aus K')
  expect(words.notes).toEqual(['A part that names the encoding x-foo is read as windows-1252 (guessed).'])
  const pdf = "Content-Type: application/pdf\nContent-Disposition: attachment; filename*=windows-1250''%A3%F3d%9F.pdf"
  expect(await lines('a.eml', `Subject: x\n${pdf}\n\nx`)).toContain('[Attachment: Łódź.pdf]')
})

test('a boundary that begins like another one, another transfer encoding, and a page that declares its own', async () => {
  const inner = '--b2\nContent-Type: text/plain\n\nplain\n--b2\nContent-Type: text/html\n\n<p>rich</p>\n--b2--\n'
  const mail = `Subject: x\nContent-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: multipart/alternative; boundary="b2"\n\n${inner}\n--b\n\nsecond\n--b--\n`
  expect(await lines('a.eml', mail)).toEqual(['Subject: x', '', 'plain', '', 'second'])
  const old = 'Subject: x\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n#86)C\nend'
  expect(await lines('a.eml', old)).toContain('[Not read: a part in x-uuencode]')
  const page = mailBytes('Content-Type: text/html', '<meta charset="iso-8859-2"><p>\xa3\xf3d\xbc</p>')
  expect(await parsed({ name: 'a.eml', bytes: page })).toMatchObject({ sections: [{ text: 'Subject: x\n\nŁódź' }] })
})

const saved =
  'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n\n--x\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<h1>Caf=C3=A9</h1><p>5 =3D 5</p>\n--x--\n'

test.for([
  ['page.mhtml', `From: <Saved by Blink>\nSubject: Menu\n${saved}`],
  ['Confluence.doc', `Date: Mon, 30 Nov 2026\nSubject: Exported From Confluence\n${saved}`],
  ['1.emlx', `400\nSubject: Menu\n${saved}`],
] as [string, string][])('a page or mail in another name than eml is decoded: %s', async ([name, text]) => {
  const all = (await lines(name, text))?.join('\n')
  expect(all).toContain('Café')
  expect(all).toContain('5 = 5')
  expect(all).not.toContain('quoted-printable')
})

test.for([
  [
    'notes.txt',
    'Notes: what a mail needs\n\nMIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\n\n=3D stays',
  ],
  ['mail.txt', 'Delivered-To: a@b\nReceived: by c\nAuthentication-Results: x; spf=fail\nMIME-Version: 1.0\n\nPay now'],
  ['answer.txt', 'Server: nginx\nMIME-version: 1.0\nContent-Type: application/json\n\n{"a": 1}'],
  ['headers', 'Subject: Menu\nMIME-Version: 1.0\nContent-Type: text/plain\n\nSoup'],
  ['letter.doc', 'Subject: Menu\nMIME-Version: 1.0\n\nSoup'],
] as [string, string][])('a text with headers of mail keeps all of them: %s', async ([name, text]) => {
  expect((await lines(name, text))?.join('\n')).toBe(text)
})

test.for(['a.pages', 'a.numbers', 'a.key'])('a file of Apple’s office is named as one: %s', (name) => {
  const bytes = zipOf({ 'Index/Document.iwa': 'x', 'preview.jpg': 'x' })
  expect(fileTypeOf({ name, bytes })).toEqual({
    fault: 'I cannot read files of Pages, Numbers or Keynote. Export it as docx, xlsx, pptx or pdf.',
  })
})
