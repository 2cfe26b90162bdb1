/** Files that are sent with an answer. */
import { expect, test } from 'vitest'
import { ALICE, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const bot = await startBot(fileEnds())
const { model, slack } = bot
const make = (name: string, text: string) => act('A table.', 'make_file', JSON.stringify({ name, text }))

test('a tool’s file is posted once in the thread, above the answer', async () => {
  model.on('as a table', make('sales.csv', 'year,sum\n2025,12\n'), finish('Here it is.'))
  const thread = await bot.mention('as a table')
  await thread.ended()
  const [file, answer] = thread.messages().slice(-2)
  expect(file?.files).toMatchObject([{ name: 'sales.csv', title: 'sales.csv', mode: 'hosted' }])
  expect(slack.shown(answer!)).toContain('Here it is.')
  expect(slack.files().filter(({ name }) => name === 'sales.csv')).toMatchObject([{ content: 'year,sum\n2025,12\n' }])
  expect(model.about('as a table').at(-1)?.prompt).toContain('sales.csv is sent with the answer.')
})

test('a name contains no path, and two files with one name get different ones', async () => {
  const both = [make('../../etc/pass wd<!channel>.py', 'x = 1'), make('a', 'b'), make('a', 'c')]
  model.on('odd names', ...both, finish('Done.'))
  const thread = await bot.mention('odd names')
  await thread.ended()
  const names = thread.messages().flatMap(({ files = [] }) => files.map(({ name }) => name))
  expect(names).toEqual(['etc-pass wd-channel-.py', 'a.txt', 'a-2.txt'])
  expect(slack.pings()).toEqual([])
})

test('a file with an executable extension is sent as text', async () => {
  const endings = ['hta', 'SCR', 'bat', 'exe', 'cmd', 'com', 'pif', 'lnk', 'vbs', 'msi', 'js', 'html', 'ps1']
  const given = [...endings.map((ending) => `run.${ending}`), 'a.hta.', 'table.CSV']
  const sent: string[] = []
  for (let i = 0; i < given.length; i += 5) {
    model.on(`endings from ${i}.`, ...given.slice(i, i + 5).map((name) => make(name, 'x')), finish('Done.'))
    const thread = await bot.mention(`endings from ${i}.`)
    await thread.ended()
    sent.push(...thread.messages().flatMap(({ files = [] }) => files.map((file) => String(file.name))))
  }
  expect(sent).toEqual([...endings.map((ending) => `run.${ending}.txt`), 'a.hta..txt', 'table.CSV'])
})

test('a table’s cells are no formulas, even in quotes; numbers stay', async () => {
  const table = [
    'name,sum;note',
    '=1+1,+1+1;-2+3',
    '@SUM(A1),"=HYPERLINK(""http://x.example"",""a"")", =2',
    '\t=3,"\t4",＝5',
    '"Smith, +Co",-12.5,+1e3,a=b,"-7",-8%',
    '"open,=6',
    ' "x,=1+1,"',
  ].join('\n')
  const tabs = '=1\t-2\t"@x"\n\tb'
  model.on(
    'cells',
    make('a.csv', table),
    make('b.tsv', tabs),
    make('c.py', '=1'),
    make('d.csv', 'sep=|\na|=1+1'),
    finish('Done.'),
  )
  await (await bot.mention('cells')).ended()
  const contents = slack.files().filter(({ name }) => /^[abcd]\.(?:csv|tsv|py)$/.test(String(name)))
  const of = (name: string) => contents.findLast((file) => file.name === name)?.content
  expect(of('a.csv')?.split('\n')).toEqual([
    'name,sum;note',
    "'=1+1,'+1+1;'-2+3",
    `'@SUM(A1),"'=HYPERLINK(""http://x.example"",""a"")",'=2`,
    `'\t'=3,"'\t4",'＝5`,
    '"Smith, +Co",-12.5,+1e3,a=b,"-7",-8%',
    '"open,=6',
    ` "x,'=1+1,"`,
  ])
  expect(of('b.tsv')).toBe(`'=1\t-2\t"'@x"\n\tb`)
  expect(of('c.py')).toBe('=1')
  expect(of('d.csv')).toBe("'sep=|\na|=1+1")
})

test('an empty file is not made, which the model reads', async () => {
  model.on('no file', make('a.txt', ' '), finish('None.'))
  const thread = await bot.mention('no file')
  await thread.ended()
  expect(thread.messages().some(({ files }) => files)).toBe(false)
  expect(model.about('no file').at(-1)?.prompt).toContain('The file would be empty.')
})

test('a file whose upload failed is not confused with another question’s file of the same name', async () => {
  const isAsked = (key: string) => slack.until(() => model.about(key).length > 0, `the question ${key}`)
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const first = make('same.csv', 'first')
  model.decide('the first table', async (_, n) => (n > 0 ? finish('First.') : gate.then(() => first)))
  model.condenses('the second table', 'the second table')
  model.on('the second table', make('same.csv', 'second'), finish('Second.'))
  const thread = await bot.mention('the first table')
  await isAsked('the first table')
  await thread.reply(`<@${BOT_USER}> the second table`)
  const sent = () => thread.messages().flatMap(({ files = [] }) => files.map(({ name }) => name))
  let calls = 0
  slack.fault({ method: 'files.completeUploadExternal', where: () => (calls += 1) === 2, dropBefore: true })
  go()
  await thread.ended()
  expect(calls).toBeGreaterThan(1)
  expect(sent()).toEqual(['same.csv', 'same.csv'])
})

test('without the scope people get a note, and the answer comes', async (t) => {
  const scopes = ['app_mentions:read', 'channels:history', 'chat:write', 'im:history', 'reactions:write', 'users:read']
  const bot = await startBot(t, { model: [make('a.csv', '1'), finish('Here.'), finish('Plain.')], slack: { scopes } })
  const thread = await bot.mention('as a file')
  expect(await thread.ended()).toContain('Here.')
  expect(thread.shown().join('\n')).toContain('📎 I could not send a.csv: Slack does not accept files from me here.')
  await (await bot.mention('again')).ended()
  expect(bot.model.requests.map(({ prompt }) => prompt.includes('make_file'))).toEqual([true, true, false])
})

test('a private question does not have the tool', async () => {
  model.on('quietly', finish('Hush.'))
  await slack.slash('private: quietly', { user: ALICE, channel: GENERAL })
  await slack.until(() => model.about('quietly').length > 0, 'the question')
  expect(model.about('quietly')[0]?.prompt).not.toContain('make_file')
})
