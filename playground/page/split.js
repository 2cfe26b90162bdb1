/**
 * Two people side by side: two frames of the page, each with its own person, focus and place. The address has the
 * people and their places: `?as=alice&with=bob#general|random`. Without a second place both are at the first.
 */
import { byId, el } from './dom.js'

/** The sides, and the address parameters that name their people. */
const SIDES = { left: 'as', right: 'with' }
const frames = Object.fromEntries(
  Object.keys(SIDES).map((side) => [side, el('iframe.side', { title: side, 'data-side': side })]),
)
/** The person of each frame, as the frame reported it. */
const here = {}

function wanted() {
  const params = new URLSearchParams(location.search)
  const [left, right = left] = location.hash.slice(1).split('|')
  const places = { left, right }
  return Object.entries(SIDES).map(([side, name]) => ({ side, name: params.get(name), place: places[side] }))
}

function addressOf({ name, place }) {
  return `${location.pathname}?${new URLSearchParams({ as: name }).toString()}#${place}`
}

/** Sends the frames to the places in the address. A frame that is already there stays unchanged. */
function follow() {
  for (const one of wanted()) {
    const { location: at } = frames[one.side].contentWindow
    const isThere = new URLSearchParams(at.search).get('as') === one.name && at.hash.slice(1) === one.place
    if (!isThere) at.replace(addressOf(one))
  }
}

/** Writes the places of the frames into the address. */
function keepPlaces() {
  const places = Object.values(frames).map((frame) => frame.contentWindow.location.hash.slice(1))
  const both = places[0] === places[1] ? places[0] : places.join('|')
  window.history.replaceState(null, '', `${location.pathname}${location.search}#${both}`)
}

function become(side, name) {
  const params = new URLSearchParams(location.search)
  params.set(SIDES[side], name)
  window.history.pushState(null, '', `${location.pathname}?${params.toString()}${location.hash}`)
  follow()
}

function renderNames() {
  for (const [side, { name, about }] of Object.entries(here)) frames[side].title = `${name}, ${about}`
  const both = Object.keys(SIDES).map((side) => here[side]?.name ?? '…')
  byId('split-title').textContent = both.join(' and ')
  document.title = `${both.join(' and ')} – Thinkaloud playground`
}

window.addEventListener('message', ({ origin, data }) => {
  if (origin !== location.origin || !Object.hasOwn(SIDES, data?.side)) return
  if (data.type === 'become') become(data.side, data.name)
  if (data.type !== 'here') return
  here[data.side] = data
  renderNames()
})
window.addEventListener('popstate', follow)
byId('split-close').addEventListener('click', () => {
  location.assign(addressOf(wanted()[0]))
})

for (const one of wanted()) frames[one.side].src = addressOf(one)
for (const frame of Object.values(frames)) {
  // In a browser without a Navigation API, a shared address has the places at the start.
  frame.addEventListener('load', () => {
    const { navigation } = frame.contentWindow
    navigation?.addEventListener('currententrychange', keepPlaces)
  })
}
byId('sides').append(...Object.values(frames))
