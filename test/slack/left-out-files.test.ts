/** Files that are not read: the message about each, and nothing of them goes anywhere else. */
import { expect, test } from 'vitest'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { fixture } from '../harness/file-corpus.ts'
import { finish } from '../harness/played-model.ts'
import { clip, noFile, picture, textFile } from '../harness/said-files.ts'

const bot = await startBot(fileEnds())
const { model, slack } = bot
const SCOPE = 'the app lacks the scope files:read. The person who runs me can add it and reinstall the app.'

/** Returns the messages before the answer to a question with these files. */
async function saidOf(key: string, files: NonNullable<Parameters<typeof bot.mention>[1]>['files']): Promise<string[]> {
  model.on(key, finish('Done.'))
  const thread = await bot.mention(key, files ? { files } : {})
  expect(await thread.ended()).toContain('Done.')
  return thread.shown().slice(0, -1)
}

test.each<[string, Parameters<typeof saidOf>[1], string]>([
  ['was deleted', [noFile.deleted()], 'a file was not read: it was deleted.'],
  ['is hidden', [noFile.hiddenByLimit()], 'a file was not read: Slack hides it because'],
  ['lies elsewhere', [noFile.external()], 'Plan was not read: it is a link to a file outside Slack.'],
  ['is an archive', [{ name: 'a.zip', bytes: 'PK\x05\x06'.padEnd(22, '\0') }], 'a.zip was not read: An archive'],
  ['has a password', [fixture('locked.pdf')], 'locked.pdf was not read: '],
  [
    'is an old format',
    [fixture('handbook.doc')],
    'handbook.doc was not read: I cannot read Office files from before 2007',
  ],
  ['is empty', [textFile('empty.txt', ' ')], 'empty.txt was not read: The file is empty.'],
  ['is a clip without words', [{ name: 'song.mp3', bytes: 'la' }], 'song.mp3 was not read: Slack has no transcript'],
  ['asks for its sign-in', [textFile('a.txt', 'x', { fault: { login: 'page' } })], `a.txt was not read: ${SCOPE}`],
  ['sends there', [textFile('b.txt', 'x', { fault: { login: 'redirect' } })], `b.txt was not read: ${SCOPE}`],
  [
    'leads round',
    [textFile('r.txt', 'x', { fault: { redirects: Infinity } })],
    'r.txt was not read: it is not stored in Slack',
  ],
  ['leads away', [textFile('w.txt', 'x', { fault: { redirectTo: 'https://evil.example/f' } })], 'w.txt was not read: '],
  ['is refused', [textFile('n.txt', 'x', { fault: { status: 404 } })], 'n.txt was not read: Slack did not give it'],
  [
    'is told to be too large',
    [textFile('t.txt', 'x', { size: 21 * 2 ** 20 })],
    't.txt was not read: it is larger than 20 MB.',
  ],
])('a file that %s is left out with a plain word', async (what, files, said) => {
  expect(await saidOf(`whether it ${what}`, files)).toEqual([expect.stringContaining(`📎 ${said}`)])
})

test('files with the same reason share a line, others are read, and the model knows which are not', async () => {
  const files = [noFile.deleted('a.pdf'), textFile('c.txt', 'CWORD'), noFile.deleted('b.pdf'), clip('d.m4a', 'DWORD')]
  expect(await saidOf('what of the four', files)).toEqual(['📎 2 files were not read: it was deleted.'])
  const { prompt = '' } = model.about('what of the four')[0] ?? {}
  expect(prompt).toContain('CWORD')
  expect(prompt).toContain('DWORD')
  expect(prompt).toContain('(Not read: a file: it was deleted.)')
})

test('only the first five files are read', async () => {
  const files = Array.from({ length: 8 }, (_, i) => textFile(`${i + 1}.txt`, `WORD${i + 1}`))
  expect(await saidOf('what of the eight', files)).toEqual([
    '📎 6.txt, 7.txt, 8.txt were not read: I read at most 5 files with a question.',
  ])
  expect(model.about('what of the eight')[0]?.prompt).toMatch(/WORD1[^]*WORD5/)
})

test('their total size is limited', async () => {
  const files = [1, 2, 3].map((i) => textFile(`${i}.txt`, `WORD${i}`, { size: 15 * 2 ** 20 }))
  expect(await saidOf('what of the three', files)).toEqual([
    '📎 3.txt was not read: together they are larger than 40 MB.',
  ])
})

test('a file that fits is read, although a larger one before it does not', async () => {
  const large = (name: string) => textFile(name, 'x', { size: 15 * 2 ** 20 })
  const files = [large('1.txt'), large('2.txt'), large('3.txt'), textFile('4.txt', 'WORD4')]
  expect(await saidOf('what of the four sizes', files)).toEqual([
    expect.stringMatching(/^📎 \d\.txt was not read: together they are larger than 40 MB\.$/),
  ])
  expect(model.about('what of the four sizes')[0]?.prompt).toContain('WORD4')
})

