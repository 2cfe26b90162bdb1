/**
 * What stands beside the workspace, one at a time, opened by its button at the top: a panel is a module of its own.
 * `{ id, title, ready?(tools), open(box, tools, item?), take?(change), hear?(change), draw?(), close?() }`: `ready` is called once, at the start;
 * `open` fills an empty box, at an item of the panel's own; `take` is told of the changes that the server tells while it is open, `hear` of
 * all; `draw` each time that the page is drawn; `tools` is `{ post(path, body), get(path, params), go(channel), openThread(ts), show(id, item?) }`
 * (app.js).
 */
import { byId, el } from './dom.js'
import { hoodPanel } from './hood-panel.js'
import { promptsPanel } from './prompts-panel.js'
import { recordPanel } from './record-panel.js'
import { runPanel } from './run-panel.js'
import { state } from './state.js'
import { troublePanel } from './trouble-panel.js'

/** In the order of their buttons. */
const PANELS = [runPanel, hoodPanel, troublePanel, promptsPanel, recordPanel]

let shown

/** Makes the buttons. @param {object} given what a panel can do: see above */
export function makePanels(given) {
  const tools = { ...given, show: (id, item) => showPanel(id, tools, item) }
  for (const { ready } of PANELS) ready?.(tools)
  const buttons = PANELS.map(({ id, title }) =>
    el(
      'button.panel-button',
      {
        type: 'button',
        id: `panel-button-${id}`,
        'aria-pressed': 'false',
        'aria-controls': 'panel',
        onclick: () => showPanel(state.panel === id ? undefined : id, tools),
      },
      title,
    ),
  )
  byId('panel-buttons').replaceChildren(...buttons)
  byId('panel-close').addEventListener('click', () => showPanel(undefined, tools))
}

/** Opens a panel in place of the one that is open, or none; at an item anew. @param {string | undefined} id @param {object} tools @param {string} [item] */
export function showPanel(id, tools, item) {
  const panel = PANELS.find((one) => one.id === id)
  const before = shown
  if (panel === before && item === undefined) return
  before?.close?.()
  ;[shown, state.panel] = [panel, panel?.id]
  byId('panel').hidden = !panel
  document.body.classList.toggle('with-panel', Boolean(panel))
  for (const button of byId('panel-buttons').children)
    button.setAttribute('aria-pressed', String(button.id === `panel-button-${panel?.id}`))
  if (panel) {
    byId('panel-title').textContent = panel.title
    const box = byId('panel-box')
    box.replaceChildren()
    panel.open(box, tools, item)
  } else if (before) byId(`panel-button-${before.id}`).focus()
}

/** Tells the panels of a change: the open one, and those that hear of all. */
export function tellPanel(change) {
  for (const panel of PANELS) panel.hear?.(change)
  shown?.take?.(change)
}

/** Tells the open panel that the page has been drawn. */
export function drawPanel() {
  shown?.draw?.()
}
