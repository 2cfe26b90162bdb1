/**
 * Switches the page to another person, and opens a second person beside them. Both are in the page's address
 * (`?as=alice&with=bob`). In one of two frames (split.js) the page that holds them is told instead.
 */
import { byId, el } from './dom.js'
import { dropMenu } from './drop-menu.js'
import { icon } from './icons.js'
import { aboutPerson, personAvatar, personBadge } from './person.js'
import { state } from './state.js'

/** `left` or `right`, in a frame beside another; else nothing. */
const side = window.frameElement?.dataset.side
if (side) document.body.classList.add('in-frame')

/** Draws both, when it is known who there is. */
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

/** Both frames have the same parts: who goes by landmarks hears whose each is. */
function nameLandmarks(name) {
  byId('whose').textContent = name
  for (const part of document.querySelectorAll('.top, nav, main, aside')) {
    const heading = part.getAttribute('aria-labelledby')?.split(' ')[0]
    part.dataset.label ??= part.getAttribute('aria-label') ?? ''
    if (heading) part.setAttribute('aria-labelledby', `${heading} whose`)
    else part.setAttribute('aria-label', [part.dataset.label, name].filter(Boolean).join(', '))
  }
}

/** The way to the pages of other workspaces, where several are played. */
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
