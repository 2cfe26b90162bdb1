/** The panel "Record": saves the conversation as a test, and compares a replayed test with its recording. */
import { el } from './dom.js'
import { actIn } from './panel-form.js'
import { isDirect, names, rootsIn, state } from './state.js'

let follow

export const recordPanel = {
  id: 'record',
  title: 'Record',
  open,
  draw: () => follow?.(),
  close: () => (follow = undefined),
}

async function open(box, tools) {
  const { compared } = await tools.get('record/compared')
  box.append(compared ? comparison(compared) : form(tools))
}

// ---- saving ----

function form(tools) {
  const scope = scopes()
  let isNamed = false
  const name = el('input', {
    id: 'record-name',
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '60',
    value: suggestedName(),
    oninput: () => (isNamed = true),
  })
  const preview = el('div.record-preview', {})
  const said = el('div', { role: 'status' })
  const anyway = el('input', { type: 'checkbox', id: 'record-anyway' })
  const insist = el('p', { hidden: true }, anyway, el('label', { for: 'record-anyway' }, ' Save it all the same'))
  const act = actIn(said)
  const look = act('Looking…', async () => {
    preview.replaceChildren(...sections(await tools.get('record/preview', scope.value())))
    return []
  })
  const save = act('Replaying…', async () => {
    const body = { name: name.value.trim(), scope: scope.value(), anyway: anyway.checked }
    const { saved, fault } = await tools.post('record/save', body)
    insist.hidden = !fault || Boolean(saved)
    if (saved) return [el('p', {}, `Saved as ${saved}. npm test replays it from now on.`)]
    return [
      el('p.panel-fault', {}, 'Not saved: a replay ends differently, so the test would fail.'),
      el('pre.record-difference', { tabindex: '0', 'aria-label': 'What differs' }, fault),
    ]
  })
  const download = act('Downloading…', async () => {
    const file = await tools.get('record/file', { ...scope.value(), name: name.value.trim() })
    const link = el('a', { download: `${file.name}.json`, href: URL.createObjectURL(asFile(file)) })
    link.click()
    URL.revokeObjectURL(link.href)
    return [el('p', {}, `Downloaded as ${file.name}.json. Move it to test/conversations/.`)]
  })
  scope.box.addEventListener('change', look)
  follow = () => {
    if (!scope.follow()) return
    if (!isNamed) name.value = suggestedName()
    preview.replaceChildren()
    said.replaceChildren()
  }
  return drawn({ scope, name, insist, said, preview }, { look, save, download })
}

function drawn({ scope, name, insist, said, preview }, { look, save, download }) {
  const buttons = el(
    'div.panel-form-buttons',
    {},
    el('button.button', { type: 'button', onclick: look }, 'Preview'),
    el('button.button.primary', { type: 'submit' }, 'Save'),
    el('button.button', { type: 'button', onclick: download }, 'Download'),
  )
  return el(
    'form.panel-form',
    { onsubmit: save, 'aria-label': 'Save the conversation as a test' },
    el(
      'p.quiet',
      {},
      'Saves what people did, what the model and the tools answered, and how the workspace looks now, as a test.',
    ),
    el('label', { for: 'record-scope' }, 'What'),
    scope.box,
    el('label', { for: 'record-name' }, 'Name'),
    name,
    buttons,
    insist,
    said,
    preview,
  )
}

function asFile(file) {
  return new window.Blob([`${JSON.stringify(file, undefined, 1)}\n`], { type: 'application/json' })
}

/** Returns what can be saved at this place: the open thread, the open channel, or everything since the start. */
function scopesHere() {
  const { current: channel, thread } = state
  const place = isDirect(state.channels.get(channel)) ? 'these direct messages' : `#${names.channel(channel)}`
  return [
    ...(thread ? [['This thread', { channel, thread }]] : []),
    [`All of ${place}`, { channel }],
    ['Everything since the playground began', {}],
  ]
}

/**
 * Draws the choice of what is saved. `follow` sets it to the current place, and returns whether the place is another
 * one.
 */
function scopes() {
  const box = el('select', { id: 'record-scope' })
  let all = []
  const follow = () => {
    const now = scopesHere()
    if (JSON.stringify(now) === JSON.stringify(all)) return false
    all = now
    box.replaceChildren(...all.map(([label], i) => el('option', { value: String(i) }, label)))
    return true
  }
  follow()
  return { box, follow, value: () => all[Number(box.value)][1] }
}

/** Suggests a name after the first question of the open thread, or of the channel. */
function suggestedName() {
  const channel = state.channels.get(state.current)
  const first = channel.messages.get(state.thread) ?? rootsIn(channel).find((one) => one.user !== state.bot)
  const words = (first?.text ?? '').replace(/<[^>]*>/g, ' ').toLowerCase()
  return words
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, NAME_CHARS)
    .replace(/-[^-]*$/, (end) => (words.length > NAME_CHARS ? '' : end))
}

const NAME_CHARS = 40

function sections({ acts, models, tools, messages, settings }) {
  const parts = [
    ['What people did', acts],
    ['What the model said', models],
    ['Tool calls', tools],
    ['How it looks afterwards', messages],
    ['Settings', settings],
  ]
  return parts.flatMap(([title, lines]) => [
    el('h3', {}, `${title} (${lines.length})`),
    el('ol', {}, ...lines.map((line) => el('li', {}, line))),
  ])
}

// ---- comparing ----

/** Draws the differences, the expected lines beside the actual ones. The page's workspace is the actual one. */
function comparison({ file, differences, problems }) {
  const isSame = differences.length + problems.length === 0
  return el(
    'section.record-compared',
    { 'aria-label': 'The replayed test', tabindex: '0' },
    el('h3', {}, file),
    el(
      'p',
      {},
      isSame ? 'It ended as it was recorded.' : 'It did not end as it was recorded. You see how it ended here.',
    ),
    ...problems.map((problem) => el('p.panel-fault', {}, problem)),
    ...differences.map(({ what, expected, came }) =>
      el(
        'figure.panel-pair.record-difference-pair',
        {},
        el('figcaption', {}, what),
        side('Expected', expected, came),
        side('Actual', came, expected),
      ),
    ),
  )
}

function side(title, lines, others) {
  const shown = lines.length > 0 ? lines : ['(it is not there)']
  return el(
    'div.panel-side',
    {},
    el('h4', {}, title),
    ...shown.map((line) => (others.includes(line) ? el('p', {}, line) : el('p', {}, el('mark', {}, line)))),
  )
}