test('Slack’s smaller version is used for a picture that is too large, or of an unsupported type', async () => {
  const small = Buffer.from(picture('s.png', { width: 480 }).bytes ?? '')
  const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(5_000_000)])
  const files = [
    { name: 'large.gif', bytes: gif, thumbs: { 480: small } },
    { name: 'phone.heic', bytes: 'heic', thumbs: { 480: small } },
  ]
  expect(await saidOf('two odd pictures', files)).toEqual([])
  expect(model.about('two odd pictures')[0]?.images).toEqual(
    [small, small].map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`),
  )
})

test('a large picture without a smaller version is left out with the true reason', async () => {
  const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(5_000_000)])
  expect(await saidOf('one odd picture', [{ name: 'large.gif', bytes: gif, thumbs: {} }])).toEqual([
    '📎 large.gif was not read: Slack has no smaller picture of it, and it is too large for models to see.',
  ])
})

test('a file with only an id is looked up, with its name', async () => {
  const file = textFile('connect.txt', 'CONNECTWORD', { access: 'check_file_info' })
  expect(await saidOf('from elsewhere', [file])).toEqual([])
  expect(model.about('from elsewhere')[0]?.prompt).toMatch(/File connect\.txt, all of it: [^]*CONNECTWORD/)
})

test('a name is data: it pings nobody and formats nothing', async () => {
  const [said = ''] = await saidOf('a loud name', [noFile.external('<!channel> *a*.pdf')])
  expect(said).toMatch(/^📎 channel a .pdf was not read/)
  expect(slack.pings()).toEqual([])
})

test('a name with an ampersand is shown as it was written', async () => {
  const [said = ''] = await saidOf('an ampersand', [noFile.external('R&D plan.pdf')])
  expect(said).toMatch(/^📎 R&D plan\.pdf was not read/)
})

test('a temporary fault loses no file', async () => {
  const fault = { times: 1, status: 503 }
  expect(await saidOf('a slow start', [textFile('late.txt', 'LATEWORD', { fault })])).toEqual([])
  expect(model.about('a slow start')[0]?.prompt).toContain('LATEWORD')
})

test('an uploaded web page is not taken for the login page', async () => {
  const page = textFile('page.html', '<!doctype html><title>Sign in</title><p>PAGEWORD</p>')
  expect(await saidOf('a page', [page])).toEqual([])
  expect(model.about('a page')[0]?.prompt).toContain('PAGEWORD')
})

test('a single unreadable file without text costs no model call', async () => {
  const before = model.requests.length
  const thread = await bot.dm('', { files: [noFile.deleted()] })
  await slack.until(() => thread.shown().length > 0, 'a reply')
  expect(thread.shown()[0]).toBe('📎 a file was not read: it was deleted.')
  expect(model.requests).toHaveLength(before)
})

test('without the scope one message names it, and nothing is downloaded', async (t) => {
  const scopes = ['app_mentions:read', 'channels:history', 'chat:write', 'im:history', 'reactions:write', 'users:read']
  const bot = await startBot(t, { model: [finish('Done.')], slack: { scopes } })
  const thread = await bot.mention('read both', { files: [textFile('a.txt', 'x'), picture('b.png')] })
  await thread.ended()
  expect(thread.shown()[0]).toBe(`📎 a.txt, b.png were not read: ${SCOPE}`)
})

test('files by a person who may not ask are not read, even if another person asks about them in the thread', async (t) => {
  const bot = await startBot(t, { model: [finish('Done.')], env: { ALLOW_USERS: ALICE } })
  const root = await bot.slack.say({ user: BOB, text: 'My plan.', files: [textFile('plan.txt', 'BOBSWORD')] })
  const own = { thread_ts: root.thread, files: [textFile('mine.txt', 'MINEWORD')] }
  const said = await bot.slack.mention('what of it?', own)
  await bot.slack.until(() => bot.model.requests.length > 0, 'the question')
  expect(said.channel).toBe(GENERAL)
  expect(bot.model.requests[0]?.prompt).toContain('MINEWORD')
  expect(bot.model.requests[0]?.prompt).not.toContain('BOBSWORD')
  const shown = () =>
    bot.slack
      .messages(GENERAL)
      .map((message) => bot.slack.shown(message))
      .join('\n')
  await bot.slack.until(
    () => shown().includes('plan.txt was not read: I do not accept files from the person who shared it.'),
    'it',
  )
})

test('neither the address of a file nor the token is logged or stored with the question', async () => {
  await saidOf('a secret', [textFile('s.txt', 'SECRETWORD')])
  expect(bot.logs.join('')).not.toMatch(/files-pri|SECRETWORD|xoxb-/)
})
