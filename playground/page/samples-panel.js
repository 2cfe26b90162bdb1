/** The panel "Samples": posts what other apps and recordings look like, where the person is. */
import { el } from './dom.js'
import { actIn } from './panel-form.js'
import { state } from './state.js'

export const samplesPanel = { id: 'samples', title: 'Samples', open }

const ABOUT =
  'Posts a message into the open thread, or else the channel: of an app named Alerts, or a recording or a canvas of yours. Then ask below it, for example “What is this about?”'

/** @param {HTMLElement} box @param {object} tools see panels.js */
async function open(box, { get, post }) {
  const said = el('div', { role: 'status' })
  const act = actIn(said)
  const { samples } = await get('samples')
  const place = () => ({ channel: state.current, thread_ts: state.thread })
  const send = ({ name, title }) =>
    act('Posting …', async () => (await post('sample', { ...place(), sample: name }), [`Posted: ${title}`]))
  const buttons = samples.map((one) => el('button.button', { type: 'button', onclick: send(one) }, one.title))
  box.replaceChildren(
    el('p.quiet', {}, ABOUT),
    el('ul.samples', { 'aria-label': 'Samples' }, ...buttons.map((one) => el('li', {}, one))),
    said,
  )
}
