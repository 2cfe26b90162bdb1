/** Reads the values that a chart stores (ECMA-376, part 1, 21.2) as rows of a table. */
import { walkXml } from './xml-walk.ts'

const MAX_POINTS = 2000

interface DrawnSeries {
  name: string
  categories: Map<number, string>
  values: Map<number, string>
}

export function chartLines(bytes: Uint8Array | undefined): string[] {
  const series: DrawnSeries[] = []
  let title = ''
  let current: DrawnSeries | undefined
  let [part, at, isValue, isTitle, inText] = ['', 0, false, false, false]
  walkXml(bytes, {
    open: (name, { idx = '' }) => {
      if (name === 'title') isTitle = true
      if (name === 'ser') series.push((current = { name: '', categories: new Map(), values: new Map() }))
      if (/^(?:tx|cat|val|xVal|yVal|bubbleSize)$/.test(name)) part = name
      if (name === 'pt') at = Number(idx)
      isValue = name === 'v'
      inText = name === 't'
    },
    close: (name) => {
      if (name === 'title') isTitle = false
      if (name === 'ser') current = undefined
      if (name === part) part = ''
      isValue = false
      inText = false
    },
    text: (text) => {
      if (isTitle && inText) title += text
      if (!current || !isValue) return
      const points = part === 'cat' || part === 'xVal' ? current.categories : part === 'tx' ? undefined : current.values
      if (points && points.size < MAX_POINTS) points.set(at, (points.get(at) ?? '') + text)
      else if (part === 'tx') current.name += text
    },
  })
  return [...(title.trim() ? [`Chart: ${title.trim()}`] : []), ...rowsOf(series)]
}

function rowsOf(series: DrawnSeries[]): string[] {
  if (series.every(({ values }) => values.size === 0)) return []
  const categories = new Map(series.flatMap((one) => [...one.categories]))
  const places = [...new Set(series.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b)
  const row = (cells: string[]) => cells.join(' | ').trim()
  const head = row(['', ...series.map(({ name }, i) => name.trim() || `Series ${i + 1}`)])
  return [
    head,
    ...places.map((at) => row([categories.get(at) ?? '', ...series.map(({ values }) => values.get(at) ?? '')])),
  ]
}
