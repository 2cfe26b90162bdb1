import type { Journal } from '../journal/journal.ts'
import type { FaultSwitches } from './fault-switches.ts'
import { SWITCHES, type FaultName } from './switch-list.ts'

/** Records each change of a switch, with its number or choice. Returns a function that ends this. */
export function journalFaults(faultSwitches: FaultSwitches, journal: Pick<Journal, 'note'>): () => void {
  const on = new Set<FaultName>()
  return faultSwitches.watch(({ name, isOn, value }) => {
    // A value that changes while the switch is off has no effect.
    if (!on.delete(name) && !isOn) return
    if (isOn) on.add(name)
    const { title } = SWITCHES.find((one) => one.name === name) ?? { title: name }
    const words = `${title}: ${isOn ? 'on' : 'off'}`
    journal.note({ kind: 'fault', name: words, request: { name, on: isOn, ...(value !== undefined && { value }) } })
  })
}
