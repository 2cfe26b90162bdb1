/** Word's styles and numbered lists: which paragraph is a heading, and which number stands before it. */
import type { ZipMembers } from '../zip-members.ts'
import { listNumber } from './list-number.ts'
import { walkXml } from './xml-walk.ts'

export interface ParagraphFormat {
  style?: string
  /** The level of a heading, from 1. */
  outline?: number
  list?: string
  listLevel?: number
}

/** What a run's format changes of its meaning. */
export interface RunFormat {
  raised?: 'sup' | 'sub' | undefined
  /** Moved by points. */
  lifted?: 'sup' | 'sub' | undefined
  isStruck?: boolean
}

interface Style extends ParagraphFormat, RunFormat {
  name: string
  parent?: string
}

interface ListLevel {
  start: number
  form: string
  /** Its text writes the numbers of all levels as digits. */
  isLegal?: boolean
  text: string
}

interface List {
  definition: string
  starts: Map<number, number>
}

const MAX_PARENTS = 12

export class DocxNumbering {
  readonly #styles = new Map<string, Style>()
  readonly #runStyles = new Map<string, Style>()
  readonly #definitions = new Map<string, Map<number, ListLevel>>()
  /** The styles that definitions point to. */
  readonly #linked = new Map<Map<number, ListLevel>, string>()
  readonly #lists = new Map<string, List>()
  readonly #counts = new Map<string, number[]>()
  readonly #begun = new Set<string>()

  constructor(members: ZipMembers) {
    this.#readStyles(members['word/styles.xml'])
    this.#readLists(members['word/numbering.xml'])
  }

  /** Returns the format with what its style and the styles above it say. */
  resolve(own: ParagraphFormat): ParagraphFormat {
    const whole = { ...own }
    for (const style of withParents(this.#styles, own.style)) {
      const level = /^heading ([1-6])$/i.exec(style.name)?.[1]
      whole.outline ??= level ? Number(level) : style.outline
      if (style.list !== undefined && whole.list === undefined) {
        whole.list = style.list
        whole.listLevel ??= style.listLevel
      }
    }
    return whole
  }

  /** Returns what a character style and the styles above it say about a run. */
  runStyle(id: string): RunFormat {
    const whole: RunFormat = {}
    for (const style of withParents(this.#runStyles, id)) {
      whole.raised ??= style.raised
      whole.lifted ??= style.lifted
      if (style.isStruck !== undefined) whole.isStruck ??= style.isStruck
    }
    return whole
  }

  /** Counts the paragraph. @returns the mark before it, such as `- ` and `2.1. ` */
  mark({ list, listLevel = 0 }: ParagraphFormat): string {
    if (list === undefined || list === '0') return ''
    const { definition, starts } = this.#lists.get(list) ?? { definition: '', starts: new Map<number, number>() }
    const levels = this.#levelsOf(definition)
    const level = levels?.get(listLevel)
    if (!levels || !level || level.form === 'bullet') return '- '
    const counts = this.#counts.get(definition) ?? []
    this.#counts.set(definition, counts)
    if (!this.#begun.has(list)) for (const at of starts.keys()) counts.length = Math.min(counts.length, at)
    this.#begun.add(list)
    const startOf = (at: number) => starts.get(at) ?? levels.get(at)?.start ?? 1
    counts[listLevel] = (counts[listLevel] ?? startOf(listLevel) - 1) + 1
    counts.length = listLevel + 1
    if (level.form === 'none') return ''
    const text = level.text.replace(/%([1-9])/g, (_, digit) => {
      const at = Number(digit) - 1
      return listNumber(counts[at] ?? startOf(at), (level.isLegal ? undefined : levels.get(at)?.form) ?? 'decimal')
    })
    return text.trim() === '' ? '' : `${text.trim()} `
  }

  /** The levels of a definition, or of the style that it points to. */
  #levelsOf(definition: string): Map<number, ListLevel> | undefined {
    const own = this.#definitions.get(definition)
    const style = own && this.#styles.get(this.#linked.get(own) ?? '')
    return this.#definitions.get(this.#lists.get(style?.list ?? '')?.definition ?? '') ?? own
  }

  #readStyles(bytes: Uint8Array | undefined): void {
    let style: Style = { name: '' }
    walkXml(bytes, {
      open: (name, { val = '', styleId, type }) => {
        if (name === 'style') {
          style = { name: '' }
          if (styleId) (type === 'character' ? this.#runStyles : this.#styles).set(styleId, style)
        }
        if (name === 'name') style.name = val
        if (name === 'basedOn') style.parent = val
        takeFormat(style, name, val)
        takeRun(style, name, val)
      },
    })
  }

  #readLists(bytes: Uint8Array | undefined): void {
    let levels = new Map<number, ListLevel>()
    let level: ListLevel = { start: 1, form: 'decimal', text: '' }
    let list: List = { definition: '', starts: new Map() }
    let [override, isOverride] = [0, false]
    walkXml(bytes, {
      open: (name, { val = '', abstractNumId, numId, ilvl }) => {
        if (name === 'abstractNum') this.#definitions.set(abstractNumId ?? '', (levels = new Map<number, ListLevel>()))
        if (name === 'lvl') {
          level = { start: 1, form: 'decimal', text: '' }
          if (!isOverride) levels.set(Number(ilvl), level)
        }
        if (name === 'start') level.start = Number(val) || 0
        if (name === 'numFmt') level.form = val
        if (name === 'isLgl') level.isLegal = isOn(val)
        if (name === 'numStyleLink') this.#linked.set(levels, val)
        if (name === 'lvlText') level.text = val.slice(0, 50)
        if (name === 'num') this.#lists.set(numId ?? '', (list = { definition: '', starts: new Map<number, number>() }))
        if (name === 'abstractNumId') list.definition = val
        if (name === 'lvlOverride') [override, isOverride] = [Number(ilvl), true]
        if (name === 'startOverride') list.starts.set(override, Number(val) || 0)
      },
      close: (name) => {
        if (name === 'lvlOverride') isOverride = false
      },
    })
  }
}

function* withParents(styles: ReadonlyMap<string, Style>, id = ''): Generator<Style> {
  let style = styles.get(id)
  for (let i = 0; style && i < MAX_PARENTS; i += 1, style = styles.get(style.parent ?? '')) yield style
}

/** Takes what a tag inside `w:pPr` says about the paragraph. */
export function takeFormat(format: ParagraphFormat, name: string, value: string): void {
  if (name === 'outlineLvl' && /^[0-5]$/.test(value)) format.outline = Number(value) + 1
  if (name === 'numId') format.list = value
  if (name === 'ilvl' && /^[0-8]$/.test(value)) format.listLevel = Number(value)
}

/** Half points by which text is raised to be read as raised. Less only adjusts it. */
const RAISED_BY = 4

/** Returns whether a property's value turns it on. Without a value it is on. */
export const isOn = (value: string) => !/^(?:0|false|off)$/.test(value)

/** Takes what a tag inside `w:rPr` says about a run. */
export function takeRun(format: RunFormat, name: string, value: string): void {
  if (name === 'vertAlign') format.raised = value === 'superscript' ? 'sup' : value === 'subscript' ? 'sub' : undefined
  if (name === 'position' && Math.abs(Number(value)) >= RAISED_BY) format.lifted = Number(value) > 0 ? 'sup' : 'sub'
  if (name === 'strike' || name === 'dstrike') format.isStruck = isOn(value)
}
