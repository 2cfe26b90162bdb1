import type { Journal } from '../journal/journal.ts'
import type { Trouble } from './trouble.ts'
import { SWITCHES, type TroubleName } from './trouble-switches.ts'

/** Records each change of a switch, with its number or choice. Returns a function that ends this. */
export function journalTrouble(trouble: Trouble, journal: Pick<Journal, 'note'>): () => void {
  const on = new Set<TroubleName>()
  return trouble.watch(({ name, isOn, value }) => {
    // A value that is changed while the switch is off throws nothing.
    if (!on.delete(name) && !isOn) return
    if (isOn) on.add(name)
    const { title } = SWITCHES.find((one) => one.name === name) ?? { title: name }
    const words = `${title}: ${isOn ? 'on' : 'off'}`
    journal.note({ kind: 'trouble', name: words, request: { name, on: isOn, ...(value !== undefined && { value }) } })
  })
}
