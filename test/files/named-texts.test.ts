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
