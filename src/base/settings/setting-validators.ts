/** Validators for settings. The message of each completes the sentence "NAME should be …". */
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { ROOT } from '../package-root.ts'

export const text = z.string().optional()

export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `a whole number from ${min} to ${max}`)

export const dollars = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'an amount of dollars such as 12.50')
  .transform(Number)
  .refine((n) => n > 0, 'an amount of dollars such as 12.50')

export const url = (...schemes: string[]) =>
  z.string().refine(
    (value) => {
      const at = URL.canParse(value) ? new URL(value) : undefined
      return at !== undefined && schemes.includes(at.protocol.slice(0, -1))
    },
    `an address that begins with ${schemes.map((s) => `${s}://`).join(' or ')}`,
  )

export const address = url('https', 'http')

/** A header contains only ASCII. The … of an example is rejected. */
export const token = (prefix: string) =>
  z
    .string()
    .startsWith(prefix, `a token that begins with ${prefix}`)
    .regex(/^[\x21-\x7e]*$/, `a token that begins with ${prefix} and has only letters, digits and -`)
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `one of ${values.join(', ')}`)
export const names = z.string().transform((value) =>
  value
    .split(',')
    .map((s) => s.trim())
    .filter((s) => s !== ''),
)
/** A list of names that each match a form. `what` describes the form in the error message. */
const listOf = (form: RegExp, what: string) => names.refine((all) => all.every((one) => form.test(one)), what)
export const ports = listOf(/^\d{1,5}$/, 'ports, separated by commas, such as 11434,1234')
/** A host name or an IP address, with an optional port. */
export const hosts = listOf(
  /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i,
  'host names such as wiki.example.com or 10.0.0.5:8443, separated by commas',
)
export const channels = listOf(
  /^(?:[CG][A-Z0-9]{5,}|dm)$/,
  'ids of channels such as C0123456789, or dm for direct messages, separated by commas',
)
/** Ids stay as they are. Domains become lower case, without a leading @. */
export const people = listOf(
  /^(?:[UWS][A-Z0-9]{5,}|@?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)$/,
  'ids of people such as U0123456789 or user groups such as S0123456789, or e-mail domains such as example.com, separated by commas',
).transform((all) => all.map((one) => (one.includes('.') ? one.replace('@', '').toLowerCase() : one)))
export const teams = listOf(
  /^(?:[TE][A-Z0-9]{2,}|\*)$/,
  'ids of workspaces and organisations such as T0123456789 or E0123456789, with commas, or * for any',
)
export const bots = listOf(
  /^[BAUW][A-Z0-9]{5,}$/,
  'ids of bots, apps or bot users such as B0123456789, separated by commas',
)
/** A name as Slack's events have it, without the colons that people type. ❌ and 🛑 stop questions. */
export const emoji = z
  .string()
  .regex(/^:?[\p{L}\p{N}_+'-]{1,100}:?$/u, 'the name of one emoji such as robot_face')
  .transform((value) => value.replaceAll(':', '').toLowerCase())
  .refine((name) => name !== 'x' && name !== 'octagonal_sign', 'another emoji than x and octagonal_sign, which stop')
export const secretsKey = z.string().min(32, 'at least 32 characters, as `openssl rand -hex 32` makes them')
export const flag = oneOf(['true', 'false']).transform((value) => value === 'true')

/** A text file of example questions, read into its lines. Home and suggested prompts show all of a question. */
export const exampleQuestions = z.string().transform((file, context) => {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    const questions = lines.map((line) => line.trim()).filter((line) => line !== '')
    return z
      .array(z.string().max(300))
      .min(1)
      .max(10)
      .parse([...new Set(questions)])
  } catch {
    context.addIssue({
      code: 'custom',
      message: 'a text file that can be read, with 1 to 10 questions of up to 300 characters, one a line',
    })
    return z.NEVER
  }
})

export const headers = z.string().transform((value, context) => {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(value))
  } catch {
    context.addIssue('a JSON object of header names and values, such as {"x-team": "search"}')
    return z.NEVER
  }
})

/** A relative path begins at the project's folder. */
export const folder = z.string().refine(isFolder, 'a folder that exists and can be read')

function isFolder(path: string): boolean {
  try {
    readdirSync(resolve(ROOT, path))
    return true
  } catch {
    return false
  }
}
