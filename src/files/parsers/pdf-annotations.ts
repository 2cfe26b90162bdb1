/** What a pdf's page holds beside its drawn text: the values of form fields, and notes. */

/** The part of pdf.js's annotations that is read. */
interface Annotation {
  subtype?: string
  fieldType?: string
  fieldName?: string
  fieldValue?: unknown
  checkBox?: boolean
  radioButton?: boolean
  pushButton?: boolean
  password?: boolean
  /** The entries of a list, as they are stored and as people see them. */
  options?: { exportValue?: string; displayValue?: string }[]
  hidden?: boolean
  contentsObj?: { str?: string }
  titleObj?: { str?: string }
}

const MAX_ANNOTATIONS = 5000

export function annotationLines(annotations: readonly Annotation[]): string[] {
  const fields = new Map<string, string>()
  const notes: string[] = []
  for (const one of annotations.slice(0, MAX_ANNOTATIONS)) {
    if (one.subtype === 'Widget') {
      const value = valueOf(one)
      if (value !== '') fields.set(one.fieldName ?? '', value)
    } else if (one.subtype !== 'Popup' && one.subtype !== 'Link') {
      const text = oneLine(one.contentsObj?.str)
      const author = oneLine(one.titleObj?.str)
      if (text !== '') notes.push(`Note${author ? ` by ${author}` : ''}: ${text}`)
    }
  }
  const shown = [...fields].map(([name, value]) => `${name} = ${value}`)
  return [...(shown.length > 0 ? [`Form fields: ${shown.join('; ')}`] : []), ...notes]
}

/** @returns an empty text if the field has no value, and for buttons and passwords */
function valueOf({ fieldType, fieldValue, checkBox, pushButton, password, options = [] }: Annotation): string {
  if (pushButton || password || fieldType === 'Sig') return ''
  if (checkBox) return fieldValue && fieldValue !== 'Off' ? 'yes' : 'no'
  if (fieldType === 'Btn' && fieldValue === 'Off') return ''
  const values: unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue]
  return values
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .map((value) => (typeof value === 'string' ? oneLine(value) : ''))
    .filter(Boolean)
    .join(', ')
}

function oneLine(text = ''): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 2000)
}
