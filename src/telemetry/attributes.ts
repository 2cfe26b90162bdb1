/**
 * Names and attributes of the spans, after OpenTelemetry's semantic conventions for generative AI (the ones of 2026, from
 * github.com/open-telemetry/semantic-conventions-genai; all still "Development"). Content goes in only on request.
 */
import type { Attributes } from '@opentelemetry/api'
import type { Message } from '../agent/types.ts'
import { threadOf, type Question } from '../run/types.ts'
import type { ModelFact, ToolFact } from './facts.ts'
import type { Go } from './go.ts'

export const AGENT_NAME = 'thinkaloud'

/** The form of the telemetry, which is that of OpenAI's API whoever stands behind it. */
const PROVIDER = { 'gen_ai.provider.name': 'openai' }

/** Where the models are: known once for the whole process. */
export function endpointAttributes(baseUrl: string | undefined, stream: boolean): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl ?? 'https://api.openai.com/v1')
  const address = { 'server.address': hostname, 'server.port': Number(port || (protocol === 'http:' ? 80 : 443)) }
  return { ...PROVIDER, ...address, ...(stream ? { 'gen_ai.request.stream': true } : {}) }
}

/** Ids only: who wrote what is not for a trace. */
export function questionAttributes(question: Question): Attributes {
  const { id, team, channel, surface } = question
  return {
    'thinkaloud.question.id': id,
    'thinkaloud.surface': surface,
    'slack.team.id': team,
    'slack.channel.id': channel,
  }
}

export function agentAttributes(question: Question): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    ...PROVIDER,
    'gen_ai.agent.name': AGENT_NAME,
    'gen_ai.conversation.id': threadOf(question),
    ...questionAttributes(question),
  }
}

/** What is known once the agent has come to its end. */
export function agentEndAttributes({ question, run, outcome }: Go, withContent: boolean): Attributes {
  const { saved } = run
  const count = (of: (usage: (typeof saved.usage)[number]) => number) =>
    saved.usage.reduce((total, usage) => total + of(usage), 0)
  return {
    ...(outcome ? { 'thinkaloud.outcome': outcome } : {}),
    'thinkaloud.steps': saved.steps.length,
    'thinkaloud.attempt': saved.attempts,
    'gen_ai.usage.input_tokens': count((usage) => usage.inputTokens),
    'gen_ai.usage.output_tokens': count((usage) => usage.outputTokens),
    ...(withContent ? { 'gen_ai.input.messages': inputMessages([{ role: 'user', content: question.text }]) } : {}),
    ...(withContent && saved.answer ? { 'gen_ai.output.messages': outputMessage(saved.answer.text, []) } : {}),
  }
}

export function chatAttributes(fact: ModelFact, withContent: boolean): Attributes {
  const { model, request, usages, firstMs, retries, error, text, toolCalls } = fact
  const cached = usages.reduce((total, usage) => total + (usage.cachedTokens ?? 0), 0)
  const last = usages.at(-1)
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    ...(request.stop?.length ? { 'gen_ai.request.stop_sequences': request.stop } : {}),
    ...(firstMs === undefined ? {} : { 'gen_ai.response.time_to_first_chunk': firstMs / 1000 }),
    ...(last ? { 'gen_ai.usage.input_tokens': last.inputTokens, 'gen_ai.usage.output_tokens': last.outputTokens } : {}),
    ...(cached > 0 ? { 'gen_ai.usage.cache_read.input_tokens': cached } : {}),
    ...(retries > 0 ? { 'thinkaloud.retries': retries } : {}),
    ...(error === undefined ? {} : { 'error.type': error }),
    ...(withContent ? { 'gen_ai.input.messages': inputMessages(request.messages) } : {}),
    ...(withContent ? { 'gen_ai.output.messages': outputMessage(text, toolCalls) } : {}),
  }
}

export function toolAttributes({ tool, ok, callId, input, output }: ToolFact, withContent: boolean): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
    'gen_ai.agent.name': AGENT_NAME,
    ...(callId === undefined ? {} : { 'gen_ai.tool.call.id': callId }),
    ...(ok ? {} : { 'error.type': 'tool_error' }),
    ...(withContent ? { 'gen_ai.tool.call.arguments': typeof input === 'string' ? input : JSON.stringify(input) } : {}),
    ...(withContent ? { 'gen_ai.tool.call.result': output } : {}),
  }
}

type Call = { id: string; name: string; arguments: string }

/** Spans take no nested values, so the conventions' message forms go in as JSON text. */
function inputMessages(messages: Message[]): string {
  return JSON.stringify(
    messages.map(({ role, content, toolCalls = [], toolCallId }) => ({
      role,
      parts:
        toolCallId === undefined
          ? [...textPart(content), ...toolCalls.map(callPart)]
          : [{ type: 'tool_call_response', id: toolCallId, response: content }],
    })),
  )
}

function outputMessage(text: string, calls: Call[]): string {
  const parts = [...textPart(text), ...calls.map(callPart)]
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: calls.length > 0 ? 'tool_call' : 'stop' }])
}

function textPart(content: string): object[] {
  return content === '' ? [] : [{ type: 'text', content }]
}

function callPart({ id, name, arguments: args }: Call): object {
  return { type: 'tool_call', id, name, arguments: args }
}
