/**
 * The bot's own client, outbox and formats with any Slack: the local one, or the one of TEST_SLACK_URL
 * (test/harness/any-slack.ts). Checks use only the Web API, and all posts are deleted at the end.
 */
import { describe, expect, test } from 'vitest'
import type { Question, Run } from '../../src/stores/runs/types.ts'
import { freshRun } from '../../src/stores/runs/types.ts'
import { embeddedRun } from '../../src/stores/runs/memory-run.ts'
import { createLog } from '../../src/base/log.ts'
import { refusalCode } from '../../src/slack/client/slack-errors.ts'
import { findFile, postsByKey, readMessages, type ThreadMessage } from '../../src/slack/client/thread-messages.ts'
import { StreamMessage } from '../../src/slack/display/stream-message.ts'
import { noteContent, rootContent } from '../../src/slack/format/blocks.ts'
import { stepContent } from '../../src/slack/format/step-message.ts'
import { answerContents } from '../../src/slack/format/answer-messages.ts'
import { foldedCard, workingCard } from '../../src/slack/format/work-card.ts'
import { Outbox } from '../../src/slack/client/outbox.ts'
import { homeView } from '../../src/slack/views/home.ts'
import { anySlack } from '../harness/any-slack.ts'
import { fileEnds } from '../harness/ends.ts'
import { SENT } from '../harness/sent-blocks.ts'

const ends = fileEnds()

const SECONDS = 90_000

