/** Connects the switches of the playground to the parts beside Slack that they disturb, and to their panel. */
import type { LocalSlack } from '../slack/local-slack.ts'
import type { OwnRedis } from '../base/own-redis.ts'
import type { PagePart } from '../page-server/page-part.ts'
import { takeable } from './slack-faults.ts'
import { faultsPart } from './faults-part.ts'
import type { FaultName } from './switch-list.ts'

/** The parts that the switches control. If a part is missing, its switch is disabled with a reason. */
interface FaultTargets {
  /** The scopes of the app. */
  scopes: readonly string[]
  redis?: OwnRedis | undefined
  /** The MCP server of notes. */
  notes?: { change(): void; restore(): void } | undefined
  /** The bot's clock. */
  clock?: { toTomorrow(isOn: boolean): void; aDayLater(): void } | undefined
}

const NO_REDIS = 'The bot runs in memory. Start the playground by: npm run playground -- --redis'
const NO_CLOCK = 'The bot runs in a process of its own here. Start the playground by: npm run playground'
const NO_NOTES = 'The playground’s own MCP server does not run here: MCP_CONFIG names others.'

export function playgroundFaults(
  { faultSwitches, sockets }: LocalSlack,
  { scopes, redis, notes, clock }: FaultTargets,
): PagePart {
  faultSwitches.watch(({ name, isOn }) => {
    if (name === 'redisGone') redis?.setGone(isOn)
    if (name === 'tomorrow') clock?.toTomorrow(isOn)
    if (name === 'mcpChanged') (isOn ? notes?.change : notes?.restore)?.()
  })
  const later = () =>
    faultSwitches.isOn('tomorrow') ? clock?.aDayLater() : faultSwitches.set('tomorrow', { isOn: true })
  const missing: Partial<Record<FaultName, string>> = {
    ...(!redis && { redisGone: NO_REDIS }),
    ...(!notes && { mcpChanged: NO_NOTES }),
    ...(!clock && { tomorrow: NO_CLOCK }),
  }
  return faultsPart({
    faultSwitches,
    scopes: takeable(scopes),
    missing,
    once: { socketCut: () => sockets.cut(), tomorrow: later },
  })
}
