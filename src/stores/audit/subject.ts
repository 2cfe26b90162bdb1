/** Names of arguments that identify the subject, the clearest first. */
const NAMING = ['path', 'file', 'title', 'name', 'id']
const MAX_CHARS = 80

/**
 * Returns the argument that names the subject (`path`, `file_path`, `fileName`, …), else the first short one, on one
 * line.
 * @returns an empty string if there is neither
 */
export function subjectOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return isShort(input) ? textOf(input) : ''
  const fields = Object.entries(input).filter(([, value]) => isPlain(value))
  for (const name of NAMING) {
    const named = fields.find(([key]) => lastWord(key) === name)
    if (named) return textOf(named[1])
  }
  const short = fields.find(([, value]) => isShort(value))
  return short ? textOf(short[1]) : ''
}

/** The last word of a field's name in lower case: `file_path` and `filePath` end in `path`. */
function lastWord(key: string): string {
  return (
    key
      .replace(/([a-z\d])([A-Z])/g, '$1_$2')
      .replace(/^file(?=name$|path$)/i, 'file_')
      .split(/[^a-zA-Z\d]+/)
      .at(-1)
      ?.toLowerCase() ?? ''
  )
}

function isPlain(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number'
}

function isShort(value: unknown): boolean {
  return isPlain(value) && String(value).length <= MAX_CHARS
}

function textOf(value: unknown): string {
  // Marks of direction would show the rest of the line in another order.
  const plain = String(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
  const text = [...plain.replace(/\s+/g, ' ').trim()]
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS).join('')}…` : text.join('')
}