describe('any Slack', async () => {
  const { installation, channel, person, where } = await anySlack(ends)
  const { client, identity } = installation
  const signal = new AbortController().signal
  const posted: string[] = []
  ends.onTestFinished(async () => {
    for (const ts of posted.toReversed())
      await client.call('chat.delete', { channel, ts }, { effort: 'once' }).catch(() => {})
  })

  /** Creates a question of that person in that channel, with an outbox of its run. */
  function ask(text: string): { question: Question; run: Run; outbox: Outbox } {
    const at = Date.now()
    const id = `${identity.team}:${channel}:any-${at}-${text.length}`
    const place = { id, team: identity.team, channel, thread: id, user: person }
    const question: Question = { kind: 'asked', ...place, text, surface: 'ask', at }
    const run = embeddedRun(freshRun(at), () => true)
    return { question, run, outbox: new Outbox(installation, question, run, signal, createLog('silent')) }
  }

  /** Posts the root of a thread, and returns the outbox for it. */
  async function open(text: string) {
    const { question, run, outbox } = ask(text)
    const ts = await outbox.deliverRoot(rootContent(person, text))
    posted.push(ts)
    const place = { installation, question: { ...question, thread: ts }, thread: ts, signal }
    return { ts, run, outbox: outbox.under(ts), place }
  }

  async function messagesOf(thread: string): Promise<ThreadMessage[]> {
    const found: ThreadMessage[] = []
    for await (const message of readMessages(client, { channel, thread, since: '0' })) found.push(message)
    return found
  }

  test(
    'identifies the bot and a person',
    async () => {
      expect(identity.team).toMatch(/^[TE]\w+$/)
      expect(identity.botUser).toMatch(/^[UW]\w+$/)
      await installation.directory.lookUp(identity.team, [person, channel], 60_000)
      expect(installation.directory.get(identity.team, person)?.kind).toBe('person')
      expect(installation.directory.get(identity.team, channel)?.kind).toBe('channel')
    },
    SECONDS,
  )

  test(
    'accepts a post, a reply in its thread, and an update, and returns them with their metadata',
    async () => {
      const { ts, run, outbox, place } = await open('How old is the author of Dune?')
      const action = { tool: 'calculator', input: '1+1' }
      await outbox.show('step-1', stepContent({ thought: 'I add.', action }))
      await outbox.show('step-1', stepContent({ thought: 'I add.', action, observation: { ok: true, text: '2' } }))
      await outbox.deliver(
        'answer-1',
        answerContents({ text: 'It is **2**.', sources: [], question: 'q', allowedHosts: [], footer: '1 step' })[0]!,
      )
      const messages = await messagesOf(ts)
      expect(messages.map((message) => message.ts)).toEqual([
        ts,
        run.saved.posts['step-1'],
        run.saved.posts['answer-1'],
      ])
      expect(messages.slice(1).every((message) => message.thread_ts === ts)).toBe(true)
      expect(messages[1]?.text).toContain('👁 2')
      expect([...(await postsByKey(place)).keys()].sort()).toEqual(['answer-1', 'root', 'step-1'])
      posted.push(...Object.values(run.saved.posts))
    },
    SECONDS,
  )

  test(
    'shows a card that grows and folds',
    async () => {
      const { ts, run, outbox } = await open('Work, please.')
      const step = { kind: 'tool' as const, turn: 1, thought: 'I look.', action: { tool: 'calculator', input: '1+1' } }
      await outbox.show('card', workingCard([{ n: 1, step }], outbox.question.id))
      await outbox.show(
        'card',
        foldedCard([{ n: 1, step: { ...step, observation: { ok: true, text: '2' } } }], { ms: 900, hasFailed: false }),
      )
      const messages = await messagesOf(ts)
      expect(messages).toHaveLength(2)
      expect(messages[1]?.text).toContain('1 step')
      posted.push(String(run.saved.posts['card']))
    },
    SECONDS,
  )

  test(
    'accepts a text of maximum length, with every special character, unchanged',
    async () => {
      const { ts, run, outbox } = await open('Signs, please.')
      const text = `&lt;!channel&gt; &amp; *b* _i_ ~s~ \`c\` :tada: \u{1f469}\u200d\u{1f4bb} ${'x'.repeat(2_500)}`
      await outbox.deliver('answer-1', noteContent(text))
      expect((await messagesOf(ts))[1]?.text).toContain('&lt;!channel&gt; &amp;')
      posted.push(String(run.saved.posts['answer-1']))
    },
    SECONDS,
  )

  test(
    'accepts a reaction and removes it',
    async () => {
      const { ts, outbox } = await open('React, please.')
      const args = { channel, timestamp: ts, name: 'eyes' }
      expect(await outbox.tryOnce('reactions.add', args)).toBe('taken')
      expect(await outbox.tryOnce('reactions.add', args)).toBe('taken')
      expect(await outbox.tryOnce('reactions.remove', args)).toBe('taken')
      expect(await outbox.tryOnce('reactions.remove', args)).toBe('refused')
    },
    SECONDS,
  )

  test(
    'accepts a file in the thread',
    async () => {
      const { outbox, place } = await open('A file, please.')
      const taken = await outbox.sendFile('file-1', { name: 'any.txt', title: 'Any', text: 'line\n'.repeat(100) })
      await where('files', async () => {
        if (!taken && outbox.refusals.has('files:write'))
          return client.call('files.getUploadURLExternal', { filename: 'a', length: 1 }, { effort: 'once' })
        expect(taken).toBe(true)
        posted.push(String(await findFile(place, 'any.txt')))
        return undefined
      })
    },
    SECONDS,
  )

  test(
    'shows an ephemeral message to one person',
    async () => {
      const { outbox, ts } = await open('Whisper, please.')
      await where('ephemeral messages', () =>
        outbox.call('chat.postEphemeral', { channel, user: person, ...noteContent('For you.') }),
      )
      expect(await messagesOf(ts)).toHaveLength(1)
    },
    SECONDS,
  )

  test(
    'streams a message, and keeps it when it has ended',
    async () => {
      const { outbox, ts, run } = await open('Stream, please.')
      await where('streams', async () => {
        const message = await StreamMessage.open(outbox, [{ type: 'markdown_text', text: 'One, ' }])
        await message.append([{ type: 'markdown_text', text: 'two.' }])
        await message.stop([], { metadata: outbox.metadata('answer-1') })
        const [, streamed] = await messagesOf(ts)
        expect([streamed?.ts, streamed?.text]).toEqual([message.ts, expect.stringContaining('One, two.')])
        posted.push(...Object.values(run.saved.posts))
        return true
      })
    },
    SECONDS,
  )

  test(
    'shows a Home',
    async () => {
      const view = homeView({ channel, maySeeSettings: false, toolsOff: [] })
      const shown = await where('views', () =>
        client.call('views.publish', { user_id: person, view }, { effort: 'patient' }),
      )
      if (shown) expect(shown['view']).toMatchObject({ type: 'home' })
    },
    SECONDS,
  )

  test(
    'returns the address of a message',
    async () => {
      const { ts } = await open('Where?')
      const { permalink } = await client.call('chat.getPermalink', { channel, message_ts: ts }, { effort: 'patient' })
      expect(String(permalink)).toContain(`/archives/${channel}/p${ts.replace('.', '')}`)
    },
    SECONDS,
  )

  test(
    'refuses unknown ids with an error',
    async () => {
      const call = client.call('thinkaloud.noSuchMethod', {}, { effort: 'once' })
      expect(await call.catch(refusalCode)).toBe('unknown_method')
      const elsewhere = client.call('chat.postMessage', { channel: 'C0NOWHERE99', text: 'x' }, { effort: 'once' })
      expect(await elsewhere.catch(refusalCode)).toBe('channel_not_found')
    },
    SECONDS,
  )

  test(
    'accepts every block, message and view that the bot can send',
    async () => {
      const refused: unknown[] = []
      for (const [builder, make] of Object.entries(SENT))
        for (const [n, sent] of make().entries()) {
          const validated = () => client.call('blocks.validate', sent, { effort: 'patient', asker: person })
          const isKnown = await where('blocks.validate', validated).catch((error: unknown) => {
            refused.push({ builder, n, error: String(error), sent: JSON.stringify(sent).slice(0, 2_000) })
            return true
          })
          if (!isKnown) return
        }
      expect(refused).toEqual([])
    },
    15 * SECONDS,
  )

  test(
    'says which block is invalid, and where',
    async () => {
      const blocks = [{ type: 'divider' }, { type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3_001) } }]
      const call = where('blocks.validate', () => client.call('blocks.validate', { blocks }, { effort: 'patient' }))
      const outcome = await call.then((result) => result ?? 'unknown here', refusalCode)
      expect(['invalid_blocks', 'unknown here']).toContain(outcome)
    },
    SECONDS,
  )
})
