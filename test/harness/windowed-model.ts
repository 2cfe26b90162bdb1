/** Endpoints with a window, as llama.cpp, vLLM, LM Studio, Ollama and OpenAI have one (facts of November 2026). */
import type { Ends } from './ends.ts'
import { playModel, type PlayedModel, type PlayedRequest, type Turn } from './played-model.ts'

export type ServerName = 'llama.cpp' | 'vLLM' | 'LM Studio' | 'Ollama' | 'OpenAI'

interface Server {
  /** What GET of a path answers. */
  lists?: (window: number) => Record<string, object>
  /** The refusal of a prompt that is too long. Absent: it is cut in silence. */
  refusal?: (tokens: number, window: number) => object
}

const entry = (id: string, facts: object = {}) => ({ data: [{ id, object: 'model', ...facts }] })

const SERVERS: Record<ServerName, Server> = {
  'llama.cpp': {
    lists: (n_ctx) => ({ '/v1/models': entry('/models/qwen.gguf', { meta: { n_ctx, n_ctx_train: 32_768 } }) }),
    refusal: (n_prompt_tokens, n_ctx) => ({
      error: {
        code: 400,
        message: `request (${n_prompt_tokens} tokens) exceeds the available context size (${n_ctx} tokens), try increasing it`,
        type: 'exceed_context_size_error',
        n_prompt_tokens,
        n_ctx,
      },
    }),
  },
  vLLM: {
    lists: (max_model_len) => ({ '/v1/models': entry('played-model', { max_model_len }) }),
    refusal: (tokens, window) => ({
      object: 'error',
      message: `This model's maximum context length is ${window} tokens. However, you requested ${tokens} tokens in the messages. Please reduce the length of the messages.`,
      type: 'BadRequestError',
      code: 400,
    }),
  },
  'LM Studio': {
    lists: (loaded_context_length) => ({
      '/v1/models': entry('played-model', { owned_by: 'organization_owner' }),
      '/api/v0/models': entry('played-model', { state: 'loaded', max_context_length: 131_072, loaded_context_length }),
    }),
    refusal: (tokens, window) => ({
      error: `Trying to keep the first ${tokens} tokens when context the overflows. However, the model is loaded with context length of only ${window} tokens, which is not enough.`,
    }),
  },
  Ollama: { lists: () => ({ '/v1/models': entry('played-model', { owned_by: 'library' }) }) },
  OpenAI: {
    refusal: (tokens, window) => ({
      error: {
        message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    }),
  },
}

interface Windowed {
  server: ServerName
  window: number
  /** The turns in order; the last one is repeated. Refused requests take none. */
  turns: Turn[]
  /** How many characters are a token for this server. Default: 4. */
  perToken?: number
  /** Whether it tells its window. Default: as the server does. */
  isListed?: boolean
}

export interface WindowedModel extends PlayedModel {
  /** The requests that were answered, and how many tokens they had. */
  answered: { request: PlayedRequest; tokens: number }[]
  refused: number
}

export async function playWindowed(t: Ends, options: Windowed): Promise<WindowedModel> {
  const { server, window, turns, perToken = 4, isListed = true } = options
  const { lists, refusal } = SERVERS[server]
  const answered: WindowedModel['answered'] = []
  let refused = 0
  const model = await playModel(t, (request) => {
    const tokens = Math.ceil((request.prompt.length + JSON.stringify(request.body.tools ?? '').length) / perToken)
    if (tokens > window && refusal) {
      refused += 1
      return { status: 400, body: refusal(tokens, window) }
    }
    const turn = turns[Math.min(answered.length, turns.length - 1)] ?? ''
    answered.push({ request, tokens })
    const parts = typeof turn === 'string' ? { text: turn } : turn
    return { ...parts, usage: { prompt_tokens: Math.min(tokens, window), completion_tokens: 5 } }
  })
  if (isListed) for (const [path, body] of Object.entries(lists?.(window) ?? {})) model.lists.set(path, body)
  return Object.defineProperty(Object.assign(model, { answered, refused: 0 }), 'refused', { get: () => refused })
}
