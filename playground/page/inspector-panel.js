/** The panel "Under the hood": everything that Slack, the bot, its model and its tools exchanged, in order. */
import { el } from './dom.js'
import { drawEntry } from './inspector-entry.js'
import { InspectorList } from './inspector-list.js'
import { KINDS } from './inspector-row.js'
import { state } from './state.js'

/** The known part of the journal. It is kept while the panel is closed. */
const known = { journal: undefined, rev: 0, rows: new Map() }
const filter = { kind: '', words: '', isThisThread: false, isFailures: false }
/** The numbers of the entries that contain the searched words, at a given count of changes. */
const found = { words: '', rev: 0, ns: new Set() }

/** The parts of the open panel; undefined while it is closed. */
let open

export const inspectorPanel = {
  id: 'inspector',
  title: 'Under the hood',
  open: (box, tools, item) => {
    open = build(box, tools)
    void refresh()
    if (item !== undefined) void openEntry(Number(item))
  },
  onChange: (change) => {
    if (change.type === 'journal') void refresh()
  },
  /** The page was drawn again, perhaps with another open thread. */
  draw: () => {
    if (open && filter.isThisThread && open.thread !== threadNow()) showRows()
  },
  close: () => {
    open?.list.close()
    open = undefined
  },
}

function build(box, tools) {
  const list = new InspectorList((n) => void openEntry(n))
  const entry = el('section.inspector-entry', { 'aria-label': 'Entry', hidden: true, onkeydown: escape })
  const count = el('p.inspector-count.quiet')
  const body = el('div.inspector-body', {}, list.element, entry)
  box.replaceChildren(el('div.inspector', {}, filters(count), body))
  return { tools, list, entry, count, body, n: undefined, thread: undefined, isFetching: false, isStale: false }
}

function escape(event) {
  if (event.key !== 'Escape') return
  event.preventDefault()
  closeEntry()
}

// ---- drawing ----

function filters(count) {
  const change = (fields) => {
    Object.assign(filter, fields)
    showRows()
  }
  const option = ([value, label]) => el('option', { value, selected: filter.kind === value }, label)
  const kinds = [['', 'All kinds'], ...Object.entries(KINDS)].map(option)
  const check = (name, label) => {
    const box = {
      type: 'checkbox',
      checked: filter[name],
      onchange: ({ target }) => change({ [name]: target.checked }),
    }
    return el('label.inspector-check', {}, el('input', box), label)
  }
  const words = el('input', { type: 'search', placeholder: 'Words', 'aria-label': 'Words', value: filter.words })
  let timer
  words.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      filter.words = words.value.trim()
      void refresh()
    }, 200)
  })
  const select = { 'aria-label': 'Kind', onchange: ({ target }) => change({ kind: target.value }) }
  return el(
    'form.inspector-filters',
    { role: 'search', 'aria-label': 'Filter', onsubmit: (event) => event.preventDefault() },
    el('select', select, ...kinds),
    words,
    check('isThisThread', 'This thread'),
    check('isFailures', 'Only failures'),
    count,
  )
}

function threadNow() {
  return state.thread ? `${state.current}:${state.thread}` : undefined
}

function showRows() {
  if (!open) return
  open.thread = threadNow()
  const rows = [...known.rows.values()].filter(isWanted)
  const isNowhere = filter.isThisThread && !open.thread
  const words = rows.length === known.rows.size ? `${rows.length}` : `${rows.length} of ${known.rows.size}`
  open.count.textContent = isNowhere ? 'No thread is open' : words
  open.list.show(rows)
}

function isWanted({ n, kind, thread, ok }) {
  if (filter.kind !== '' && filter.kind !== kind) return false
  if (filter.isThisThread && (!open.thread || thread !== open.thread)) return false
  if (filter.isFailures && ok !== false) return false
  return filter.words === '' || found.ns.has(n)
}

// ---- loading ----

/** Loads the changes. One request runs at a time. */
async function refresh() {
  const panel = open
  if (!panel) return
  panel.isStale = true
  if (panel.isFetching) return
  panel.isFetching = true
  while (panel.isStale && panel === open) {
    panel.isStale = false
    await takeRows(panel).catch((error) => (panel.count.textContent = error.message))
  }
  panel.isFetching = false
}

async function takeRows(panel) {
  const { journal, rev, first, rows } = await panel.tools.get('journal', { since: known.rev })
  // The playground was restarted.
  if (known.journal !== undefined && journal !== known.journal) {
    Object.assign(known, { journal: undefined, rev: 0, rows: new Map() })
    Object.assign(found, { words: '', rev: 0, ns: new Set() })
    panel.isStale = true
    return
  }
  Object.assign(known, { journal, rev })
  for (const row of rows) known.rows.set(row.n, row)
  for (const n of known.rows.keys()) if (n < first) known.rows.delete(n)
  await takeFound(panel)
  if (panel !== open) return
  showRows()
  if (rows.some(({ n }) => n === panel.n)) await openEntry(panel.n, { isKept: true })
}

async function takeFound(panel) {
  const { words } = filter
  if (words !== found.words) Object.assign(found, { words, rev: 0, ns: new Set() })
  if (words === '') return
  const { rev } = known
  const { ns } = await panel.tools.get('journal/find', { words, since: found.rev })
  for (const n of ns) found.ns.add(n)
  found.rev = rev
}

/** Opens an entry. With `isKept`, draws the open entry again if it has changed, without moving anything. */
async function openEntry(n, { isKept = false } = {}) {
  const panel = open
  panel.n = n
  const told = await panel.tools.get('journal/entry', { n, page: window.location.origin }).catch((error) => error)
  if (panel !== open || panel.n !== n) return
  state.panelItem = String(n)
  panel.list.mark(n)
  panel.body.classList.add('with-entry')
  panel.entry.hidden = false
  const drawn =
    told instanceof Error
      ? [el('p.inspector-error', { tabindex: -1 }, told.message)]
      : drawEntry(told, entryActs(panel))
  const { scrollTop } = panel.entry
  const hadFocus = panel.entry.contains(document.activeElement)
  panel.entry.replaceChildren(...drawn)
  panel.entry.scrollTop = isKept ? scrollTop : 0
  if (!isKept || hadFocus) panel.entry.querySelector('[tabindex="-1"]')?.focus()
}

function entryActs({ tools }) {
  return {
    open: (n) => void openEntry(n),
    close: closeEntry,
    again: async (n) => {
      const answer = await tools.post('journal/again', { n })
      await openEntry(answer.n)
    },
    goTo: (thread) => {
      const [channel, ts] = thread.split(':')
      if (state.current !== channel && state.channels.has(channel)) tools.go(channel)
      tools.openThread(ts)
    },
  }
}

function closeEntry() {
  open.n = undefined
  state.panelItem = undefined
  open.entry.hidden = true
  open.body.classList.remove('with-entry')
  open.list.mark(undefined)
  open.list.focus()
}
