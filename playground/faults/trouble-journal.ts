import type { Journal } from '../journal/journal.ts'
import type { Trouble } from './trouble.ts'
import { SWITCHES, type TroubleName } from './trouble-switches.ts'

/** Writes down each switch that is thrown, with the number or the choice that it has. Returns what ends it. */
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
