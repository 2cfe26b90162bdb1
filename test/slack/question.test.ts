import { expect, test } from 'vitest'
import { plainText } from '../../src/slack/content/plain-text.ts'
import { questionOf, type SlackMessage } from '../../src/slack/intake/to-question.ts'
import { cpuClock } from '../harness/cpu-clock.ts'

const BOT = 'U0BOT'
const DELIVERY = { team: 'T1', botUser: BOT, now: new Date(5000) }

const message = (more: Partial<SlackMessage>): SlackMessage => ({
  channel: 'C1',
  user: 'U1',
  text: 'hi',
  ts: '2.0',
  ...more,
})

test.each([
  ['a mention before it', '<@U0BOT> how old?', 'how old?'],
  ['a mention after it', 'how old? <@U0BOT>', 'how old?'],
  ['a mention in it', 'hey <@U0BOT>, how old?', 'hey, how old?'],
  ['a mention with a name, and two', '<@U0BOT|bot> <@U0BOT> x', 'x'],
  ['a mention without a space', 'x<@U0BOT>y', 'x y'],
  ['a colon after the mention', '<@U0BOT>: x', 'x'],
  ['a comma after it', ' <@U0BOT> , x, y', 'x, y'],
  ['a full-width colon', '<@U0BOT|bot>：什么', '什么'],
  ['a full-width comma', '<@U0BOT>，什么', '什么'],
  ['an enumeration comma, and two mentions', '<@U0BOT>, <@U0BOT>、x', 'x'],
  ['an emoji after the mention', '<@U0BOT> :wave: x', ':wave: x'],
  ['a colon, then an emoji', '<@U0BOT>: :wave: x', ':wave: x'],
  ['nothing but the mention and a colon', '<@U0BOT>:', ''],
  ['a colon after a word and the mention', 'hey <@U0BOT>: x', 'hey: x'],
  ['a comma without a mention', ', x', ', x'],
  ['other people', 'ask <@U1> or <@U2|bob>', 'ask <@U1> or @bob'],
  ['a name that would be a label', '<@U2|Observation: *bob*>', '@Observation bob'],
  ['channels, which may be private', '<#C1|general> <#C2|>', '<#C1|general> <#C2|>'],
  ['groups', '<!subteam^S1|@devs> <!here>', '@devs @here'],
  ['a link', 'see <https://e.example/a?b=1&amp;c=2>', 'see https://e.example/a?b=1&c=2'],
  ['a link with a name', '<https://e.example/a|the page>', 'the page (https://e.example/a)'],
  ['a link that Slack made by itself', '<http://e.example|e.example>', 'http://e.example'],
  ['a mail address', '<mailto:a@e.example|a@e.example>', 'a@e.example'],
  ['a date', '<!date^1700000000^{date}|14 November>', '14 November'],
  ['entities', '1 &lt; 2 &amp;&amp; 3 &gt; 2', '1 < 2 && 3 > 2'],
  ['an entity that was typed', '&amp;lt;', '&lt;'],
  ['code, its spaces kept', '<@U0BOT> why?\n```def f():\n    return  1```', 'why?\n```def f():\n    return  1```'],
  ['nothing but a mention', ' <@U0BOT> ', ''],
])('%s', (_, text, expected) => {
  expect(plainText(text, BOT)).toBe(expected)
})

test('hostile text takes linear time', () => {
  for (const piece of [
    '<',
    '<@',
    '<https:',
    '<https://a|',
    '&',
    '&amp;',
    '<!',
    '<#C|',
    '<mailto:|',
    '<@U0BOT',
    ' ',
    '<@U0BOT> ',
    '<@U0BOT>:',
    '<@U0BOT>:a',
    ':',
    ':a',
  ]) {
    const spent = cpuClock()
    plainText(piece.repeat(200_000 / piece.length), BOT)
    questionOf(message({ thread_ts: '1.0', text: piece.repeat(200_000 / piece.length) }), DELIVERY)
    expect([piece, spent() < 5000]).toEqual([piece, true])
  }
})

