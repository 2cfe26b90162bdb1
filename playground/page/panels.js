/**
 * The panels beside the workspace. One is open at a time, by its button at the top. Each panel is a module `{ id,
 * title, ready?(tools), open(box, tools, item?), onChange?(change), onAnyChange?(change), draw?(), close?() }`.
 * - `ready` is called once, at the start.
 * - `open` fills an empty box, at an item if one is named.
 * - `onChange` gets the server's changes while the panel is open; `onAnyChange` gets all of them.
 * - `draw` is called each time the page is drawn.
 * - `tools` is `{ post(path, body), get(path, params), go(channel), openThread(ts), showPanel(id, item?),
 * showItem(item) }` (app.js). `showItem` puts the shown item into the page's address.
 */
import { byId, el } from './dom.js'
import { inspectorPanel } from './inspector-panel.js'
import { pushPlace } from './place.js'
import { promptsPanel } from './prompts-panel.js'
import { recordPanel } from './record-panel.js'
import { runPanel } from './run-panel.js'
import { samplesPanel } from './samples-panel.js'
import { state } from './state.js'
import { faultsPanel } from './faults-panel.js'

/** All panels, in the order of their buttons. */
const PANELS = [runPanel, inspectorPanel, faultsPanel, samplesPanel, promptsPanel, recordPanel]

/** The panels that the page's server has. */
let had = []
let shown
/** The element that had the focus when a panel opened. */
let cameFrom

/** On a narrow screen a panel replaces everything else, and becomes the page's main part. */
const narrow = window.matchMedia('(max-width: 860px)')
narrow.addEventListener('change', tellRole)

function tellRole() {
  const role = narrow.matches && shown ? 'main' : 'complementary'
  byId('panel').setAttribute('role', role)
}

/**
 * Creates the buttons.
 * @param {string[]} ids the panels that the server has @param {object} tools see above
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

/** Shows or hides the buttons. On a narrow page they are behind one button. */
function unfold(open = !isUnfolded()) {
  byId('panels-button').setAttribute('aria-expanded', String(open))
}

/**
 * Opens a panel instead of the open one, or closes it.
 * @param {string | undefined} id
 * @param {object} tools
 * @param {string} [item] an id that has a meaning for the panel
 */
export function showPanel(id, tools, item) {
  if (state.panel === id && state.panelItem === item) return
  drawPanel(id, tools, item)
  pushPlace()
}

/** Does the same without changing the page's address. */
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
    // A new box each time, so that late results of a closed panel are not drawn over another one.
    const box = el('div.panel-own')
    byId('panel-box').replaceChildren(box)
    panel.open(box, tools, item)
  } else if (before) focusBack(before.id)
}

/** Returns the focus to its previous place, else to the panel's button, or to the button for all panels. */
function focusBack(id) {
  const places = [cameFrom, byId(`panel-button-${id}`)].filter((one) => one?.isConnected && one !== document.body)
  ;(places.find((one) => one.checkVisibility()) ?? byId('panels-button')).focus()
}

/** Passes a change to the open panel, and to the panels that receive all changes. */
export function tellPanel(change) {
  for (const panel of had) panel.onAnyChange?.(change)
  shown?.onChange?.(change)
}

/** Tells the open panel that the page was drawn. */
export function redrawPanel() {
  shown?.draw?.()
}
