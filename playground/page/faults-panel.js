/**
 * The panel "Trouble": a switch for each fault that can be injected. The server has the switches; this panel shows and
 * changes them.
 */
import { byId, el } from './dom.js'

let post
/** The switches as last reported by the server, and the functions that update them on screen, by name. */
let switches = []
let updates = new Map()
let clearButton

export const faultsPanel = {
  id: 'faults',
  title: 'Trouble',
  open,
  onChange: show,
  onAnyChange: mark,
  close: () => updates.clear(),
}

/** @param {HTMLElement} box @param {object} tools see panels.js */
async function open(box, tools) {
  post = tools.post
  const status = el('p.fault-error', { role: 'status' })
  clearButton = el('button.button', { type: 'button', onclick: () => send('faults-clear', {}, status) }, WELL)
  const head = el('div.fault-head', {}, el('p.quiet', {}, ABOUT), clearButton)
  const groups = el('div', {})
  box.replaceChildren(el('div.faults', {}, head, status, groups))
  show(await tools.get('faults'))
  const names = [...new Set(switches.map(({ group }) => group))]
  groups.replaceChildren(...names.map((name, i) => groupOf(name, i, status)))
  show({ type: 'faults', switches })
}

const WELL = 'Turn everything off'
const ABOUT = 'Each switch makes something go wrong for everybody, until you turn it off. See what people would see.'

/** Updates the switches on screen. */
function show(change) {
  if (change.type !== 'faults') return
  switches = change.switches
  for (const one of switches) updates.get(one.name)?.(one)
  clearButton.disabled = !switches.some(({ isOn }) => isOn)
}

/** Marks the panel's button while a fault is on. */
function mark(change) {
  if (change.type !== 'faults') return
  const on = change.switches.filter(({ isOn }) => isOn)
  const button = byId('panel-button-faults')
  button.textContent = on.length > 0 ? `Trouble: ${on.length} on` : 'Trouble'
  button.title = on.map(({ title }) => title).join(', ')
  button.classList.toggle('has-faults', on.length > 0)
  document.body.classList.toggle('with-faults', on.length > 0)
}

function groupOf(name, i, status) {
  const own = switches.filter(({ group }) => group === name)
  return el(
    'section.fault-group',
    { 'aria-labelledby': `fault-group-${i}` },
    el('h3', { id: `fault-group-${i}` }, name),
    el('ul', {}, ...own.map((one) => item(one, status))),
  )
}

function item(one, status) {
  const { name, title, does, seen, number, choice, once, missing } = one
  const [at, about] = [`fault-${name}`, `fault-about-${name}`]
  const toggle = el('button.switch', {
    type: 'button',
    role: 'switch',
    id: at,
    'aria-labelledby': `${at}-title`,
    'aria-describedby': about,
    'aria-checked': 'false',
    onclick: () => send('faults', { name, on: toggle.getAttribute('aria-checked') !== 'true' }, status),
  })
  const change = (value) => send('faults', { name, value }, status)
  const value = number ? numberField(one, change) : choice ? choiceField(one, change) : undefined
  const act = el('button.button', { type: 'button', onclick: () => send('faults-once', { name }, status) }, once ?? '')
  for (const field of [toggle, value?.field, act]) if (field) field.disabled = Boolean(missing)
  updates.set(name, (now) => {
    toggle.setAttribute('aria-checked', String(now.isOn))
    if (value && document.activeElement !== value.field) value.field.value = String(now.value)
  })
  const head = el('div.fault-title', {}, toggle, el('span', { id: `${at}-title` }, title))
  const extra = el('div.fault-extra', {}, value?.label, once && act)
  const words = el(
    'div',
    { id: about },
    el('p', {}, does),
    el('p.quiet', {}, `People should see: ${seen}`),
    missing && el('p.fault-missing', {}, missing),
  )
  return el('li.fault-item', {}, head, words, (value || once) && extra)
}

function numberField({ title, number: { label, unit, min, max } }, change) {
  const attributes = { type: 'number', min, max, step: 1, 'aria-label': `${title}: ${label} (${unit})` }
  const field = el('input.fault-number', { ...attributes, onchange: () => change(Number(field.value)) })
  return { field, label: el('label', {}, `${label} `, field, ` ${unit}`) }
}

function choiceField({ title, choice: { label, options } }, change) {
  const field = el(
    'select.menu-select',
    { 'aria-label': `${title}: ${label}`, onchange: () => change(field.value) },
    ...options.map((one) => el('option', { value: one }, one)),
  )
  return { field, label: el('label', {}, `${label} `, field) }
}

/** Sends a change. If the server refuses it, shows its sentence and restores the field. */
async function send(path, body, status) {
  status.textContent = ''
  try {
    await post(path, body)
  } catch (error) {
    status.textContent = error.message
    document.activeElement?.blur()
    show({ type: 'faults', switches })
  }
}
