/**
 * Draws a chart, with its numbers in a table below:
 * https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block.
 */
import { el } from './dom.js'

const SVG = 'http://www.w3.org/2000/svg'
const [WIDTH, HEIGHT] = [520, 180]
/** The number of colours: see `.ink-0` and following. */
const INKS = 6

function svg(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value))
  node.append(...children)
  return node
}

const ink = (index) => `ink-${index % INKS}`

/** @param {{ title: string, chart: object }} block */
export function chart({ title, chart: { type, segments = [], series = [], axis_config: axis = {} } }) {
  const groups = type === 'pie' ? [{ name: '', data: segments }] : series
  const axes = [axis.x_label, axis.y_label].filter(Boolean).join(' · ')
  return el(
    'figure.block.chart',
    {},
    el('figcaption', {}, el('strong', {}, title), axes && el('span.quiet', {}, ` ${axes}`)),
    drawing(type, groups),
    numbers(title, type, groups),
  )
}

/** Screen readers skip the drawing, because the table has the same content. */
function drawing(type, groups) {
  const draw = { pie, line: lines, area: lines, bar: bars }[type]
  if (!draw) return el('p.quiet', {}, `(a chart of type ${type})`)
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'drawing', 'aria-hidden': 'true' }
  return svg('svg', box, ...draw(groups, scaleOf(groups), type))
}

/** Returns a function from a value to its height. Zero is always on the scale. */
function scaleOf(groups) {
  const values = groups.flatMap(({ data }) => data.map(({ value }) => value))
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const span = most - least || 1
  return (value) => HEIGHT - 8 - ((value - least) / span) * (HEIGHT - 16)
}

function ground(y) {
  return svg('line', { x1: 0, x2: WIDTH, y1: y(0), y2: y(0), class: 'ground' })
}

function bars(groups, y) {
  const step = WIDTH / Math.max(1, groups[0]?.data.length ?? 1)
  const width = (step * 0.7) / groups.length
  const bar = (value, x, index) => {
    const [top, height] = [Math.min(y(value), y(0)), Math.abs(y(value) - y(0))]
    return svg('rect', { x, y: top, width, height: Math.max(height, 1), class: ink(index) })
  }
  const all = groups.flatMap(({ data }, group) =>
    data.map(({ value }, place) => bar(value, step * (place + 0.15) + width * group, group)),
  )
  return [...all, ground(y)]
}

function lines(groups, y, type) {
  const drawn = groups.flatMap(({ data }, index) => {
    const x = (place) => (data.length < 2 ? WIDTH / 2 : 6 + (place * (WIDTH - 12)) / (data.length - 1))
    const points = data.map(({ value }, place) => `${x(place)},${y(value)}`)
    const dots = data.map(({ value }, place) => svg('circle', { cx: x(place), cy: y(value), r: 3, class: ink(index) }))
    const under = [`${x(0)},${y(0)}`, ...points, `${x(data.length - 1)},${y(0)}`].join(' ')
    const area = type === 'area' ? [svg('polygon', { points: under, class: `area ${ink(index)}` })] : []
    return [...area, svg('polyline', { points: points.join(' '), class: `stroke ${ink(index)}` }), ...dots]
  })
  return [ground(y), ...drawn]
}

/** Draws shares as pieces of a ring: each is a dash of a circle with circumference 100. */
function pie([{ data }]) {
  const total = data.reduce((sum, { value }) => sum + Math.abs(value), 0) || 1
  const r = 100 / (2 * Math.PI)
  let done = 0
  const pieces = data.map(({ value }, index) => {
    const share = (Math.abs(value) / total) * 100
    const dash = { 'stroke-dasharray': `${share} ${100 - share}`, 'stroke-dashoffset': 25 - done }
    done += share
    return svg('circle', { cx: 21, cy: 21, r, ...dash, class: `piece ${ink(index)}` })
  })
  return [svg('svg', { viewBox: '0 0 42 42', height: HEIGHT }, ...pieces)]
}

function numbers(title, type, groups) {
  const several = groups.length > 1
  const row = ({ label, value }, name, index) =>
    el(
      'tr',
      {},
      several && el('td.quiet', {}, name),
      el('th', { scope: 'row' }, el(`span.patch.${ink(index)}`, { 'aria-hidden': 'true' }), label),
      el('td.number', {}, String(value)),
    )
  const rows = groups.flatMap(({ name, data }, group) =>
    data.map((point, place) => row(point, name, type === 'pie' ? place : group)),
  )
  return el('table', { 'aria-label': title }, el('tbody', {}, ...rows))
}
