/** Reads an endpoint's error, in the words of any provider. failures.ts chooses what becomes of it. */
import { APIError } from 'openai/core/error'
import { isRecord } from '../base/parse-json.ts'
import { comparesTokens, isOfRequest } from './window-refusals.ts'

/** Maximum characters of an error that are read. */
const MAX_WORDS = 20_000

/** Everything that the endpoint says, which may quote another endpoint, without the pictures that some repeat. */
export function errorWords({ message, error }: APIError): string {
  const inner = error === undefined ? '' : JSON.stringify(error).replace(/"[\w.-]{1,40}":/g, '. ')
  const all = `${message}. ${inner}`.replaceAll('\\', '')
  return all.replace(/data:image\/[\w.+-]{1,20};base64,[\w+/=]*/g, '').slice(0, MAX_WORDS)
}

/** Where a body holds its error, and where an error holds its words and its code. */
const ERRORS = ['error', 'err', 'errors', 'base_resp', 'detail']
const WORDS = ['message', 'msg', 'error_msg', 'error_message', 'errmsg', 'status_msg', ...ERRORS]
const CODES = ['code', 'status', 'status_code', 'statusCode', 'error_code', 'errcode', 'http_status']
/** Codes of a body that is no error. */
const GOOD = new Set(['', '0', '200', 'ok', 'success', 'undefined', 'null', 'queued', 'processing', 'pending'])
const MAX_DEPTH = 4

/**
 * The error in a body or chunk that a status of 200 came with: in one of its fields, or alone, as its own words. A
 * chunk of the Responses API has a type, and is none.
 */
export function apiErrorIn(body: unknown, headers?: Headers): APIError | undefined {
  if (!isRecord(body) || body.type === 'error') return undefined
  const inner = ERRORS.map((name) => body[name]).find((one) => firstIn(one) !== undefined && !isGood(one))
  const isAnswer = Array.isArray(body.choices) || body.type !== undefined
  const isAlone = body.object === 'error' || (!isAnswer && body.success !== true && !isGood(body))
  const isInside = inner !== undefined && (!isAnswer || inner !== body.detail)
  if (!isInside && !isAlone) return undefined
  const message = firstIn(isInside ? inner : body) ?? (body.object === 'error' ? 'an error' : undefined)
  if (message === undefined) return undefined
  const own = isRecord(inner) ? inner : body
  const codes = [...codesIn(inner), ...codesIn(body)]
  const status = codes.map(Number).find((code) => code >= 400 && code < 600)
  return new APIError(status, { ...own, message, code: codes[0] }, undefined, headers)
}

/** The error in a chunk that is only words. */
export function errorInWords(text: string): APIError | undefined {
  const error = new APIError(undefined, { message: text }, undefined, undefined)
  const isError =
    /\berror\b/i.test(text) || statusOf(error) !== undefined || isContextLength(error) || hasNoMoney(error)
  return isError ? error : undefined
}

/** The first words in a value. */
function firstIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return firstIn(value[0], depth + 1)
  if (!isRecord(value)) return undefined
  for (const name of WORDS) {
    const words = firstIn(value[name], depth + 1)
    if (words !== undefined) return words
  }
  return Object.keys(value).length > 0 && depth > 0 ? JSON.stringify(value) : undefined
}

function codesIn(value: unknown): (string | number)[] {
  const one: unknown = Array.isArray(value) ? value[0] : value
  const given = isRecord(one) ? CODES.map((name) => one[name]) : []
  return given.filter((code) => typeof code === 'string' || typeof code === 'number')
}

function isGood(value: unknown): boolean {
  const codes = codesIn(value)
  return codes.length > 0 && codes.every((code) => GOOD.has(String(code).toLowerCase()))
}

