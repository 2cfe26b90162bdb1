/**
 * The panel "Prompts": edits a prompt, tries it on the last question, and shows both answers. It saves only on request.
 */
import { el } from './dom.js'
import { actIn } from './panel-form.js'
import { counted, duration } from './run-text.js'
import { state } from './state.js'

export const promptsPanel = { id: 'prompts', title: 'Prompts', open }

/** The unsaved texts, by file name. They are kept while the panel is closed. */
const drafts = new Map()

async function open(box, tools) {
  const { files } = await tools.get('prompts')
  box.replaceChildren(editor(files, tools))
}

function editor(files, tools) {
  const texts = new Map(files.map(({ name, text }) => [name, text]))
  const options = files.map(({ name }) => el('option', { value: name }, `${name}.md`))
  const choice = el('select', { id: 'prompts-file' }, ...options)
  const area = el('textarea', { id: 'prompts-text', spellcheck: 'false' })
  const [said, answers] = [el('div', { role: 'status' }), el('div', {})]
  const name = () => choice.value
  const show = () => {
    state.promptsFile = name()
    area.value = drafts.get(name()) ?? texts.get(name())
    said.replaceChildren()
  }
  const undo = () => {
    drafts.delete(name())
    show()
  }
  choice.value = state.promptsFile ?? (texts.has('text') ? 'text' : files[0].name)
  choice.addEventListener('change', show)
  area.addEventListener('input', () => void drafts.set(name(), area.value))
  show()
  const acts = actions({ texts, said, answers, tools, edited: () => ({ name: name(), text: area.value }) })
  return drawn({ choice, area, said, answers }, { ...acts, undo })
}

/** Runs the buttons, and shows the result or the error below them. */
function actions({ texts, said, answers, tools, edited }) {
  const act = actIn(said)
  const attempt = act('Trying…', async () => {
    answers.replaceChildren()
    const place = { channel: state.current, thread: state.thread }
    answers.replaceChildren(both(await tools.post('prompts/try', { ...edited(), ...place })))
    return []
  })
  /** Saves the text that was shown, even if more has been typed since. */
  const save = ({ name, text }) =>
    act('Saving…', async () => {
      await tools.post('prompts/save', { name, text, was: texts.get(name) })
      texts.set(name, text)
      drafts.delete(name)
      const when = 'A bot of npm run dev has it at once, any other from its next start.'
      return [el('p', {}, `Saved to prompts/${name}.md. ${when}`)]
    })
  const ask = act('Comparing…', async () => {
    const prompt = edited()
    const { difference } = await tools.post('prompts/difference', prompt)
    if (!difference) return [el('p', {}, 'You changed nothing.')]
    const file = `prompts/${prompt.name}.md`
    return [
      el('p', {}, `This goes into ${file}:`),
      el(
        'div.prompts-difference',
        { tabindex: '0', role: 'region', 'aria-label': 'What is changed' },
        ...lines(difference),
      ),
      el('button.button.primary', { type: 'button', onclick: save(prompt) }, `Write ${file}`),
    ]
  })
  return { attempt, ask }
}

function drawn({ choice, area, said, answers }, { attempt, ask, undo }) {
  const buttons = el(
    'div.panel-form-buttons',
    {},
    el('button.button.primary', { type: 'submit' }, 'Try'),
    el('button.button', { type: 'button', onclick: ask }, 'Save to prompts/'),
    el('button.button', { type: 'button', onclick: undo }, 'Undo'),
  )
  const about =
    'Try answers the last question of the open thread again, in this panel only. Nothing is posted or saved.'
  return el(
    'form.panel-form.prompts-form',
    { onsubmit: attempt, 'aria-label': 'Edit a prompt' },
    el('label', { for: 'prompts-file' }, 'File'),
    choice,
    el('label', { for: 'prompts-text' }, 'Prompt'),
    area,
    buttons,
    el('p.quiet', {}, about),
    said,
    answers,
  )
}

function lines(difference) {
  return difference.map(({ sign, text }) =>
    el(sign === '+' ? 'ins' : sign === '-' ? 'del' : 'div', {}, `${sign} ${text}`),
  )
}

/** Draws both answers, side by side. */
function both({ question, before, now }) {
  return el(
    'section',
    { 'aria-label': 'Both answers' },
    el('h3', {}, question),
    el('div.panel-pair', {}, answer('As it was answered', before), answer('With this prompt', now)),
  )
}

function answer(title, { text, steps, stepCount, tokens, ms, error }) {
  const took = [counted(stepCount, 'step'), counted(tokens, 'token'), duration(ms)].join(' · ')
  return el(
    'div.panel-side.prompts-answer',
    {},
    el('h4', {}, title),
    error ? el('p.panel-fault', {}, error) : el('p', {}, text),
    el('p.quiet', {}, took),
    el('ol', {}, ...steps.map((step) => el('li', {}, step))),
  )
}
