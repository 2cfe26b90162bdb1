/** The page of `npm run trace`: one saved run. The address holds the open part. */
import { byId, el } from './dom.js'
import { visible } from './run-text.js'
import { createRunView } from './run-view.js'

const response = await fetch('trace')
const trace = await response.json()
const view = createRunView((key) => window.history.replaceState(null, '', `#${key}`))
byId('run-question').textContent = visible(trace.question).slice(0, 400)
document.title = `${visible(trace.question).slice(0, 80)} – Thinkaloud`
byId('run').append(view.box)
view.show(trace, decodeURIComponent(location.hash.slice(1)) || undefined)
byId('run').append(el('p.sr-only', { role: 'status' }, 'The run is shown.'))