/** The HTTP status, or what the code, the type or the words of an error inside a stream stand for. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof APIError)) return undefined
  const { status, code, type, message } = error
  if (status !== undefined) return status
  const given = Number(code)
  if (given >= 400 && given < 600) return given
  if (REFUSES_KEY.test(message)) return 401
  if (NO_SUCH_MODEL.test(message)) return 404
  return STATUSES.get(plain(code)) ?? STATUSES.get(plain(type))
}

function plain(code: unknown): string {
  return String(code)
    .toLowerCase()
    .replace(/[^a-z]|error$/g, '')
}

const STATUSES = new Map([
  ['invalidapikey', 401],
  ['authentication', 401],
  ['unauthenticated', 401],
  ['unauthorized', 401],
  ['permission', 403],
  ['permissiondenied', 403],
  ['forbidden', 403],
  ['notfound', 404],
  ['modelnotfound', 404],
  ['badrequest', 400],
  ['invalidrequest', 400],
  ['invalidargument', 400],
  ['ratelimit', 429],
  ['ratelimitexceeded', 429],
  ['resourceexhausted', 429],
])

const REFUSES_KEY = new RegExp(
  [
    '\\b(?:invalid|incorrect|wrong|missing|expired|unknown|no)\\b[^.]{0,20}\\b(?:(?:api|secret|access|auth\\w*|x-api|bearer)[ -]?(?:key|token|credential)s?|api ?keys?|credentials?)\\b(?! (?:count|limit|type))',
    '\\b(?:key|(?:access|auth\\w*|bearer|api|id) token|credential)s?\\b[^.]{0,20}\\b(?:not valid|invalid|incorrect|expired|revoked|required|missing)\\b',
    '\\bauthenticat\\w+ (?:error|fail\\w*|required)',
    '\\bunauthori[sz]ed\\b|^forbidden\\b|\\blogin fail',
    '无效的(?:令牌|密钥)|(?:令牌|密钥)(?:无效|已过期)',
  ].join('|'),
  'i',
)

/** Returns whether the endpoint does not accept the key. Google answers with 400, which may be about a field's key. */
export function refusesKey(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== 400 || !(error instanceof APIError)) return status === 401 || status === 403
  return REFUSES_KEY.test(error.message) && /\bapi[ _-]?key\b|credential/i.test(error.message)
}

const NO_SUCH_MODEL = /invalid model name|\bmodel\b.{0,250}(?:not found|does not exist)/i

/**
 * Returns whether the endpoint does not have the model. LiteLLM and some gateways answer with 400. A bare 404 may be a
 * wrong path.
 */
export function isUnknownModel(error: unknown): boolean {
  const status = statusOf(error)
  if (!(error instanceof APIError) || (status !== 400 && status !== 404)) return false
  if (status === 404 && /(?<![/-])\bmodel\b(?![/-])/i.test(error.message)) return true
  return error.code === 'model_not_found' || NO_SUCH_MODEL.test(error.message)
}

/** Returns whether the account has no money or quota left, in the words of any provider. */
export function hasNoMoney(error: unknown): boolean {
  if (!(error instanceof APIError)) return false
  const codes = `${String(error.code)} ${String(error.type)}`
  if (error.status === 402 || /\binsufficient_/i.test(codes)) return true
  const words = errorWords(error).replace(/https?:\S+/g, '')
  return !PASSES.test(words) && (NO_MONEY_CODE.test(codes) || NO_MONEY.test(words))
}

const NO_MONEY_CODE =
  /insufficient_(?:user_)?(?:quota|balance|funds|credits?)|(?<![a-z]_)quota_exceeded|exceeded_current_quota|set_?limit_?exceeded|arrear|overdue|billing_|budget_exceeded|payment_required/i
