/** Canvases are read like files: shared with the question, in its thread, in a forward. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, type UploadedFile } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'

const bot = await startBot(fileEnds())
const { model, slack } = bot
const promptOf = (key: string) => model.about(key).at(-1)?.prompt ?? ''

/** In the forms of Slack's own pages: bare, in an element of Quip's, or a whole document. */
const bare = (html: string) => html
const wrapped = (html: string) => `<div class="quip-canvas-content">${html}</div>`
const whole = (html: string) =>
  `<!DOCTYPE html><html><head><title>Canvas</title></head><body><main>${html}</main></body></html>`

function canvas(title: string, bytes: string, more: Partial<UploadedFile> = {}): UploadedFile {
  return { name: title.replace(/\W/g, '_'), title, bytes, mode: 'quip', size: 2776, ...more }
}

const PLAN = `<h1 id="temp:C:a1">Loom plan</h1><p id="temp:C:a2" class="line">Warp on <b>Friday</b>.\u200b</p>
<h2>Steps</h2><div data-section-style='6' style="--indent0: 0"><ul id='b'>
<li id='b1' value='1'><span id='b1'>Wind the beam</span><br/></li><ul><li>slowly<br/></li></ul>
<li id='b2' class=''><span>Thread the heddles</span><br/></li></ul></div>
<div data-section-style='7'><ul><li class='checked' value='1'>Buy yarn<br/></li><li class=''>Oil the reed<br/></li></ul></div>
<div data-section-style='5'><ul><li class='parent'>Spare reeds<br/></li></ul></div>
<table><tr><td><p class='line'>Yarn</p></td><td><p class='line'>Cones</p></td></tr>
<tr><td><p class='line'>Merino</p></td><td><p class='line'>1417</p></td></tr></table>
<p>Ask <control data-remapped="true"><a>@${BOB}</a></control> in <control data-remapped="true"><a>#${GENERAL}</a></control>
<control data-remapped="true"><img src="https://a.example/1.png" alt="yarn" data-is-slack>:yarn:</img></control>
on <control data-remapped="true">September 15th</control>, see <lnk href="https://example.com/reeds">the reeds</lnk>.</p>
<p class='prettyprint'>treadle 1<br/>treadle 3</p>
<img src="https://files.example/x" alt="loom.jpg_SLACK_FILE_ALT_PLACEHOLDER_F0BDL5AGCKU"><control data-remapped="true"></control>`

const READ = [
  ...['# Loom plan', 'Warp on Friday.', '## Steps', '1. Wind the beam', '2. Thread the heddles'],
  ...['☒ Buy yarn', '☐ Oil the reed', '- Spare reeds', 'Yarn | Cones', 'Merino | 1417'],
  ...['on September 15th, see the reeds (https://example.com/reeds)', 'treadle 1\n', ':yarn:', '[Image: loom.jpg]'],
]

