/**
 * Names and attributes of the spans, after OpenTelemetry's semantic conventions for generative AI (the ones of 2026,
 * from github.com/open-telemetry/semantic-conventions-genai; all of them still "Development"). Texts of people, models
 * and tools are redacted unless the settings ask for them (`redactContent`).
 */
import { SpanKind, type Attributes } from '@opentelemetry/api'
import { stepCount, totalOf } from '../agent/run-progress.ts'
import { conversationOf, type Question } from '../stores/runs/types.ts'
import type { TelemetryEvent, ModelCallEvent, SlackCallEvent, ToolCallEvent } from './telemetry-event.ts'
import { isForAskerSoFar, type Attempt } from './question-attempt.ts'
import type { Message, Picture, ToolCall } from '../agent/contracts/model.ts'

export const AGENT_NAME = 'thinkaloud'

/** The API's flavour is OpenAI's, whichever provider serves it. */
const PROVIDER = { 'gen_ai.provider.name': 'openai' }

/** How spans are written. */
export interface SpanStyle {
  /** The address of the models; undefined for OpenAI itself. */
  baseUrl: string | undefined
  isStreaming: boolean
  withContent: boolean
}

/**
 * Redaction: texts of people, models and tools go into a span only if OTEL_CAPTURE_CONTENT is set. Tokens are redacted
 * from log lines by `redactTokens` (log.ts).
 */
function redactContent({ withContent }: SpanStyle, content: () => Attributes): Attributes {
  return withContent ? content() : {}
}

/** A span has no content after a result that only the asker may see. */
function styleOf(attempt: Attempt, style: SpanStyle): SpanStyle {
  return isForAskerSoFar(attempt) ? { ...style, withContent: false } : style
}

/** A finished call that becomes a span. `error` is a class of errors with few values; undefined for success. */
interface CallSpan {
  name: string
  kind: SpanKind
  attributes: Attributes
  ms: number
  error: string | undefined
}

/** @returns undefined for an event that is no call */
export function callSpan(event: TelemetryEvent, attempt: Attempt, given: SpanStyle): CallSpan | undefined {
  const style = styleOf(attempt, given)
  if (event.kind === 'model') return chatSpan(event, attempt, style)
  if (event.kind === 'tool') return toolSpan(event, style)
  return event.kind === 'slack' ? slackSpan(event) : undefined
}

/** Contains only ids, because people's texts must not be in a trace. */
export function questionAttributes({ id, team, channel, surface }: Question): Attributes {
  return {
    'thinkaloud.question.id': id,
    'thinkaloud.surface': surface,
    'slack.team.id': team,
    'slack.channel.id': channel,
  }
}

/** Returns the attributes that are known before an attempt begins, which a sampler would need. */
export function agentAttributes(question: Question): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    ...PROVIDER,
    'gen_ai.agent.name': AGENT_NAME,
    'gen_ai.conversation.id': conversationOf(question),
    ...questionAttributes(question),
  }
}

/** Returns the attributes that are known once the agent is done. */
export function agentEndAttributes(attempt: Attempt, style: SpanStyle): Attributes {
  const { question, number, progress, answer, outcome } = attempt
  const { inputTokens, outputTokens } = totalOf(progress.usage)
  return {
    ...(outcome ? { 'thinkaloud.outcome': outcome } : {}),
    'thinkaloud.steps': stepCount(progress.steps),
    'thinkaloud.attempt': number,
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...redactContent(styleOf(attempt, style), () => ({
      'gen_ai.input.messages': inputMessages([{ role: 'user', content: question.text }]),
      ...(answer ? { 'gen_ai.output.messages': outputMessages(answer) } : {}),
    })),
  }
}

