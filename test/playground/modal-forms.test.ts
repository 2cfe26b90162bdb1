/** Modals and Homes: valid ones, and the handling of a submitted form. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen, readBody } from '../../playground/base/loopback-server.ts'
import { ALICE, BOB, GENERAL, type LocalSlack } from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'
import { callSlack, slackStory } from '../harness/slack-calls.ts'
import { modalOf, openHome } from '../harness/slack-hands.ts'

const plain = (words: string) => ({ type: 'plain_text', text: words })
const option = (value: string) => ({ text: plain(value), value })
const section = { type: 'section', text: plain('hi') }
const input = (id: string, element: object, extra: object = {}) => {
  return { type: 'input', block_id: `${id}-block`, label: plain(id), element: { action_id: id, ...element }, ...extra }
}
const modal = (extra: object = {}) => ({ type: 'modal', title: plain('Form'), blocks: [section], ...extra })
const form = modal({
  callback_id: 'form',
  private_metadata: 'kept',
  notify_on_close: true,
  submit: plain('Send'),
  blocks: [
    input('name', { type: 'plain_text_input', max_length: 5 }),
    input(
      'color',
      { type: 'static_select', options: [option('red'), option('blue')], initial_option: option('red') },
      { optional: true },
    ),
    input('tools', { type: 'checkboxes', options: [option('a'), option('b')] }, { optional: true }),
    { type: 'actions', elements: [{ type: 'button', action_id: 'more', value: '1', text: plain('More') }] },
  ],
})

/** Starts an app that records interactions, and answers each with `ack()`. */
async function app(slack: LocalSlack, ack: (payload: Record<string, unknown>) => object | undefined = () => undefined) {
  const came: Record<string, unknown>[] = []
  const server = await listen((request, response) => {
    void readBody(request).then((body) => {
      const payload = new URLSearchParams(body).get('payload')
      const read = payload === null ? {} : (JSON.parse(payload) as Record<string, unknown>)
      if (payload !== null) came.push(read)
      const answer = payload === null ? undefined : ack(read)
      response.end(answer && JSON.stringify(answer))
    })
  })
  onTestFinished(server.close)
  slack.setTarget(server.base)
  return came
}

async function trigger(slack: LocalSlack, user = ALICE): Promise<string> {
  return String((await slack.slash('x', { user })).delivery.payload['trigger_id'])
}

/** Opens a form for Alice. */
async function opened(ack?: (payload: Record<string, unknown>) => object | undefined) {
  const slack = await localSlack({ echo: false })
  const came = await app(slack, ack)
  const opening = await callSlack(slack, 'views.open', { trigger_id: await trigger(slack), view: form })
  expect(opening).toMatchObject({ ok: true, view: { callback_id: 'form', hash: expect.any(String) } })
  return { slack, came, hand: await modalOf(slack) }
}

describe('a view is refused for', () => {
  const long = (chars: number) => 'x'.repeat(chars)
  test.each<[string, object, string]>([
    ['no title', modal({ title: undefined }), 'invalid_arguments'],
    ['a title over 24', modal({ title: plain(long(25)) }), 'invalid_arguments'],
    ['an input without a way to send it', { ...form, submit: undefined }, 'invalid_arguments'],
    ['private_metadata over 3,000', modal({ private_metadata: long(3001) }), 'invalid_arguments'],
    ['a callback_id over 255', modal({ callback_id: long(256) }), 'invalid_arguments'],
    ['101 blocks', modal({ blocks: Array.from({ length: 101 }, () => section) }), 'invalid_blocks'],
    ['a plan in it', modal({ blocks: [{ type: 'plan', title: 'p' }] }), 'invalid_blocks'],
    ['an alert in a Home', { type: 'home', blocks: [{ type: 'alert', text: plain('x') }] }, 'invalid_blocks'],
  ])('%s', async (_, view, error) => {
    const slack = await localSlack({ echo: false })
    await app(slack)
    const home = 'type' in view && view.type === 'home'
    const args = home ? { user_id: ALICE } : { trigger_id: await trigger(slack) }
    await slackStory(slack, [[home ? 'views.publish' : 'views.open', { ...args, view }, error]])
    expect(slack.refusals).toHaveLength(1)
  })
})

