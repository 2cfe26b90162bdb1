/**
 * Reads the values that a chart stores as rows of a table: ECMA-376, part 1, 21.2, and Office's later `chartex`
 * (waterfall, funnel, tree map).
 */
import { cellFormat, formatNumber } from './cell-format.ts'
import { walkXml } from './xml-walk.ts'

const MAX_POINTS = 2000
const MAX_LEVELS = 10

interface DrawnSeries {
  name: string
  /** The labels of the points. With several levels, the innermost first. */
  levels: Map<number, string>[]
  values: Map<number, string>
  /** The number formats of labels and values, as a workbook writes them. */
  formats: { label: string; value: string }
}

export function chartLines(bytes: Uint8Array | undefined): string[] {
  const series: DrawnSeries[] = []
  let title = ''
  let current: DrawnSeries | undefined
  let [part, at, isTitle] = ['', 0, false]
  walkXml(bytes, {
    open: (name, { idx = '' }) => {
      if (name === 'title') isTitle = true
      if (name === 'ser' || name === 'data') series.push((current = newSeries()))
      if (/^(?:tx|cat|val|xVal|yVal|bubbleSize|strDim|numDim)$/.test(name)) part = name
      const isLevel = (name === 'lvl' || part === name) && (current?.levels.length ?? 0) < MAX_LEVELS
      if (isLevel) current?.levels.push(new Map())
      if (name === 'pt') at = Number(idx)
    },
    close: (name) => {
      if (name === 'title') isTitle = false
      if (name === 'ser' || name === 'data') current = undefined
      if (name === part) part = ''
    },
    text: (text, inside) => {
      if (isTitle && inside === 't') title += text
      if (current && inside === 'formatCode') current.formats[LABELS.test(part) ? 'label' : 'value'] += text
      if (!current || !(inside === 'v' || (inside === 'pt' && part.endsWith('Dim')))) return
      const points = LABELS.test(part) ? current.levels.at(-1) : part === 'tx' ? undefined : current.values
      if (points && points.size < MAX_POINTS) points.set(at, (points.get(at) ?? '') + text)
      else if (part === 'tx') current.name += text
    },
  })
  return [...(title.trim() ? [`Chart: ${title.trim()}`] : []), ...rowsOf(series)]
}

const newSeries = (): DrawnSeries => ({ name: '', levels: [], values: new Map(), formats: { label: '', value: '' } })

/** Numbers are shown in the format that the chart stores with them. */
function shown(text: string, code: string): string {
  return code === '' ? text : formatNumber(text, cellFormat(0, new Map([[0, code]])), false)
}

const LABELS = /^(?:cat|xVal|strDim)$/

/** A point's label, the outer levels first. A label of an outer level holds until the next. */
function labelOf(levels: DrawnSeries['levels'], at: number): string {
  const outerFirst = levels.filter(({ size }) => size > 0).toReversed()
  const names = outerFirst.map((level, i) => {
    const holding = [...level.keys()].filter((key) => key <= at).at(-1)
    return level.get(i === outerFirst.length - 1 ? at : (holding ?? at)) ?? ''
  })
  return names.filter(Boolean).join(', ')
}

function rowsOf(series: DrawnSeries[]): string[] {
  if (series.every(({ values }) => values.size === 0)) return []
  const { levels = [], formats } = series.find((one) => one.levels.some(({ size }) => size > 0)) ?? {}
  const places = [...new Set(series.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b)
  const row = (cells: string[]) => cells.join(' | ').trim()
  const cellsAt = (at: number) => [
    shown(labelOf(levels, at), formats?.label ?? ''),
    ...series.map((one) => shown(one.values.get(at) ?? '', one.formats.value)),
  ]
  const head = row(['', ...series.map(({ name }, i) => name.trim() || `Series ${i + 1}`)])
  return [head, ...places.map((at) => row(cellsAt(at)))]
}
