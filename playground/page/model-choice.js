/** The choice between the demo and the models that run on this machine. */
import { byId, el } from './dom.js'
import { dropMenu } from './drop-menu.js'
import { showNotice } from './notice.js'

/** Trying a model includes loading it. */
const TRY_MS = 120_000
/** The menu gets the focus back when it is drawn again. */
let hasChosen = false

/**
 * Turns the line about the model into a menu, if the machine has models.
 * @param {object} calls `get` and `post` of page-calls.js
 */
export async function offerModels({ get, post }) {
  const { models } = await get('models')
  const line = byId('model')
  if (models.length < 2) return
  const used = models.find(({ isUsed }) => isUsed)
  const entries = models.map(({ id, name, about, isUsed }) => ({
    content: [el('span.person-words', {}, el('strong', {}, name), el('span.quiet', {}, about))],
    checked: isUsed,
    choose: () => !isUsed && void choose({ id, name }, post),
  }))
  const content = [...line.querySelectorAll('.chip'), el('span', { 'aria-hidden': 'true' }, '▾')]
  line.replaceChildren(dropMenu({ label: `Model: ${used.name}`, content, menu: 'Model' }, entries))
  if (hasChosen) line.querySelector('button').focus()
  hasChosen = false
}

async function choose({ id, name }, post) {
  showNotice({ text: `Trying ${name} …`, staysMs: TRY_MS })
  hasChosen = true
  try {
    await post('model', { id })
    showNotice({ text: `From now on, ${name} answers.` })
  } catch (error) {
    showNotice({ text: error.message, isFault: true })
  }
}
