import { describe, expect, test, type TestContext } from 'vitest'
import { createJournal, type JournalEntry, type Journal } from '../../playground/journal/journal.ts'
import { demoUpstream } from '../../playground/demo/demo-upstream.ts'
import { forwardUpstream } from '../../playground/model/forward-upstream.ts'
import { startModelEndpoint } from '../../playground/model/model-endpoint.ts'
import { UpstreamError, type ModelFaults, type ModelPiece, type Upstream } from '../../playground/model/model-pieces.ts'
import { until } from '../../playground/base/until.ts'
import { complete } from '../../playground/demo/demo-model.ts'
import { createNetwork } from '../../src/base/http/proxy.ts'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { act, finish, playModel, type Script } from '../harness/played-model.ts'

/** Starts the endpoint before an upstream, with the bot's own client and a journal. */
async function endpoint(t: TestContext, upstream: Upstream, injected?: ModelFaults) {
  const journal = createJournal()
  journal.hide('sk-of-the-operator', '$OPENAI_API_KEY')
  const faults = { take: () => injected }
  const served = await startModelEndpoint({ upstream, journal, faults })
  t.onTestFinished(served.close)
  const modelFor = (stream: boolean) => modelsOf({ OPENAI_BASE_URL: served.url, OPENAI_STREAM: String(stream) }).model
  const post = (body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    fetch(`${served.url}/chat/completions`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { journal, url: served.url, model: modelFor(true), whole: modelFor(false), post }
}

/** Starts the endpoint before a real endpoint, with the operator's key. */
async function forwarded(t: TestContext, script: Script, injected?: ModelFaults) {
  const upstream = await playModel(t, script)
  const { fetch = globalThis.fetch } = await createNetwork({})
  const options = { baseUrl: upstream.url, apiKey: 'sk-of-the-operator', headers: { 'x-gateway': 'g' }, fetch }
  return { upstream, ...(await endpoint(t, forwardUpstream(options), injected)) }
}

/** Returns the journal's entries when this many have ended. */
async function ended(journal: Journal, count = 1): Promise<JournalEntry[]> {
  const over = () => journal.entries().filter(({ ms }) => ms !== undefined)
  await until(() => over().length >= count, 'the entries')
  return over()
}

/** Returns a simulated model that writes these pieces. */
function writes(...pieces: ModelPiece[]): Upstream {
  return {
    models: () => Promise.resolve(['played']),
    async *complete() {
      yield* pieces
    },
  }
}

describe('the Responses API', () => {
  const OPENAI_API = 'responses'

  test('streams from a real endpoint, and the journal has its text, reasoning, calls and usage', async (t) => {
    const toolCalls = [{ id: 'c1', name: 'calculator', arguments: '{"expression":"6*7"}' }]
    const turn = { text: 'I add.', reasoning: 'Hm.', toolCalls }
    const { url, upstream, journal } = await forwarded(t, [turn])
    for (const OPENAI_STREAM of ['true', 'false']) {
      const { model } = modelsOf({ OPENAI_BASE_URL: url, OPENAI_STREAM, OPENAI_API })
      const { events, text } = await callModel(model)
      expect([text, events.at(-1)]).toEqual(['I add.', { type: 'tool_calls', calls: toolCalls }])
    }
    expect(upstream.requests.map(({ api }) => api)).toEqual(['responses', 'responses'])
    for (const entry of await ended(journal, 2))
      expect(entry).toMatchObject({
        request: { path: '/v1/responses' },
        response: { text: 'I add.', reasoning: 'Hm.', toolCalls, finish: 'completed', usage: expect.anything() },
      })
  })

  test('is served by a simulated model and by one with faults', async (t) => {
    const toolCalls = [{ id: 'c1', name: 'x', arguments: '{}' }]
    const played = await endpoint(t, writes({ reasoning: 'Hm.' }, { text: 'I ' }, { text: 'call.' }, { toolCalls }))
    for (const OPENAI_STREAM of ['true', 'false']) {
      const { model } = modelsOf({ OPENAI_BASE_URL: played.url, OPENAI_STREAM, OPENAI_API })
      const { events, text, error } = await callModel(model)
      expect([error, text, events.at(-1)]).toEqual([undefined, 'I call.', { type: 'tool_calls', calls: toolCalls }])
      expect(events).toContainEqual({ type: 'reasoning', text: 'Hm.' })
    }
    const invents = await forwarded(t, [act('I add.', 'calculator', '1+1')], { invents: true })
    const { model } = modelsOf({ OPENAI_BASE_URL: invents.url, OPENAI_API })
    expect((await callModel(model)).text).toContain('made up by the model')
  })
})

describe('a real endpoint behind the playground’s own', () => {
  test('streams as it arrives with the operator’s key, and the journal has all but the key', async (t) => {
    const { model, upstream, journal } = await forwarded(t, [{ text: 'One two three.', reasoning: 'Hm.' }])
    const { text, usage, error } = await callModel(model)
    expect([text, error]).toEqual(['One two three.', undefined])
    expect(usage[0]).toMatchObject({ estimated: false })
    const [request] = upstream.requests
    expect(request?.headers).toMatchObject({ authorization: 'Bearer sk-of-the-operator', 'x-gateway': 'g' })
    expect(request?.body.stream).toBe(true)
    const [entry] = await ended(journal)
    expect(entry).toMatchObject({
      ...{ kind: 'model', name: 'played-model', ok: true },
      request: { path: '/v1/chat/completions', body: { model: 'played-model', stream: true } },
      response: {
        status: 200,
        text: 'One two three.',
        reasoning: 'Hm.',
        finish: 'stop',
        usage: { completion_tokens: 4 },
      },
    })
    expect(entry?.response?.['firstMs']).toBeLessThanOrEqual(entry?.ms ?? 0)
    expect(String(entry?.response?.['raw'])).toMatch(/^data: [^]*data: \[DONE\]/)
    expect(JSON.stringify(journal.entries())).not.toContain('sk-of-the-operator')
  })

  test('answers whole without a stream, and tool calls pass both ways', async (t) => {
    const calls = [
      { id: 'c1', name: 'calculator', arguments: '{"expression":"6*7"}' },
      { id: 'c2', name: 'x', arguments: '{}' },
    ]
    const { model, whole, journal } = await forwarded(t, [{ toolCalls: calls, chunkMs: 1 }])
    for (const one of [model, whole]) {
      const { events, error } = await callModel(one)
      expect(error).toBeUndefined()
      expect(events.find(({ type }) => type === 'tool_calls')).toEqual({ type: 'tool_calls', calls })
    }
    const entries = await ended(journal, 2)
    expect(entries.map(({ response }) => response?.['toolCalls'])).toEqual([calls, calls])
  })

  test('a 429 passes with its status and Retry-After, and the bot’s client retries after it', async (t) => {
    const refusal = {
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: { message: 'key sk-of-the-operator is over its limit' } },
    }
    const { model, journal } = await forwarded(t, [refusal, 'Now.'])
    const began = performance.now()
    expect((await callModel(model)).text).toBe('Now.')
    expect(performance.now() - began).toBeGreaterThan(900)
    const [first] = await ended(journal)
    expect(first).toMatchObject({
      ok: false,
      error: 'key $OPENAI_API_KEY is over its limit',
      response: { status: 429, headers: { 'retry-after': '1' } },
    })
  })

  test('a caller that hangs up aborts the upstream call, and the journal has the text so far', async (t) => {
    const { model, upstream, journal } = await forwarded(t, [{ text: 'word '.repeat(2_000), chunkMs: 5 }])
    for await (const event of model.stream({
      messages: [{ role: 'user', content: 'Go' }],
      signal: AbortSignal.timeout(20_000),
    }))
      if (event.type === 'text') break
    await until(() => upstream.requests[0]?.aborted, 'the hang-up')
    const [entry] = await ended(journal)
    expect(entry).toMatchObject({ ok: true, response: { isCut: true } })
    expect(String(entry?.response?.['text'])).toMatch(/^word/)
  })

  test('a broken upstream connection breaks the answer, and a missing upstream gives none', async (t) => {
    const { post, journal, upstream } = await forwarded(t, [{ text: 'One two three', cutAfter: 4 }])
    const broken = post({ model: 'm', stream: true, messages: [] }).then((answer) => answer.text())
    await expect(broken).rejects.toThrow()
    const { fetch = globalThis.fetch } = await createNetwork({})
    const gone = await endpoint(t, forwardUpstream({ baseUrl: 'http://127.0.0.1:9/v1', fetch }))
    await expect(gone.post({ model: 'm', messages: [] })).rejects.toThrow()
    const entries = [...(await ended(journal)), ...(await ended(gone.journal))]
    expect(entries.map(({ ok }) => ok)).toEqual([false, false])
    expect(entries[1]?.error).toMatch(/ECONNREFUSED/)
    expect(upstream.requests.length).toBe(1)
  })

  test('a redirect is followed within the origin, and the key goes nowhere else', async (t) => {
    const elsewhere = await playModel(t, ['Never.'])
    const upstream = await playModel(t, [
      { status: 307, headers: { location: '/v1/chat/completions' }, body: '' },
      'Here.',
      { status: 307, headers: { location: `${elsewhere.url}/chat/completions` }, body: '' },
    ])
    const { fetch = globalThis.fetch } = await createNetwork({})
    const { model } = await endpoint(t, forwardUpstream({ baseUrl: upstream.url, apiKey: 'sk-of-the-operator', fetch }))
    expect((await callModel(model)).text).toBe('Here.')
    expect(String((await callModel(model)).error)).toContain('redirects to')
    expect(elsewhere.requests).toEqual([])
  })

  test('the query of the address is sent with each call', async () => {
    const urls: string[] = []
    const fetch = (url: unknown) => Promise.resolve(new Response(String(urls.push(String(url)))))
    await forwardUpstream({ baseUrl: 'http://127.0.0.1:1/openai/x/?api-version=1', fetch }).fetch('/models', {
      method: 'GET',
      signal: new AbortController().signal,
    })
    await forwardUpstream({ fetch }).fetch('/models', { method: 'GET', signal: new AbortController().signal })
    expect(urls).toEqual(['http://127.0.0.1:1/openai/x/models?api-version=1', 'https://api.openai.com/v1/models'])
  })
})

describe('a played model', () => {
  test('is read by the bot’s client, streamed and whole, with its usage, reasoning and calls', async (t) => {
    const calls = [{ id: 'a', name: 'search', arguments: '{"q":1}' }]
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
    const { model, whole } = await endpoint(
      t,
      writes({ reasoning: 'Hm.' }, { text: 'One ' }, { text: 'two.' }, { toolCalls: calls }, { usage }),
    )
    for (const one of [model, whole]) {
      const call = await callModel(one)
      expect([call.text, call.error]).toEqual(['One two.', undefined])
      expect(call.usage[0]).toMatchObject({ inputTokens: 7, outputTokens: 3, estimated: false })
      expect(call.events).toContainEqual({ type: 'tool_calls', calls })
      expect(call.events).toContainEqual({ type: 'reasoning', text: 'Hm.' })
    }
  })

  test('refuses with its own status before its first piece, and breaks off after it', async (t) => {
    const refusing = (error: Error, ...pieces: ModelPiece[]): Upstream => ({
      models: () => Promise.resolve([]),
      async *complete() {
        yield* pieces
        throw error
      },
    })
    const { post, journal } = await endpoint(
      t,
      refusing(new UpstreamError(404, 'Nothing was recorded for this.', { 'x-why': 'y' })),
    )
    const refused = await post({ model: 'm', stream: true })
    expect([refused.status, await refused.json()]).toMatchObject([
      404,
      { error: { message: 'Nothing was recorded for this.' } },
    ])
    expect((await ended(journal))[0]).toMatchObject({ ok: false, error: 'Nothing was recorded for this.' })
    const other = await endpoint(t, refusing(new Error('oops'), { text: 'Half' }))
    await expect(other.post({ model: 'm', stream: true }).then((answer) => answer.text())).rejects.toThrow()
    expect((await other.post({ model: 'm' })).status).toBe(500)
  })

  test('the demo gives the same answers over HTTP as in the process', async (t) => {
    const { model } = await endpoint(t, demoUpstream())
    const messages = [
      { role: 'user' as const, content: 'Answer.\nFinal Answer: …\n\nQuestion: What is 6*7?\nThought:' },
    ]
    const { text, usage } = await callModel(model, { messages })
    expect(text).toBe(complete(messages))
    expect(usage[0]?.inputTokens).toBeGreaterThan(5)
  })

  test('answers only this machine, only JSON, and only at the two paths', async (t) => {
    const { url, post, journal } = await endpoint(t, writes({ text: 'x' }))
    const json = { 'content-type': 'application/json' }
    expect((await post({}, { ...json, origin: 'http://evil.example' })).status).toBe(403)
    expect((await post({}, { 'content-type': 'text/plain' })).status).toBe(403)
    expect((await post('[]')).status).toBe(400)
    expect((await post('{"a"')).status).toBe(400)
    expect((await fetch(`${url}/embeddings`, { method: 'POST', headers: json, body: '{}' })).status).toBe(404)
    expect(await (await fetch(`${url}/models`)).json()).toMatchObject({ data: [{ id: 'played' }] })
    expect((await ended(journal, 3)).map(({ ok }) => ok)).toEqual([false, false, true])
  })
})

describe('a model with faults', () => {
  const acting = act('Let me see.', 'calculator', '6*7')

  test('answers with a status, or late, or never', async (t) => {
    const limited = await endpoint(t, writes({ text: 'x' }), { status: 429, retryAfter: 2 })
    const refused = await limited.post({ model: 'm' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
    const late = await endpoint(t, writes({ text: 'x' }), { delayMs: 60, pieceMs: 60 })
    const began = performance.now()
    expect((await callModel(late.model)).text).toBe('x')
    expect(performance.now() - began).toBeGreaterThan(110)
    const silent = await endpoint(t, writes({ text: 'x' }), { hang: true })
    const hangUp = new AbortController()
    const call = callModel(silent.model, { signal: hangUp.signal })
    await until(() => silent.journal.entries().length === 1, 'the call')
    hangUp.abort()
    expect((await call).error).toBeInstanceOf(Error)
    const [entry] = await ended(silent.journal)
    expect(entry).toMatchObject({ ok: false, error: 'The caller hung up before anything came.' })
  })

  test('invents observations and never ends, played or real', async (t) => {
    const real = await playModel(t, [acting])
    const fetch = globalThis.fetch
    for (const upstream of [
      writes({ text: acting }, { finish: 'stop' }),
      forwardUpstream({ baseUrl: real.url, fetch }),
    ]) {
      const inventing = await endpoint(t, upstream, { invents: true })
      expect((await callModel(inventing.whole, { stop: ['\nObservation'] })).text).toMatch(
        /6\*7\nObservation: \(made up[^]*Final Answer: 666/,
      )
      const endless = await endpoint(t, upstream, { endless: true })
      const hangUp = new AbortController()
      const enough = /6\*7( and on){5}/
      const stop = ['\nObservation']
      const { text } = await callModel(endless.model, { signal: hangUp.signal, stop }, (call) => {
        if (enough.test(call.text)) hangUp.abort()
      })
      expect(text).toMatch(enough)
    }
    const plain = await endpoint(t, writes({ text: finish('Yes.') }), { invents: true })
    expect((await callModel(plain.model)).text).toBe(finish('Yes.'))
  })
})
