/** The server's side of the panel "Trouble": the switches, their changes, and the notifications of open pages. */
import { required } from '../slack/args.ts'
import type { PagePart } from '../page-server/page-part.ts'
import { isTroubleName, type Trouble } from './trouble.ts'
import { SWITCHES, type TroubleName, type TroubleSwitch } from './trouble-switches.ts'
import type { Json } from '../slack/types.ts'

export interface TroublePageOptions {
  trouble: Trouble
  /** The scopes that can be removed. */
  scopes: string[]
  /** The reason why a switch cannot be used here, a sentence. */
  missing?: Partial<Record<TroubleName, string>>
  /** The one-time actions of the switches' second buttons, by the switch's name. */
  once?: Partial<Record<TroubleName, () => void>>
}

export function troublePart(options: TroublePageOptions): PagePart {
  const { trouble, missing = {}, once = {} } = options
  const told = () => ({ type: 'trouble', switches: shownSwitches(options) })
  const nameIn = (body: Json): TroubleName => {
    const name = required(body, 'name')
    if (!isTroubleName(name)) throw new Error(`There is no switch ${name}.`)
    const why = missing[name]
    if (why) throw new Error(why)
    return name
  }
  return {
    panel: 'trouble',
    tells: { '/trouble': told },
    takes: {
      '/trouble': (body) => {
        const { on, value } = body
        const given = typeof value === 'number' || typeof value === 'string'
        trouble.set(nameIn(body), { ...(typeof on === 'boolean' && { isOn: on }), ...(given && { value }) })
      },
      '/trouble-once': (body) => once[nameIn(body)]?.(),
      '/trouble-clear': () => trouble.clear(),
    },
    watch(tell) {
      tell(told())
      return trouble.watch(() => tell(told()))
    },
  }
}

/** Returns each switch with its texts and its state. */
function shownSwitches({ trouble, scopes, missing = {} }: TroublePageOptions): Json[] {
  const states = new Map(trouble.states().map((state) => [state.name, state]))
  return SWITCHES.map((one: TroubleSwitch & { name: TroubleName }) => {
    const choice = one.name === 'scope' && one.choice ? { ...one.choice, options: scopes } : one.choice
    return { ...one, ...(choice && { choice }), ...states.get(one.name), missing: missing[one.name] }
  })
}
