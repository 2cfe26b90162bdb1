/**
 * Learns which models do not accept pictures, from their endpoints' many error texts and statuses. Loaded by the first
 * call with a picture.
 */
import { APIError } from 'openai/core/error'
import type { ModelRequest, Picture } from '../agent/contracts/model.ts'
import type { Log } from '../base/log.ts'
import { isContextLength, isUnknownModel, errorWords } from './error-words.ts'
import { knownFailureIn } from './failures.ts'

/** A request prepared for a model. */
export interface PreparedRequest {
  request: ModelRequest
  /** Whether the pictures were removed. */
  imagesStripped: boolean
}

interface RefusalOptions {
  model: string
  /** The models that do not accept pictures, shared by all endpoints. */
  blindModels?: Set<string> | undefined
  log: Log
}

/** Tracks the pictures and models that one endpoint refuses. */
export class PictureRefusals {
  readonly #blind: Set<string>
  readonly #model: string
  readonly #log: Log
  /** Pictures that this endpoint refused for any reason. They do not delay their run again. */
  readonly #refused = new WeakSet<Picture>()

  constructor({ model, blindModels = new Set(), log }: RefusalOptions) {
    this.#model = model
    this.#blind = blindModels
    this.#log = log
  }

  /** The request, with text instead of the pictures if this model does not accept them. */
  prepare(request: ModelRequest): PreparedRequest {
    const imagesStripped =
      this.#blind.has(this.#model) || picturesIn(request).some((picture) => this.#refused.has(picture))
    return { request: imagesStripped ? withoutPictures(request) : request, imagesStripped }
  }

  /** Returns whether the error says that the model does not accept pictures. It gets none from then on. */
  learnFromError(error: unknown, sent: PreparedRequest): boolean {
    if (sent.imagesStripped || !(error instanceof APIError) || !saysBlind(error)) return false
    const fields = { model: this.#model }
    if (!this.#blind.has(this.#model))
      this.#log.warn(fields, 'the model does not accept pictures: they are left out from now on')
    this.#blind.add(this.#model)
    return true
  }

  /**
   * Returns whether the pictures may be the reason for a refusal without another known reason: too large, broken, too
   * many, or an unknown text. A repeated call without them shows it.
   */
  isMaybeImageError(error: unknown, sent: PreparedRequest): boolean {
    if (sent.imagesStripped || !(error instanceof APIError) || !REFUSED.has(error.status ?? 0)) return false
    if (knownFailureIn(error) || isContextLength(error) || isUnknownModel(error)) return false
    for (const picture of picturesIn(sent.request)) this.#refused.add(picture)
    this.#log.warn(
      { model: this.#model, status: error.status },
      'a call with pictures was refused: repeating it without them',
    )
    return true
  }
}

function picturesIn({ messages }: ModelRequest): Picture[] {
  return messages.flatMap(({ images = [] }) => images)
}

function withoutPictures(request: ModelRequest): ModelRequest {
  const messages = request.messages.map(({ images, unseen = '', ...message }) =>
    images ? { ...message, content: unseen + message.content } : message,
  )
  return { ...request, messages }
}

const REFUSED = new Set([400, 413, 415, 422])

/**
 * Returns whether the model cannot see. llama.cpp sends status 500 for it, OpenRouter 404; an error inside a stream has
 * none.
 */
function saysBlind(error: APIError): boolean {
  const { status = 500 } = error
  if (!REFUSED.has(status) && status !== 404 && status < 500) return false
  const words = errorWords(error)
  return (
    (CANNOT_SEE.test(words) || (WANTS_TEXT.test(words) && ABOUT_CONTENT.test(words))) && !OF_THIS_PICTURE.test(words)
  )
}

const PICTURES = '(?:image|picture|vision|visual|multi-?modal)'

/**
 * Says that the model cannot see, in the words of OpenAI and Azure, vLLM, SGLang, Ollama, llama.cpp, LM Studio,
 * OpenRouter, Mistral, xAI, Bedrock, DeepSeek and gateways in front of them.
 */
const CANNOT_SEE = new RegExp(
  [
    `${PICTURES}.{0,60}(?:not (?:be )?(?:support|enabl|available|accept|allow|permitted|compatible)|n't support|unsupported|incompatible)`,
    `(?:not|n't|cannot|unable to) (?:support|accept|handle|process|take|have|understand)[^.]{0,60}${PICTURES}`,
    `not an? ${PICTURES}`,
    'image_url is only supported by certain models',
    'no endpoints? found that support image',
    'missing data required for image',
    'at most 0 image',
    'mmproj',
    'unknown variant .?image_url',
    'unsupported content.{0,20}image_url',
    'text[ -]only model|only supports? text',
    '不支持.{0,8}(?:图|视觉|多模态)',
  ].join('|'),
  'i',
)

/**
 * Groq, older OpenAIs, DeepSeek and validators such as pydantic expect content as a string: they do not support
 * pictures.
 */
const WANTS_TEXT =
  /(?:must be|should be|expected) (?:a |an )?(?:valid )?(?:string\b|'text')|not of type .?string|untagged enum/i
const ABOUT_CONTENT = /content|messages/i

/** An error about one picture says nothing about the model. */
const OF_THIS_PICTURE =
  /unsupported image|image\/\w|(?:image|picture) (?:format|type|size|dimension|resolution)|media[_ ]?type|mime|decod|corrupt|invalid (?:base64|image)|too (?:large|many|big)|exceed|pixels|could not process|at most [1-9]/i