describe('a canvas', () => {
  test.for([
    ['bare', bare],
    ['in an element', wrapped],
    ['as a whole page', whole],
  ] as const)('%s is in the prompt with its headings, lists, tables and names', async ([form, page]) => {
    const key = `what is planned ${form}`
    model.on(key, finish('Weaving.'))
    const thread = await bot.mention(`${key}?`, { files: [canvas('Loom/plan 1', page(PLAN))] })
    expect(await thread.ended()).toContain('Weaving.')
    expect(thread.shown()).toHaveLength(1)
    const prompt = promptOf(key)
    expect(prompt).toMatch(/File Loom.plan 1, all of it: A canvas of \d+ lines/)
    for (const words of READ) expect(prompt.replace(/^\| /gm, '').replace(/\t/g, ' | ')).toContain(words)
    expect(prompt).toMatch(/Ask @Bob\S* in #general/)
    expect(prompt).not.toMatch(/SLACK_FILE_ALT|\[Image: yarn\]|\u200b|data-section/)
    expect(prompt).toContain('Not read: 1 embedded part')
  })

  test('with words of the login page is not taken for it, and the login page is not taken for a canvas', async () => {
    const words = '<p>Sign in | Slack &lt;form action="/signin"&gt; &lt;script&gt; "shouldRedirect":true</p>'
    model.on('how do I sign in', finish('With a form.'))
    const thread = await bot.mention('how do I sign in?', { files: [canvas('Sign in', whole(words))] })
    await thread.ended()
    expect(promptOf('how do I sign in')).toContain('<form action="/signin"> <script>')
    for (const login of ['page', 'redirect'] as const) {
      const refused = await bot.dm('', { files: [canvas('Secret', whole('<p>x</p>'), { fault: { login } })] })
      await slack.until(() => refused.shown().length === 1, 'the sentence')
      expect(refused.shown()[0]).toMatch(/^📎 Secret was not read: the app lacks the scope files:read/)
    }
  })

  test('that somebody shared in the thread, or over Slack Connect, is read with the question', async () => {
    model.on('which vat', finish('Vat 6.'))
    const root = await slack.say({
      user: BOB,
      text: 'Dye notes',
      files: [canvas('Dyes', wrapped('<p>Vat 6 is indigo.</p>'))],
    })
    const stub = canvas('Mordants', wrapped('<p>Alum for wool.</p>'), { access: 'check_file_info' })
    const thread = await bot.mention('which vat?', { thread_ts: root.ts, files: [stub] })
    await thread.ended()
    expect(promptOf('which vat')).toMatch(/File Dyes, all of it[^]*Vat 6 is indigo\./)
    expect(promptOf('which vat')).toMatch(/Mordants[^]*Alum for wool\./)
  })

  test('is read anew when it is shared again in its thread, because people go on writing it', async () => {
    model.on('what is decided first', finish('One.'))
    const thread = await bot.mention('what is decided first?', {
      files: [canvas('Minutes', wrapped('<p>Draft 1</p>'))],
    })
    await thread.ended()
    const files = slack.messages(GENERAL).find(({ ts }) => ts === thread.ts)?.files ?? []
    const stored = slack.store.files.get(String(files[0]?.['id']))!
    const again = { attachments: [{ is_share: true, is_msg_unfurl: true, text: 'again', files }] }
    for (const [key, draft, read] of [
      ['what is decided now', 'Draft 2', /Draft 2/],
      ['what is decided then', '', /Draft 2/],
    ] as const) {
      Object.assign(stored, draft === '' ? { fault: { status: 404 } } : { bytes: Buffer.from(wrapped(draft)) })
      model.condenses(key, `${key}?`)
      model.on(key, finish('Well.'))
      await thread.reply(`${key}?`, { extra: again })
      await thread.ended()
      expect(promptOf(key)).toMatch(read)
      expect(promptOf(key)).not.toContain('Draft 1')
    }
  })

  test('in a forward is read too', async () => {
    model.on('what is forwarded', finish('Reeds.'))
    const there = await slack.say({
      user: ALICE,
      text: 'see',
      files: [canvas('Reeds', bare('<h1>Reeds</h1><p>Ten dents.</p>'))],
    })
    const files = slack.messages(there.channel).find(({ ts }) => ts === there.ts)?.files
    const shared = {
      is_share: true,
      is_msg_unfurl: true,
      author_name: 'Alice',
      channel_id: there.channel,
      text: 'see',
      files,
    }
    const thread = await bot.mention('what is forwarded?', { extra: { attachments: [shared] } })
    await thread.ended()
    expect(promptOf('what is forwarded')).toMatch(/File Reeds[^]*# Reeds[^]*Ten dents\./)
  })

  test('that holds nothing, or too many tags, is no fault', async () => {
    const files = [canvas('Empty', wrapped('')), canvas('Deep', wrapped('<div><control>'.repeat(20_000) + 'bottom'))]
    model.on('what is in there', finish('Little.'))
    const thread = await bot.mention('what is in there?', { files })
    await thread.ended()
    expect(thread.shown()[0]).toMatch(/^📎 Empty was not read: The file (?:is empty|contains no text)\./)
    expect(promptOf('what is in there')).toContain('bottom')
  })
})
