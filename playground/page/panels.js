/**
 * The panels beside the workspace, one at a time, opened by their buttons at the top. Each panel is a module. `{ id,
 * title, ready?(tools), open(box, tools, item?), take?(change), hear?(change), draw?(), close?() }`: `ready` is called
 * once, at the start; `open` fills an empty box, at an item where one is named; `take` is told of the changes that the
 * server tells while it is open, `hear` of all; `draw` each time that the page is drawn; `tools` is `{ post(path,
 * body), get(path, params), go(channel), openThread(ts), showPanel(id, item?), showItem(item) }` (app.js): `showItem`
 * puts what the open panel shows into the page's address.
 */
import { byId, el } from './dom.js'
import { inspectorPanel } from './inspector-panel.js'
import { pushPlace } from './place.js'
import { promptsPanel } from './prompts-panel.js'
import { recordPanel } from './record-panel.js'
import { runPanel } from './run-panel.js'
import { state } from './state.js'
import { faultsPanel } from './faults-panel.js'

/** All that there may be, in the order of their buttons. */
const PANELS = [runPanel, inspectorPanel, faultsPanel, promptsPanel, recordPanel]

/** The panels that the page's server has. */
let had = []
let shown
/** What had the focus when a panel opened. */
let cameFrom

/** On a narrow screen a panel takes the place of all else: it is the page's main part then. */
const narrow = window.matchMedia('(max-width: 860px)')
narrow.addEventListener('change', tellRole)

function tellRole() {
  const role = narrow.matches && shown ? 'main' : 'complementary'
  byId('panel').setAttribute('role', role)
}

/**
 * Makes the buttons. @param {string[]} ids those that the server has @param {object} tools what a panel can do: see
 * above
 */
export function makePanels(ids, tools) {
  had = PANELS.filter(({ id }) => ids.includes(id))
  for (const { ready } of had) ready?.(tools)
  const buttons = had.map(({ id, title }) =>
    el(
      'button.panel-button',
      {
        type: 'button',
        id: `panel-button-${id}`,
        'aria-pressed': 'false',
        'aria-controls': 'panel',
        onclick: () => (unfold(false), showPanel(state.panel === id ? undefined : id, tools)),
      },
      title,
    ),
  )
  document.body.classList.toggle('with-panels', buttons.length > 0)
  byId('panel-buttons').replaceChildren(...buttons)
  byId('panel-close').addEventListener('click', () => showPanel(undefined, tools))
  byId('panels-button').addEventListener('click', () => unfold())
  byId('panels-button').parentElement.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !isUnfolded()) return
    event.preventDefault()
    unfold(false)
    byId('panels-button').focus()
  })
  byId('panels-button').parentElement.addEventListener('focusout', ({ relatedTarget, currentTarget }) => {
    if (relatedTarget && !currentTarget.contains(relatedTarget)) unfold(false)
  })
  document.addEventListener('pointerdown', ({ target }) => {
    if (!byId('panels-button').parentElement.contains(target)) unfold(false)
  })
}

const isUnfolded = () => byId('panels-button').getAttribute('aria-expanded') === 'true'

/** Shows or hides the buttons, which are behind one button on a narrow page. */
function unfold(open = !isUnfolded()) {
  byId('panels-button').setAttribute('aria-expanded', String(open))
}

/**
 * Opens a panel in place of the one that is open, or none.
 * @param {string | undefined} id
 * @param {object} tools
 * @param {string} [item] what of it: an id that the panel gives meaning to
 */
export function showPanel(id, tools, item) {
  if (state.panel === id && state.panelItem === item) return
  drawPanel(id, tools, item)
  pushPlace()
}

/** The same, for a place that the page has come to already. */
export function drawPanel(id, tools, item) {
  const panel = had.find((one) => one.id === id)
  const before = shown
  if (panel === before && state.panelItem === item) return
  before?.close?.()
  ;[shown, state.panel, state.panelItem] = [panel, panel?.id, panel && item]
  if (!before) cameFrom = document.activeElement
  byId('panel').hidden = !panel
  tellRole()
  document.body.classList.toggle('with-panel', Boolean(panel))
  for (const button of byId('panel-buttons').children)
    button.setAttribute('aria-pressed', String(button.id === `panel-button-${panel?.id}`))
  if (panel) {
    byId('panel-title').textContent = panel.title
    // A box of its own each time: what it is given late is not drawn over a panel that was opened meanwhile.
    const box = el('div.panel-own')
    byId('panel-box').replaceChildren(box)
    panel.open(box, tools, item)
  } else if (before) focusBack(before.id)
}

/** Focuses what had the focus before, else the panel's own button, or the one before all. */
function focusBack(id) {
  const places = [cameFrom, byId(`panel-button-${id}`)].filter((one) => one?.isConnected && one !== document.body)
  ;(places.find((one) => one.checkVisibility()) ?? byId('panels-button')).focus()
}

/** Tells the panels of a change: the open one, and those that hear of all. */
export function tellPanel(change) {
  for (const panel of had) panel.hear?.(change)
  shown?.take?.(change)
}

/** Tells the open panel that the page has been drawn. */
export function redrawPanel() {
  shown?.draw?.()
}
