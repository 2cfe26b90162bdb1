/**
 * Endpoints as they treat a schema for the turn (facts of November 2026): llama.cpp, vLLM and Ollama take any schema and
 * hold it, OpenAI refuses one outside of its strict subset, some refuse the field, and some drop it without a word. What
 * the model would write is given; a server that holds the form makes it fit, by a real validator.
 */
import { z } from 'zod'
import { isRecord, parseJson } from '../../src/base/parse-json.ts'
import { structured, type PlayedRequest, type Turn } from './played-model.ts'

export type HoldingServer = 'llama.cpp' | 'vLLM' | 'Ollama' | 'OpenAI'
export type OtherServer = 'refuses the field' | 'drops the field'

export interface HeldTurns {
  /** For `runOn` and `playModel`. */
  script: (request: PlayedRequest, n: number) => Turn
  /** The schemas that came, as they came. */
  schemas: Record<string, unknown>[]
  /** What the strict endpoint found wrong with them. */
  faults: string[]
}

/** Returns the script of an endpoint. `turns`: what its model would write, freely; the last one is repeated. */
export function heldTurns(server: HoldingServer | OtherServer, turns: string[]): HeldTurns {
  const schemas: HeldTurns['schemas'] = []
  const faults: string[] = []
  let written = 0
  const script: HeldTurns['script'] = ({ raw }) => {
    const schema = schemaIn(parseJson(raw))
    if (schema) schemas.push(schema)
    if (schema && server === 'refuses the field')
      return refusal("Unsupported parameter: 'response_format'.", 'response_format')
    if (schema && server === 'OpenAI') {
      const fault = strictFault(schema)
      if (fault) {
        faults.push(fault)
        return refusal(`Invalid schema for response_format 'turn': ${fault}`, 'response_format')
      }
    }
    const words = turns[Math.min(written++, turns.length - 1)] ?? ''
    return schema && server !== 'drops the field' ? held(words, schema) : words
  }
  return { script, schemas, faults }
}

function refusal(message: string, param: string): Turn {
  return { status: 400, body: { error: { message, type: 'invalid_request_error', param, code: null } } }
}

/** The schema of either API. */
function schemaIn(body: unknown): Record<string, unknown> | undefined {
  const { response_format: chat, text: responses } = isRecord(body) ? body : {}
  const format = isRecord(responses) ? responses['format'] : isRecord(chat) ? chat['json_schema'] : undefined
  const schema = isRecord(format) ? format['schema'] : undefined
  return isRecord(schema) ? schema : undefined
}

/** What the model would write, if it fits. Otherwise it can only say it as an answer. */
function held(words: string, schema: Record<string, unknown>): string {
  const form = z.fromJSONSchema(schema)
  const fits = (text: string) => form.safeParse(parseJson(text)).success
  const text = fits(words) ? words : structured('answer', words, words)
  if (!fits(text)) throw new Error(`No turn fits the schema ${JSON.stringify(schema).slice(0, 500)}`)
  return text
}

/** The keywords of OpenAI's strict subset that a schema of a turn may have. */
const STRICT = new Set(['type', 'properties', 'required', 'additionalProperties', 'enum', 'const', 'anyOf', 'items'])
const SAID = new Set(['description', 'title'])
const MAX_DEPTH = 10

/** What OpenAI's strict mode refuses: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas. */
export function strictFault(schema: unknown, at: string[] = []): string | undefined {
  const where = `In context=(${at.map((part) => `'${part}'`).join(', ')}), `
  if (!isRecord(schema)) return `${where}schema must be an object.`
  if (at.length === 0 && schema['type'] !== 'object') return `${where}schema must be of type "object".`
  if (at.filter((part) => part === 'properties' || part === 'items').length > MAX_DEPTH) return `${where}too deep.`
  const other = Object.keys(schema).find((name) => !STRICT.has(name) && !SAID.has(name))
  if (other) return `${where}'${other}' is not permitted.`
  const { type, properties, required, additionalProperties, anyOf, items } = schema
  if (type === undefined && !Array.isArray(anyOf) && !('enum' in schema) && !('const' in schema))
    return `${where}schema must have a 'type' key.`
  if (type === 'array') return strictFault(items, [...at, 'items'])
  if (Array.isArray(anyOf)) return firstFault(anyOf.map((one, i) => [one, [...at, 'anyOf', String(i)]]))
  if (type !== 'object') return undefined
  if (additionalProperties !== false)
    return `${where}'additionalProperties' is required to be supplied and to be false.`
  const names = Object.keys(isRecord(properties) ? properties : {})
  const listed = Array.isArray(required) ? required : []
  const missing = names.find((name) => !listed.includes(name))
  if (missing) return `${where}'required' is required to include every key in properties. Missing '${missing}'.`
  return firstFault(names.map((name) => [(properties as Record<string, unknown>)[name], [...at, 'properties', name]]))
}

function firstFault(all: [schema: unknown, at: string[]][]): string | undefined {
  for (const [schema, at] of all) {
    const fault = strictFault(schema, at)
    if (fault) return fault
  }
  return undefined
}
