/** The panel "Run": the exchanges of a run with models and tools, opened from a step in its thread. */
import { el } from './dom.js'
import { partOfPost } from './run-parts.js'
import { visible } from './run-text.js'
import { createRunView } from './run-view.js'
import { state } from './state.js'

/** The known runs by id, the newest last. */
const runs = new Map()
let tools
let shown

export const runPanel = { id: 'run', title: 'Run', ready, open, onChange, close }

/** @param {object} given see panels.js; `showPanel(id, item)` opens a panel */
function ready(given) {
  tools = given
  document.addEventListener('click', (event) => {
    const pressed = pressedIn(event.target)
    if (pressed?.isWork) state.workOf = pressed
    else if (pressed) void openRun(pressed)
  })
}

// ---- the thread ----

/**
 * Returns the run and the post that a press is about, and whether the app opens its work. Undefined for other presses.
 */
function pressedIn(target) {
  const item = target.closest?.('li.message[data-ts]')
  const message = item && messageAt(item.dataset.ts)
  if (!message || !window.getSelection().isCollapsed) return undefined
  const task = target.closest('[data-task]')
  const button = target.closest('button, a, input, select, textarea, summary, label, [role="button"]')
  const line = target.closest('.container-blocks > *')?.textContent.match(/^\P{L}{0,6}?(\d{1,3})\. /u)
  const isWork = /^Show work$/.test(button?.textContent.trim() ?? '')
  const isOurs = button?.matches('[data-run-link]') || isWork
  return button && !isOurs && !task?.contains(button)
    ? undefined
    : { message, isWork, post: task?.dataset.task ?? (line ? `step-${line[1]}` : undefined) }
}

/** Returns the bot's message with this ts, posted or ephemeral. */
function messageAt(ts) {
  const { messages, ephemerals = [] } = state.channels.get(state.current) ?? {}
  const message = messages?.get(ts)
  return message?.user === state.bot ? message : ephemerals.find((one) => one.ts === ts)
}

/** Opens the run of a message, at one of its posts if given. */
export async function openRun({ message, post }) {
  const place = placeOf(message) ?? (await load(), placeOf(message))
  const item = place && `${place.run}~${post ?? place.post ?? ''}`
  if (item) await (shown ? go(item) : tools.showPanel('run', item))
}

/** Returns the run of a message: by its metadata, else by the posts of runs, else the newest run of the thread. */
function placeOf(message) {
  if (message.isEphemeral) return placeOfEphemeral(message)
  const { metadata, ts, thread_ts } = message
  const { run, step } = metadata?.event_payload ?? {}
  if (run) return { run, post: step }
  const inThread = [...runs.values()].filter(
    ({ channel, thread }) => channel === state.current && thread === (thread_ts ?? ts),
  )
  const [known] = inThread.filter(({ posts = {} }) => Object.values(posts).includes(ts))
  const found = known ?? inThread.at(-1)
  return found && { run: found.id, post: Object.entries(found.posts ?? {}).find(([, at]) => at === ts)?.[0] }
}

/** A post can be slightly newer than the end of its run. */
const LATE_MS = 1000

/** Returns the run of an ephemeral message: the one that its buttons name, else the private run at that time. */
function placeOfEphemeral({ ts, user, blocks = [] }) {
  const named = blocks.flatMap(({ elements = [] }) => elements.map(({ value }) => value)).find((id) => runs.has(id))
  if (named) return { run: named, post: 'answer-1' }
  const at = Number(ts) * 1000
  const thread = `private-${user}`
  const wentOn = ({ startedAt, endedAt }) => startedAt <= at && (!endedAt || at <= endedAt + LATE_MS)
  const found = [...runs.values()].findLast(
    (run) => run.channel === state.current && run.thread === thread && wentOn(run),
  )
  return found && { run: found.id, post: 'answer-1' }
}

// ---- the panel ----

function close() {
  shown = undefined
  state.panelItem = undefined
}

/** @param {HTMLElement} box @param {object} _ @param {string} [item] `RUN~POST`: a run, and the part of it to open */
async function open(box, _, item) {
  const view = createRunView((key) => tools.showItem(`${view.run}~${key}`))
  const choice = el('select.menu-select', { 'aria-label': 'Run', onchange: () => void go(`${choice.value}~`) })
  const save = el('a.button', { download: true }, 'Export as JSON')
  const nothing = el('p.quiet', {}, 'No run yet: ask something, and its first call will appear here.')
  shown = { view, choice, save, nothing, asked: 0 }
  box.replaceChildren(el('div.run', {}, el('div.run-bar', {}, choice, save), nothing, view.box))
  await load()
  const wanted = [item, state.panelItem].find((one) => one && runs.has(one.slice(0, one.lastIndexOf('~'))))
  await show(wanted ?? `${newest()?.id ?? ''}~`)
}

/** Returns the newest run of the open thread, or of all. */
function newest() {
  const all = [...runs.values()]
  const isHere = ({ channel, thread }) => channel === state.current && thread === state.thread
  return all.findLast(isHere) ?? all.at(-1)
}

/** Goes to a run or a part of it for a person, and writes that into the address. */
async function go(item) {
  tools.showItem(item)
  await show(item)
}

/** Shows a run in the open panel. */
async function show(item) {
  const here = shown
  if (!here) return
  const at = item.lastIndexOf('~')
  const [id, post] = at < 0 ? [item, ''] : [item.slice(0, at), item.slice(at + 1)]
  const has = id !== '' && runs.has(id)
  for (const one of [here.view.box, here.choice, here.save]) one.hidden = !has
  here.nothing.hidden = has
  if (!has) return
  Object.assign(here.view, { run: id })
  state.panelItem = item
  drawChoice(here, id)
  await draw(here, id, post)
}

function drawChoice({ choice, save }, id) {
  const options = [...runs.values()].reverse().map((run) => {
    const time = new Date(run.startedAt).toLocaleTimeString()
    return el('option', { value: run.id, selected: run.id === id }, `${visible(run.question).slice(0, 80)} · ${time}`)
  })
  choice.replaceChildren(...options)
  const query = new URLSearchParams({ id })
  save.setAttribute('href', `trace?${query}`)
  save.setAttribute('download', `run-${id.replace(/[^\w.-]+/g, '-')}.json`)
}

/** Loads and draws the trace. A late answer to an earlier request is not drawn. */
async function draw(here, id, post) {
  const turn = (here.asked += 1)
  const trace = await tools.get('trace', { id }).catch(() => undefined)
  if (!trace || turn !== here.asked || shown !== here) return
  const isKey = /^(?:question|answer|(?:call|wait|added)-\d+)$/.test(post)
  here.view.show(trace, post === '' ? undefined : isKey ? post : partOfPost(trace, post))
}

/** Takes a run that has grown. The shown run is loaded again, one request at a time. */
function onChange(change) {
  if (change.type !== 'trace') return
  note(change.run)
  const here = shown
  if (!here) return
  if (!here.view.run) return void show(`${change.run.id}~`)
  drawChoice(here, here.view.run)
  if (change.run.id === here.view.run) later(here)
}

const PAUSE_MS = 80

function later(here) {
  here.due ??= setTimeout(() => {
    here.due = undefined
    if (shown === here) void draw(here, here.view.run, '')
  }, PAUSE_MS)
}

async function load() {
  const { runs: all } = await tools.get('traces')
  for (const run of all) note(run)
}

function note(run) {
  runs.set(run.id, run)
}