/** One span per call of an endpoint, its retries included, as its client sees it. */
function chatSpan(event: ModelCallEvent, { question }: Attempt, style: SpanStyle): CallSpan {
  const { baseUrl, isStreaming } = style
  const { model, request, retries, ms, error } = event
  const first = event.firstMs === undefined ? {} : { 'gen_ai.response.time_to_first_chunk': event.firstMs / 1000 }
  const attributes = {
    'gen_ai.operation.name': 'chat',
    ...PROVIDER,
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': conversationOf(question),
    ...serverAttributes(baseUrl),
    ...(request.stop?.length ? { 'gen_ai.request.stop_sequences': request.stop } : {}),
    ...(isStreaming ? { 'gen_ai.request.stream': true, ...first } : {}),
    ...usageAttributes(event),
    ...(retries > 0 ? { 'thinkaloud.retries': retries } : {}),
    ...redactContent(style, () => messageAttributes(event)),
  }
  return { name: `chat ${model}`, kind: SpanKind.CLIENT, attributes, ms, error }
}

function serverAttributes(baseUrl = 'https://api.openai.com/v1'): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl)
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'http:' ? 80 : 443)) }
}

/** Counts the try that brought the answer. The metrics include earlier tries. */
function usageAttributes({ usages }: ModelCallEvent): Attributes {
  const last = usages.at(-1)
  if (!last) return {}
  return {
    'gen_ai.usage.input_tokens': last.inputTokens,
    'gen_ai.usage.output_tokens': last.outputTokens,
    ...(last.cachedTokens ? { 'gen_ai.usage.cache_read.input_tokens': last.cachedTokens } : {}),
    ...(last.reasoningTokens ? { 'gen_ai.usage.reasoning.output_tokens': last.reasoningTokens } : {}),
  }
}

function messageAttributes({ request, text, toolCalls }: ModelCallEvent): Attributes {
  return {
    'gen_ai.input.messages': inputMessages(request.messages),
    'gen_ai.output.messages': outputMessages(text, toolCalls),
  }
}

/** The failure of a tool is an error of its span only: the agent reads about it and continues. */
function toolSpan({ tool, ok, ms, callId, input, output }: ToolCallEvent, style: SpanStyle): CallSpan {
  const written = typeof input === 'string' ? input : JSON.stringify(input)
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
    'gen_ai.agent.name': AGENT_NAME,
    ...(callId === undefined ? {} : { 'gen_ai.tool.call.id': callId }),
    ...redactContent(style, () => ({ 'gen_ai.tool.call.arguments': written, 'gen_ai.tool.call.result': output })),
  }
  return { name: `execute_tool ${tool}`, kind: SpanKind.INTERNAL, attributes, ms, error: ok ? undefined : 'tool_error' }
}

/** There are no conventions for Slack. Each try is a span, so that a retry shows its wait. */
function slackSpan({ method, outcome, ms, attempt }: SlackCallEvent): CallSpan {
  const attributes = { 'slack.method': method, ...(attempt > 0 ? { 'slack.attempt': attempt } : {}) }
  return {
    name: `slack ${method}`,
    kind: SpanKind.CLIENT,
    attributes,
    ms,
    error: outcome === 'ok' ? undefined : outcome,
  }
}

/** Returns the messages to a model: `gen_ai.input.messages`. */
export function inputMessages(messages: Message[]): string {
  return JSON.stringify(messages.map((message) => ({ role: message.role, parts: partsOf(message) })))
}

/**
 * Returns the model's output: `gen_ai.output.messages`. The schema requires a finish reason. It is unknown here except
 * for tool calls; a text that we cut ourselves counts as stopped.
 */
function outputMessages(text: string, calls: ToolCall[] = []): string {
  const parts = [...textPart(text), ...calls.map(callPart)]
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: calls.length > 0 ? 'tool_call' : 'stop' }])
}

function partsOf({ content, images = [], toolCalls = [], toolCallId }: Message): object[] {
  if (toolCallId !== undefined) return [{ type: 'tool_call_response', id: toolCallId, response: content }]
  return [...textPart(content), ...images.map(picturePart), ...toolCalls.map(callPart)]
}

/** Pictures themselves are never traced. */
function picturePart({ name, mime, base64 }: Picture): object {
  return { type: 'image', name, mime_type: mime, bytes: Buffer.byteLength(base64, 'base64') }
}

function textPart(content: string): object[] {
  return content === '' ? [] : [{ type: 'text', content }]
}

function callPart({ id, name, arguments: written }: ToolCall): object {
  return { type: 'tool_call', id, name, arguments: written }
}