describe('a form', () => {
  test('carries the filled-in values by block and action, and closes', async () => {
    const { slack, came, hand } = await opened()
    await hand.submit({ name: 'Ada', color: 'blue', 'tools-block': ['a', 'b'] })
    expect(came.at(-1)).toMatchObject({
      type: 'view_submission',
      user: { id: ALICE },
      view: {
        callback_id: 'form',
        private_metadata: 'kept',
        state: {
          values: {
            'name-block': { name: { type: 'plain_text_input', value: 'Ada' } },
            'color-block': { color: { type: 'static_select', selected_option: option('blue') } },
            'tools-block': { tools: { selected_options: [option('a'), option('b')] } },
          },
        },
      },
    })
    expect(hand.isOpen()).toBe(false)
    expect(slack.refusals).toEqual([])
  })

  test('is not sent by Slack’s window while a value is missing, too long or not an option', async () => {
    const { came, hand } = await opened()
    await expect(hand.submit()).rejects.toThrow('name is empty')
    await expect(hand.submit({ name: 'Augusta' })).rejects.toThrow('at most 5')
    await expect(hand.submit({ name: 'Ada', color: 'green' })).rejects.toThrow('no option green')
    await expect(hand.submit({ nose: 'big' })).rejects.toThrow('no element nose')
    expect(came).toEqual([])
  })

  test.each([
    ['shows errors', { response_action: 'errors', errors: { 'name-block': 'No.' } }, 'Form', { 'name-block': 'No.' }],
    ['changes', { response_action: 'update', view: modal({ title: plain('Next') }) }, 'Next', undefined],
    ['opens another over it', { response_action: 'push', view: modal({ title: plain('Over') }) }, 'Over', undefined],
  ])('%s as its ack says', async (...[, answer, title, errors]) => {
    const { slack, hand } = await opened(() => answer)
    expect((await hand.submit({ name: 'Ada' })).errors).toEqual(errors)
    expect(hand.shown()).toContain(title)
    expect(slack.refusals).toEqual([])
  })

  test('closes all of several views, if its ack says so', async () => {
    const { slack, hand } = await opened(() => ({ response_action: 'clear' }))
    const over = { ...form, title: plain('Over') }
    await slackStory(slack, [['views.push', { trigger_id: await trigger(slack), view: over }, {}]])
    await hand.submit({ name: 'Ada' })
    expect(hand.isOpen()).toBe(false)
  })

  test.each([
    ['an error where no input is', { response_action: 'errors', errors: { nowhere: 'No.' } }],
    ['an unknown action', { response_action: 'dance' }],
    ['a broken view', { response_action: 'update', view: {} }],
  ])('meets %s in its ack: it stays open, and the app’s mistake is written down', async (_, answer) => {
    const { slack, hand } = await opened(() => answer)
    expect((await hand.submit({ name: 'Ada' })).errors).toEqual({ '': expect.stringContaining('trouble') })
    expect(hand.isOpen()).toBe(true)
    expect(slack.refusals).toMatchObject([{ method: 'view_submission' }])
  })

  test('reports its closing, and a press inside it with a new trigger', async () => {
    const { slack, came, hand } = await opened()
    await hand.press('more')
    expect(came[0]).toMatchObject({
      type: 'block_actions',
      container: { type: 'view', view_id: hand.view()['id'] },
      actions: [{ action_id: 'more', value: '1' }],
    })
    await slackStory(slack, [['views.push', { trigger_id: came[0]?.['trigger_id'], view: modal() }, {}]])
    await hand.close()
    await hand.close()
    expect(came.slice(1)).toMatchObject([{ type: 'view_closed', view: { callback_id: 'form' } }])
    expect(hand.isOpen()).toBe(false)
  })
})