const MONEY = String.raw`\b(?:credits?|balance|billing|(?<!thinking |reasoning )budget|spend\w*|prepay\w*|invoices?|payments?|funds)\b`
const LACK = String.raw`(?:\b(?:insufficient|too low|not enough|depleted|exhausted|r[au]n out|used (?:up|all)|exceeded|reached|overdue|unpaid|suspended|to be enabled|inactive|not active)\b|(?:n't|not) have (?:any|enough)\b)`
const FREE = String.raw`\bfree (?:trial |usage )?(?:tier|quota|allocation)\b`
const NO_MONEY = new RegExp(
  [
    `${MONEY}[^.;]{0,40}(?:${LACK}|\\brequires?\\b)`,
    `(?:${LACK}|\\brequires?\\b)[^.;]{0,40}${MONEY}`,
    'exceeded your (?:current )?quota|exceeds the service quota|\\bout of (?!\\d)[^.;]{0,20}\\bquota',
    `${FREE}[^.;]{0,40}${LACK}`,
    `${LACK}[^.;]{0,40}${FREE}`,
    '\\bkey limit exceeded',
    '(?:spend(?:ing)?|specified api usage|(?:weekly|monthly) usage|daily(?: request)?|(?:tokens|requests) per day) limits?\\b',
    'arrearage',
    '余额不足|欠费|额度(?:不足|已?用尽|已?用完)',
  ].join('|'),
  'i',
)
/** Words of a limit that passes by itself. */
const PASSES =
  /\b(?:try again|retry|wait) (?:in|after)\b|per[ -]?(?:second|minute)|\b(?:RPM|RPS|TPM|QPS)\b|concurren|rate[ _-]?limit/i

export function isContextLength(error: unknown): boolean {
  if (!(error instanceof APIError)) return false
  if (TOO_LONG_CODE.test(`${String(error.code)} ${String(error.type)}`)) return true
  const words = errorWords(error)
  if (error.status === 429 && !/request too large/i.test(words)) return false
  if (!isOfRequest(error) && OF_TIME.test(words)) return false
  return TOO_LONG.test(words) || comparesTokens(error)
}

const TOO_LONG_CODE =
  /context_length_exceeded|exceed_context_size|out_?of_?context|context_window|tokens_(?:limit_reached|too_long)|max_prompt_tokens|(?<!\d)1261(?!\d)/i

/** Words of a failure in time or of a connection. */
const OF_TIME =
  /\b(?:deadline|time[ds]?(?: out)?|timeouts?|wait\w*|queue\w*|concurren\w*|cancell?ed|dial|seconds?|rpc)\b/i

const CONVERSATION = String.raw`\b(?:prompts?|inputs?|messages?|conversation|request|context|query|tokens?)\b`
/** Words between that are not about a field, a picture or a rate. */
const BETWEEN = String.raw`(?:(?!\b(?:tools?|functions?|names?|descriptions?|schemas?|images?|pictures?|user|metadata|ids?|stop|files?|entity|pages?|audio|video|rate|quota)\b)[^.]){0,60}?`
const EXCEEDS = String.raw`(?:\bexceed(?!\w*[^.]{0,30}\b(?:rate|quota|per minute|budget|MB)\b)|\btoo (?:long|large)\b|\btoo many (?:tokens|characters)|\b(?:longer|larger|greater) than\b|\bonly supports? up to\b)`

/** The words of many providers for a conversation that is too long. A field that is too long is another error. */
const TOO_LONG = new RegExp(
  [
    'context.{0,20}(?:length|window|size|limit)',
    'too many tokens',
    'max(?:imum)?.{0,20}tokens (?:allowed|limit)|maximum.{0,20}tokens|max input (?:characters|length|tokens)',
    `${CONVERSATION}${BETWEEN}${EXCEEDS}`,
    `\\bexceed\\w*${BETWEEN}(?:model token limit|(?:input|prompt|message|context)\\b[^.]{0,20}(?:tokens?|length|limit))`,
    '\\breduce (?:the |your )?(?:length of the |input |prompt |message )+(?:messages?|token|size|length)',
    'maximum (?:prompt|input|model|sequence) length',
    'range of input length',
    'inputs?`? tokens \\+',
    'inputs?`? must have (?:less|fewer) than',
    'input tokens cannot exceed',
    // A message that is too long itself, Titan, and what is left for the answer.
    'messages[^\\s"]{0,20}content\\S{0,4} string too long',
    'max_?length: \\d{4,}, actual',
    'max_tokens \\(-\\d|max_\\w{0,20}tokens\\D{0,60}(?:at least|greater than)\\D{0,10}\\d.{0,40}-\\d',
    '\\bprompt tokens limit exceeded',
    '(?:上下文|输入|提示词?|prompt|tokens?)[^。]{0,20}(?:超过|超出|超长|过长|太长)|上下文长度',
  ].join('|'),
  'i',
)
