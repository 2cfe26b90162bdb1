/**
 * Switches the page to another person, and opens a second person beside them. Both are in the page's address
 * (`?as=alice&with=bob`). In a frame (split.js), the outer page does that.
 */
import { byId, el } from './dom.js'
import { dropMenu } from './drop-menu.js'
import { icon } from './icons.js'
import { aboutPerson, personAvatar, personBadge } from './person.js'
import { state } from './state.js'

/** `left` or `right` in a frame; undefined otherwise. */
const side = window.frameElement?.dataset.side
if (side) document.body.classList.add('in-frame')

/** Draws both menus when the people are known. */
export function renderPeople() {
  const people = [...state.users.values()].filter(({ is_bot }) => !is_bot)
  const you = state.users.get(state.you)
  const box = byId('people')
  const print = JSON.stringify([you, people])
  if (box.dataset.print === print) return
  box.dataset.print = print
  box.replaceChildren(...inWorkspace(), actAs(you, people), ...(side ? [] : [sideBySide(you, people)]))
  if (side) tell({ type: 'here', name: you.real_name, about: aboutPerson(you) })
  if (side) nameLandmarks(you.real_name)
}

/** Adds the person's name to the landmarks, because both frames have the same ones. */
function nameLandmarks(name) {
  byId('whose').textContent = name
  for (const part of document.querySelectorAll('.top, nav, main, aside')) {
    const heading = part.getAttribute('aria-labelledby')?.split(' ')[0]
    part.dataset.label ??= part.getAttribute('aria-label') ?? ''
    if (heading) part.setAttribute('aria-labelledby', `${heading} whose`)
    else part.setAttribute('aria-label', [part.dataset.label, name].filter(Boolean).join(', '))
  }
}

/** Draws links to the pages of other workspaces, if there are several. */
function inWorkspace() {
  const { workspace, workspaces = [] } = state
  if (side || workspaces.length === 0) return []
  const entries = workspaces.map(({ name, url }) => ({
    content: [el('span.person-words', {}, el('strong', {}, name))],
    checked: name === workspace,
    choose: () => name !== workspace && location.assign(url),
  }))
  const content = [el('span', {}, workspace), el('span', { 'aria-hidden': 'true' }, '▾')]
  return [dropMenu({ label: `Workspace: ${workspace}`, content, menu: 'Workspaces' }, entries)]
}

function actAs(you, people) {
  const others = people.filter(({ name }) => name !== beside())
  const entries = others.map((user) => ({
    content: entry(user),
    checked: user === you,
    choose: () => user !== you && become(user.name),
  }))
  const arrow = el('span', { 'aria-hidden': 'true' }, '▾')
  const content = [personAvatar(you), el('span.drop-words', {}, you.real_name), personBadge(you), arrow]
  return dropMenu({ label: `Act as: ${you.real_name}, ${aboutPerson(you)}`, content, menu: 'Act as' }, entries)
}

function sideBySide(you, people) {
  const others = people.filter((user) => user !== you)
  const entries = others.map((user) => ({
    content: entry(user),
    choose: () => goTo({ as: you.name, with: user.name }),
  }))
  const content = [icon('beside'), el('span.wide', {}, 'Side by side')]
  return dropMenu({ label: 'Side by side', content, menu: 'Side by side with' }, entries)
}

function entry(user) {
  const words = el('span.person-words', {}, el('strong', {}, user.real_name), el('span.quiet', {}, aboutPerson(user)))
  return [personAvatar(user), words]
}

/** Returns the person in the other frame. */
function beside() {
  if (!side) return undefined
  const { searchParams } = new URL(window.parent.location.href)
  return searchParams.get(side === 'left' ? 'with' : 'as')
}

function become(name) {
  if (side) tell({ type: 'become', name })
  else goTo({ as: name })
}

function goTo(people) {
  location.assign(`${location.pathname}?${new URLSearchParams(people).toString()}${location.hash}`)
}

function tell(message) {
  window.parent.postMessage({ ...message, side }, location.origin)
}
