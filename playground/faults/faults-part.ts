/** The server's side of the panel "Trouble": the switches, their changes, and the notifications of open pages. */
import { required } from '../slack/args.ts'
import type { PagePart } from '../page-server/page-part.ts'
import { isFaultName, type FaultSwitches } from './fault-switches.ts'
import { SWITCHES, type FaultName, type FaultSwitch } from './switch-list.ts'
import type { Json } from '../slack/types.ts'

interface FaultsPartOptions {
  faultSwitches: FaultSwitches
  /** The scopes that can be removed. */
  scopes: string[]
  /** The reason why a switch cannot be used here, a sentence. */
  missing?: Partial<Record<FaultName, string>>
  /** The one-time actions of the switches' second buttons, by the switch's name. */
  once?: Partial<Record<FaultName, () => void>>
}

export function faultsPart(options: FaultsPartOptions): PagePart {
  const { faultSwitches, missing = {}, once = {} } = options
  const told = () => ({ type: 'faults', switches: shownSwitches(options) })
  const nameIn = (body: Json): FaultName => {
    const name = required(body, 'name')
    if (!isFaultName(name)) throw new Error(`There is no switch ${name}.`)
    const why = missing[name]
    if (why) throw new Error(why)
    return name
  }
  return {
    panel: 'faults',
    gets: { '/faults': told },
    posts: {
      '/faults': (body) => {
        const { on, value } = body
        const given = typeof value === 'number' || typeof value === 'string'
        faultSwitches.set(nameIn(body), { ...(typeof on === 'boolean' && { isOn: on }), ...(given && { value }) })
      },
      '/faults-once': (body) => once[nameIn(body)]?.(),
      '/faults-clear': () => faultSwitches.clear(),
    },
    watch(tell) {
      tell(told())
      return faultSwitches.watch(() => tell(told()))
    },
  }
}

interface NamedSwitch extends FaultSwitch {
  name: FaultName
}

/** Returns each switch with its texts and its state. */
function shownSwitches({ faultSwitches, scopes, missing = {} }: FaultsPartOptions): Json[] {
  const states = new Map(faultSwitches.states().map((state) => [state.name, state]))
  return SWITCHES.map((one: NamedSwitch) => {
    const choice = one.name === 'scope' && one.choice ? { ...one.choice, options: scopes } : one.choice
    return { ...one, ...(choice && { choice }), ...states.get(one.name), missing: missing[one.name] }
  })
}
