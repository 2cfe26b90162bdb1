/** The list of journal entries. Only visible rows are elements, so that ten thousand rows scroll smoothly. */
import { el } from './dom.js'
import { COLUMNS, headRow, rowElement } from './inspector-row.js'

/** A row's height in pixels, as in inspector-panel.css. */
const ROW = 28
/** The number of rows that are drawn above and below the visible ones. */
const BEYOND = 12

export class InspectorList {
  /** @param {(n: number) => void} open opens an entry by its number */
  constructor(open) {
    Object.assign(this, { open, rows: [], active: undefined, opened: undefined, isFollowing: true, seen: 0 })
    this.drawn = new Map()
    this.body = el('div.inspector-rows', { role: 'rowgroup' })
    this.head = headRow()
    this.grid = el(
      'div.inspector-grid',
      {
        role: 'grid',
        tabindex: 0,
        'aria-label': 'Recorded traffic',
        'aria-colcount': COLUMNS.length,
        'aria-rowcount': 1,
      },
      el('div', { role: 'rowgroup' }, this.head),
      this.body,
    )
    this.newest = el('button.button.inspector-newest', { type: 'button', hidden: true, onclick: () => this.toNewest() })
    this.element = el('div.inspector-list', {}, this.grid, this.newest)
    this.grid.addEventListener('scroll', () => this.scrolled())
    this.grid.addEventListener('keydown', (event) => this.pressed(event))
    this.resized = new window.ResizeObserver(() => {
      if (this.isFollowing) this.toEnd()
      this.drawSoon()
    })
    this.resized.observe(this.grid)
  }

  /** Shows these rows in their order. If the end was visible, it stays visible; otherwise the position stays. */
  show(rows) {
    const top = this.rows[Math.floor(this.grid.scrollTop / ROW)]?.n
    const offset = this.grid.scrollTop % ROW
    this.rows = rows
    this.seen = this.isFollowing ? rows.length : Math.min(this.seen, rows.length)
    this.grid.setAttribute('aria-rowcount', String(rows.length + 1))
    this.body.style.height = `${rows.length * ROW}px`
    if (this.isFollowing) this.toEnd()
    else if (top !== undefined) this.keepAt(top, offset)
    this.drawSoon()
  }

  /** Marks the row that is open. */
  mark(n) {
    this.opened = n
    if (n !== undefined) this.active = n
    this.drawSoon()
  }

  focus() {
    this.grid.focus()
  }

  close() {
    this.resized.disconnect()
  }

  drawSoon() {
    if (this.isWaiting) return
    this.isWaiting = true
    requestAnimationFrame(() => {
      this.isWaiting = false
      this.draw()
    })
  }

  draw() {
    const { grid, body } = this
    const from = Math.max(0, Math.floor(grid.scrollTop / ROW) - BEYOND)
    const to = Math.min(this.rows.length, Math.ceil((grid.scrollTop + grid.clientHeight) / ROW) + BEYOND)
    const before = this.drawn
    this.drawn = new Map()
    for (let i = from; i < to; i++) this.drawn.set(this.rows[i].n, this.rowAt(i, before))
    const elements = [...this.drawn.values()]
    // Unchanged elements are not replaced.
    if (elements.length !== body.children.length || elements.some((one, i) => one !== body.children[i]))
      body.replaceChildren(...elements)
    if (this.drawn.has(this.active)) grid.setAttribute('aria-activedescendant', `inspector-row-${this.active}`)
    else grid.removeAttribute('aria-activedescendant')
    const more = this.rows.length - this.seen
    this.newest.hidden = this.isFollowing
    this.newest.textContent = more > 0 ? `${more} new ↓` : 'Newest ↓'
  }

  /** Returns a row's element, which is the previous one if nothing has changed. */
  rowAt(index, before) {
    const row = this.rows[index]
    const marks = { isActive: row.n === this.active, isOpen: row.n === this.opened }
    const print = [row.ms, row.ok, row.name, row.thread, row.error, marks.isActive, marks.isOpen].join('|')
    const known = before.get(row.n)
    const element = known?.dataset.print === print ? known : rowElement(row, marks)
    element.dataset.print = print
    element.setAttribute('aria-rowindex', String(index + 2))
    element.style.transform = `translateY(${index * ROW}px)`
    element.onclick = () => {
      this.activate(index)
      this.open(row.n)
    }
    return element
  }

  /** Keeps the visible rows in place after the oldest rows were dropped. */
  keepAt(n, offset) {
    const index = this.indexOf(n)
    if (index !== Math.floor(this.grid.scrollTop / ROW)) this.grid.scrollTop = index * ROW + offset
  }

  /** Returns the index of a row, or of the first row after it. Rows are ordered by number. */
  indexOf(n) {
    let [from, to] = [0, this.rows.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.rows[middle].n < n) from = middle + 1
      else to = middle
    }
    return from
  }

  activate(index) {
    const at = Math.max(0, Math.min(index, this.rows.length - 1))
    if (!this.rows[at]) return
    this.active = this.rows[at].n
    const room = this.grid.clientHeight - this.head.offsetHeight - ROW
    if (at * ROW < this.grid.scrollTop) this.grid.scrollTop = at * ROW
    else if (at * ROW > this.grid.scrollTop + room) this.grid.scrollTop = at * ROW - room
    this.draw()
  }

  toEnd() {
    this.grid.scrollTop = this.grid.scrollHeight
  }

  toNewest() {
    Object.assign(this, { isFollowing: true, seen: this.rows.length })
    this.toEnd()
    this.focus()
    this.draw()
  }

  scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.grid
    this.isFollowing = scrollHeight - scrollTop - clientHeight < ROW
    if (this.isFollowing) this.seen = this.rows.length
    this.drawSoon()
  }

  pressed(event) {
    const page = Math.max(1, Math.floor(this.grid.clientHeight / ROW) - 2)
    const at = this.active === undefined ? this.rows.length : this.indexOf(this.active)
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: Infinity }
    if (event.key in moves) this.activate(moves[event.key])
    else if ((event.key === 'Enter' || event.key === ' ') && this.active !== undefined) this.open(this.active)
    else return
    event.preventDefault()
  }
}
