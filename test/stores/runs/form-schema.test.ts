/** The form that a server asks for, and its filled-in values. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringifyExact } from '../../../src/base/parse-json.ts'
import { checkForm, checkPatterns } from '../../../src/stores/runs/filled-form.ts'
import { formFrom, type FormField } from '../../../src/stores/runs/form-schema.ts'

function fieldsOf(properties: Record<string, unknown>, required: string[] = []): FormField[] {
  const form = formFrom({ type: 'object', properties, required })
  if ('why' in form) throw new Error(form.why)
  return form.fields
}

const checked = (property: object, filled: string | string[] | undefined, required: string[] = ['a']) =>
  checkForm(fieldsOf({ a: property }, required), () => filled)

const fault = (property: object, filled: string | string[] | undefined) => {
  const read = checked(property, filled)
  return 'errors' in read ? read.errors.get('a') : read.content
}

test('a schema that does not fit a form is rejected with a reason', () => {
  const why = (schema: unknown) => {
    const form = formFrom(schema)
    return 'why' in form ? form.why : 'none'
  }
  const of = (property: unknown) => why({ type: 'object', properties: { a: property } })
  expect(why(undefined)).toBe('its schema is not an object with fields')
  expect(of({ type: 'object' })).toBe('the field "a" is of an unsupported kind')
  expect(of({})).toBe('the field "a" has no type')
  expect(of({ type: 'array', items: { type: 'string' } })).toBe('the field "a" is a list without choices')
  expect(of({ type: 'string', enum: [] })).toBe('the field "a" offers no choices')
  expect(of({ type: 'string', minLength: 5_000 })).toBe('the field "a" requires a longer text than a form can take')
  expect(of({ type: 'number', minimum: 2, maximum: 1 })).toBe('the field "a" accepts no number')
  expect(of({ type: 'string', enum: Array.from({ length: 101 }, (_, i) => `${i}`) })).toMatch(/offers 101 choices/)
  expect(of({ type: 'string', description: 'x'.repeat(40_000) })).toBe('its form is too large')
  expect(why({ properties: {}, required: ['b'] })).toBe('it requires a field that it does not describe')
  expect(formFrom({ properties: {} })).toEqual({ fields: [] })
  fc.assert(fc.property(fc.anything(), (schema) => void formFrom({ properties: { a: schema } })))
  fc.assert(fc.property(fc.anything(), (schema) => void formFrom(schema)))
})

test('field names are the server’s and are returned unchanged, except an invalid one', () => {
  const fields = fieldsOf(
    JSON.parse('{"__proto__": {"type": "string"}, "": {"type": "boolean"}, "a b": {"type": "string"}}'),
  )
  const read = checkForm(fields, ({ kind }) => (kind === 'boolean' ? 'false' : 'x'))
  expect(read).toEqual({ content: { '': false, 'a b': 'x' } })
})

test('empty fields are left out of the answer, or requested if required', () => {
  expect(checked({ type: 'string' }, '', [])).toEqual({ content: {} })
  expect(fault({ type: 'string' }, undefined)).toBe('Please fill this in.')
  expect(fault({ type: 'array', items: { enum: ['x'] } }, [])).toBe('Please fill this in.')
})

test('each kind of field accepts exactly what its schema allows', () => {
  expect(fault({ type: 'integer', minimum: 1 }, '0')).toBe('At least 1, please.')
  expect(fault({ type: 'integer' }, '1.5')).toBe('Please write a whole number.')
  expect(fault({ type: 'number' }, '0x10')).toBe('Please write a number.')
  expect(fault({ type: 'number' }, '-1e3')).toEqual({ a: -1_000 })
  expect(fault({ type: 'boolean' }, 'maybe')).toBe('Please choose yes or no.')
  expect(fault({ enum: ['x'] }, 'y')).toBe('This cannot be chosen. Please open the form again.')
  expect(fault({ type: 'array', items: { enum: ['x', 'y'] }, minItems: 2 }, ['x'])).toBe('Please choose at least 2.')
  expect(fault({ type: 'string', minLength: 2 }, '😀')).toBe('At least 2 characters, please.')
  expect(fault({ type: 'string', format: 'email' }, 'ann at example')).toBe('Please write an e-mail address.')
  expect(fault({ type: 'string', format: 'uri' }, 'urn:isbn:0451450523')).toEqual({ a: 'urn:isbn:0451450523' })
  expect(fault({ type: 'string', format: 'date' }, '2026-02-30')).toBe('Please write a date as 2026-11-22.')
  expect(fault({ type: 'string', format: 'date-time' }, '2026-02-30T10:00:00Z')).toMatch(/^Please write a moment/)
})

test.each([
  ['integer', '1234567890123456789'],
  ['integer', '-9007199254740993'],
  ['number', '9007199254740993'],
])('a whole number that a double cannot hold is sent as it was written: %s %s', (type, text) => {
  const read = checked({ type }, ` ${text} `)
  expect('content' in read && stringifyExact(read.content)).toBe(`{"a":${text}}`)
})

/** Returns the errors by field. */
function unmatched(patterns: Record<string, string>, text: string): Promise<Map<string, string>> {
  const properties = Object.entries(patterns).map(([name, pattern]) => [name, { type: 'string', pattern }])
  const content = Object.keys(patterns).map((name) => [name, text])
  return checkPatterns(fieldsOf(Object.fromEntries(properties)), Object.fromEntries(content))
}

test('a text must match its pattern; an invalid pattern is left to the server', async () => {
  const wrong = await unmatched({ a: '^[a-z]+$', b: '^[A-Z][a-z]+$', c: '(', d: '^x' }, 'Ann')
  expect([...wrong]).toEqual([
    ['a', 'This must match the pattern ^[a-z]+$'],
    ['d', 'This must match the pattern ^x'],
  ])
  expect(await unmatched({}, '')).toEqual(new Map())
})

test('patterns that never end block nothing, and are left to the server', async () => {
  const slow = Object.fromEntries(Array.from({ length: 39 }, (_, i) => [`slow${i}`, '^(a+)+$']))
  let turns = 0
  const timer = setInterval(() => (turns += 1), 10)
  const wrong = await unmatched({ first: '^b', ...slow }, `${'a'.repeat(2_000)}!`)
  clearInterval(timer)
  expect([...wrong.keys()]).toEqual(['first'])
  expect(turns).toBeGreaterThan(3)
})
