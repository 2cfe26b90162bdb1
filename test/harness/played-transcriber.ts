import type { IncomingHttpHeaders } from 'node:http'
import { listen, readBytes } from '../../playground/base/loopback-server.ts'
import type { PlayedModel } from './played-model.ts'
import type { Ends } from './ends.ts'

export interface PlayedTranscriber {
  /** For OPENAI_BASE_URL: transcribes here, and passes everything else on to the model. */
  url: string
  requests: { headers: IncomingHttpHeaders; model: unknown; name: string; bytes: string }[]
  /** The next answers, the last one for ever: the words, or a status. */
  answers: (string | number)[]
  /** It never answers. */
  isSilent: boolean
  /** The number of requests that were given up. */
  gone: number
}

/** A simulated endpoint with `/audio/transcriptions`, in front of a simulated model. */
export async function playTranscriber(t: Ends, model: () => PlayedModel): Promise<PlayedTranscriber> {
  const played: PlayedTranscriber = { url: '', requests: [], answers: ['It rains.'], isSilent: false, gone: 0 }
  const { base, close } = await listen((request, response) => {
    void (async () => {
      const { url = '', headers, method = 'GET' } = request
      const body = await readBytes(request, 40_000_000)
      if (!url.endsWith('/audio/transcriptions')) {
        const passed = await fetch(`${new URL(model().url).origin}${url}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(method === 'POST' ? { body: new Uint8Array(body) } : {}),
        })
        response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? 'text/plain' })
        return response.end(await passed.text())
      }
      const type = { 'content-type': headers['content-type'] ?? '' }
      const form = await new Response(new Uint8Array(body), { headers: type }).formData()
      const file = form.get('file') as File
      played.requests.push({ headers, model: form.get('model'), name: file.name, bytes: await file.text() })
      response.on('close', () => void (played.gone += response.writableFinished ? 0 : 1))
      if (played.isSilent) return
      const answer = played.answers.length > 1 ? played.answers.shift()! : played.answers[0]!
      const status = typeof answer === 'number' ? answer : 200
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(status === 200 ? { text: answer } : { error: { message: 'no' } }))
    })().catch(() => response.destroy())
  })
  t.onTestFinished(close)
  played.url = `${base}/v1`
  return played
}
