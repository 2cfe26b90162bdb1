/** The state of the fault switches. Each part of the playground reads its switches when it acts. */
import { SWITCHES, type FaultName, type FaultSwitch } from './switch-list.ts'

/** The state of a switch. */
interface SwitchState {
  name: FaultName
  isOn: boolean
  /** The number or the choice, also while the switch is off. */
  value?: number | string
}

export interface FaultSwitches {
  isOn(name: FaultName): boolean
  /** Returns the number of a switch that is on. */
  number(name: FaultName): number | undefined
  /** Returns the choice of a switch that is on. */
  choice(name: FaultName): string | undefined
  /** Turns a switch on or off, or changes its value. @throws Error for an invalid value */
  set(name: FaultName, change: { isOn?: boolean; value?: number | string }): void
  /** Turns everything off. */
  clear(): void
  /** All switches, in their order. */
  states(): SwitchState[]
  /** Calls back after every change of a switch. Returns a function that ends this. */
  watch(watcher: (state: SwitchState) => void): () => void
}

const KNOWN = new Map<string, FaultSwitch>(SWITCHES.map((one) => [one.name, one]))

/** Returns whether a name is that of a switch. */
export function isFaultName(name: string): name is FaultName {
  return KNOWN.has(name)
}

/** Creates the switches, all off. `scopes` are the scopes that can be removed. */
export function createFaultSwitches({ scopes = [] }: { scopes?: readonly string[] } = {}): FaultSwitches {
  const states = new Map(SWITCHES.map(({ name }): [FaultName, SwitchState] => [name, stateOf(name)]))
  const watchers = new Set<(state: SwitchState) => void>()
  const of = (name: FaultName) => states.get(name) ?? stateOf(name)
  const change = (state: SwitchState) => {
    states.set(state.name, state)
    for (const watcher of watchers) watcher(state)
  }
  const valueOn = (name: FaultName) => (of(name).isOn ? of(name).value : undefined)
  return {
    isOn: (name) => of(name).isOn,
    number(name) {
      const value = valueOn(name)
      return typeof value === 'number' ? value : undefined
    },
    choice(name) {
      const value = valueOn(name)
      return typeof value === 'string' ? value : undefined
    },
    set(name, { isOn = of(name).isOn, value }) {
      if (value !== undefined) checkValue(name, value, scopes)
      const state = { ...of(name), isOn, ...(value !== undefined && { value }) }
      if (state.isOn !== of(name).isOn || state.value !== of(name).value) change(state)
    },
    clear() {
      for (const state of states.values()) if (state.isOn) change({ ...state, isOn: false })
    },
    states: () => [...states.values()],
    watch(watcher) {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
  }
}

function stateOf(name: FaultName): SwitchState {
  const { number, choice } = KNOWN.get(name) ?? {}
  const value = number?.start ?? choice?.start
  return { name, isOn: false, ...(value !== undefined && { value }) }
}

function checkValue(name: FaultName, value: number | string, scopes: readonly string[]) {
  const { title, number, choice } = KNOWN.get(name) ?? {}
  const options = name === 'scope' ? scopes : choice?.options
  if (options && !options.includes(String(value)))
    throw new Error(`${title}: it should be one of ${options.join(', ')}.`)
  if (options) return
  if (!number) throw new Error(`${title}: it takes no value.`)
  const { min, max } = number
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
  if (!fits) throw new Error(`${title}: it should be a whole number from ${min} to ${max}.`)
}