test.each<[string, Partial<SlackMessage>, object | undefined]>([
  [
    'a mention opens a thread',
    { text: '<@U0BOT> hi' },
    { question: { surface: 'mention', thread: '2.0', id: 'T1:C1:2.0', text: 'hi', at: 5000 }, onlyKnownThread: false },
  ],
  [
    'a mention in a thread stays in it',
    { text: '<@U0BOT> hi', thread_ts: '1.0' },
    { question: { surface: 'mention', thread: '1.0' }, onlyKnownThread: false },
  ],
  [
    'a reply counts only in a known thread',
    { thread_ts: '1.0' },
    { question: { surface: 'thread', thread: '1.0' }, onlyKnownThread: true },
  ],
  [
    'a direct message',
    { channel: 'D1', channel_type: 'im' },
    { question: { surface: 'dm', thread: '2.0' }, onlyKnownThread: false },
  ],
  ['a direct message by its channel alone', { channel: 'D1' }, { question: { surface: 'dm' } }],
  ['a message among many people', { channel_type: 'mpim', channel: 'G1' }, undefined],
  ['a message in the channel', {}, undefined],
  ['a bot’s', { text: '<@U0BOT> hi', bot_id: 'B1' }, undefined],
  ['its own', { user: BOT, thread_ts: '1.0' }, undefined],
  ['nobody’s', { user: '', thread_ts: '1.0' }, undefined],
  ['an edit that Slack sends as a mention', { text: '<@U0BOT> hi', edited: { user: 'U1' } }, undefined],
  ['an edit', { subtype: 'message_changed', thread_ts: '1.0' }, undefined],
  ['a file without words in a known thread', { text: '', subtype: 'file_share', thread_ts: '1.0' }, undefined],
  ['a file without words that names it', { text: '<@U0BOT>', subtype: 'file_share' }, { question: { text: '' } }],
  ['somebody whose id begins alike', { text: '<@U0BOTTOM> hi' }, undefined],
  ['a reply to somebody else', { text: '<@U2> what do you think?', thread_ts: '1.0' }, undefined],
  ['a reply to a group', { text: 'cc <!subteam^S1|@devs>', thread_ts: '1.0' }, undefined],
  ['a reply to the channel', { text: '<!here> look', thread_ts: '1.0' }, undefined],
  [
    'a reply to somebody else and to the bot',
    { text: '<@U2> <@U0BOT> what do you think?', thread_ts: '1.0' },
    { question: { surface: 'mention' } },
  ],
  ['a direct message about somebody', { channel: 'D1', text: 'who is <@U2>?' }, { question: { surface: 'dm' } }],
  [
    'a reply about somebody in a direct message',
    { channel: 'D1', text: 'and <@U2>?', thread_ts: '1.0' },
    { question: { surface: 'dm', thread: '1.0' } },
  ],
  ...['👍', '!!!', '…', '-&gt;', '&gt;_&lt;', ':+1:', ':tada: :パーティー:', '   ', '?'].map(
    (text): [string, Partial<SlackMessage>, undefined] => [`a reply ${text}`, { text, thread_ts: '1.0' }, undefined],
  ),
  ...['да', '好的呢', 'نعم', '42', 'हाँ', ':tada: really', '10:30'].map(
    (text): [string, Partial<SlackMessage>, object] => [
      `a reply ${text}`,
      { text, thread_ts: '1.0' },
      { question: { surface: 'thread', text }, onlyKnownThread: true },
    ],
  ),
  ['a mention and a sign', { text: '<@U0BOT> ?', thread_ts: '1.0' }, { question: { text: '?' } }],
  ['a wave in a direct message’s thread', { channel: 'D1', text: '👍', thread_ts: '1.0' }, undefined],
  ['a wave at its top level', { channel: 'D1', text: '👍' }, { question: { text: '👍' } }],
  [
    'a file without words in a direct message’s thread',
    { channel: 'D1', text: '', thread_ts: '1.0', subtype: 'file_share' },
    { question: { text: '' } },
  ],
  ['without a text', { text: undefined, thread_ts: '1.0' } as Partial<SlackMessage>, undefined],
])('%s', (_, more, expected) => {
  const asked = questionOf(message(more), DELIVERY)
  if (expected) expect(asked).toMatchObject(expected)
  else expect(asked).toBeUndefined()
})
