/**
 * Sends a recording to the endpoint's `/audio/transcriptions` (https://platform.openai.com/docs/api-reference/audio).
 */
import { z } from 'zod'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { parseJson } from '../base/parse-json.ts'
import type { Network } from '../base/http/proxy.ts'
import type { Config } from '../config.ts'
import { askEndpoint } from './model-list.ts'

/** The bytes of a recording, as the endpoint gets them. */
interface SpokenFile {
  name: string
  mimetype: string
  bytes: Uint8Array
}

/** `refused`: the endpoint does not transcribe this recording, now or later. `unreachable`: it may later. */
export type NotTranscribed = 'refused' | 'tooLarge' | 'unreachable'

type Transcript = { words: string; fault?: undefined } | { words?: undefined; fault: NotTranscribed }

/** Returns the words, perhaps none. A failure is logged. @throws if aborted */
export type Transcribe = (recording: SpokenFile, signal: AbortSignal) => Promise<Transcript>

const answerSchema = z.object({ text: z.string() })

/** Returns undefined unless TRANSCRIBE_MODEL is set. */
export function createTranscriber(config: Config, { net, log }: { net: Network; log: Log }): Transcribe | undefined {
  const { TRANSCRIBE_MODEL: model } = config
  if (model === undefined) return undefined
  return async ({ name, mimetype, bytes }, signal) => {
    const form = new FormData()
    form.set('model', model)
    form.set('response_format', 'json')
    form.set('file', new Blob([new Uint8Array(bytes)], { type: mimetype }), name)
    // Encoded here, because the FormData of one fetch may be unknown to another.
    const encoded = new Response(form)
    try {
      const type = encoded.headers.get('content-type') ?? ''
      const post = { type, body: new Uint8Array(await encoded.arrayBuffer()) }
      const response = await askEndpoint('audio/transcriptions', config, { net, signal, post })
      const text = await response.text()
      if (response.ok) return { words: answerSchema.parse(parseJson(text)).text.trim() }
      log.warn({ model, status: response.status }, 'a recording was not transcribed')
      return { fault: faultOf(response.status) }
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ model, error: messageOf(error) }, 'a recording was not transcribed')
      return { fault: 'unreachable' }
    }
  }
}

function faultOf(status: number): NotTranscribed {
  if (status === 413) return 'tooLarge'
  return status === 408 || status === 429 || status >= 500 ? 'unreachable' : 'refused'
}