test('views can be updated while open, unless changed meanwhile; a fourth modal is refused', async () => {
  const { slack, hand } = await opened()
  const { id, hash } = hand.view()
  const two = modal({ title: plain('Two') })
  await slackStory(slack, [
    ['views.update', { view_id: id, hash, view: two }, { view: { id } }],
    ['views.update', { view_id: id, hash, view: two }, 'hash_conflict'],
    ['views.push', { trigger_id: await trigger(slack), view: modal() }, { view: { previous_view_id: id } }],
    ['views.push', { trigger_id: await trigger(slack), view: modal() }, { view: { root_view_id: id } }],
    ['views.push', { trigger_id: await trigger(slack), view: modal() }, 'push_limit_reached'],
    ['views.open', { trigger_id: await trigger(slack), view: modal() }, {}],
    ['views.update', { view_id: id, view: two }, 'not_found'],
  ])
})

test('each person has their own Home, which the event that opens it carries', async () => {
  const slack = await localSlack({ echo: false, ackMs: 20, retryMs: [] })
  const home = { type: 'home', blocks: [section] }
  await slackStory(slack, [['views.publish', { user_id: BOB, view: home }, {}]])
  expect(slack.home(ALICE)).toBeUndefined()
  const [delivery] = await slack.people.openHome(BOB)
  expect(delivery?.payload['event']).toMatchObject({ type: 'app_home_opened', tab: 'home', view: { type: 'home' } })
  const again = callSlack(slack, 'views.publish', { user_id: BOB, view: { ...home, blocks: [{ type: 'divider' }] } })
  const hand = await openHome(slack, BOB).finally(() => again)
  expect(hand.view()).toMatchObject({ blocks: [{ type: 'divider' }] })
})

test('an ephemeral message can be pressed, without being part of the payload, and replaced', async () => {
  const slack = await localSlack({ echo: false })
  const came = await app(slack)
  const blocks = [{ type: 'actions', elements: [{ type: 'button', action_id: 'share', text: plain('Share') }] }]
  const { message_ts: ts } = await callSlack(slack, 'chat.postEphemeral', { user: ALICE, text: 'psst', blocks })
  const where = { channel: GENERAL, ts: String(ts) }
  await slack.press(where, { action_id: 'share' })
  await expect(slack.press({ ...where, user: BOB }, { action_id: 'share' })).rejects.toThrow('no message')
  expect(came).toMatchObject([{ container: { is_ephemeral: true, message_ts: ts } }])
  expect(came[0]).not.toHaveProperty('message')
  const respond = (body: object) =>
    fetch(String(came[0]?.['response_url']), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await respond({ replace_original: true, text: 'shared' })
  expect(slack.ephemerals(GENERAL, ALICE)).toEqual(['shared'])
  await respond({ delete_original: true })
  expect(slack.ephemerals(GENERAL, ALICE)).toEqual([])
})

test('blocks.validate returns each error with its place, and is not the app’s mistake', async () => {
  const slack = await localSlack()
  const errors = [{ pointer: '/1', code: 'failed_constraint', message: expect.stringContaining('marquee') }]
  const broken = [{ type: 'divider' }, { type: 'marquee' }]
  expect(await callSlack(slack, 'blocks.validate', { blocks: broken })).toMatchObject({
    error: 'invalid_blocks',
    errors,
  })
  await slackStory(slack, [
    ['blocks.validate', { message: { blocks: broken } }, 'invalid_message'],
    ['blocks.validate', { view: modal({ title: undefined }) }, 'invalid_view'],
    ['blocks.validate', { view: form }, {}],
  ])
  const told = await callSlack(slack, 'blocks.validate', { message: { blocks: broken } })
  expect(told).toMatchObject({ errors: [{ pointer: '/blocks/1' }] })
  expect(slack.refusals).toEqual([])
  await slackStory(slack, [['blocks.validate', {}, 'invalid_arguments']])
})
