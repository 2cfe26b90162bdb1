import type { ModelFaults, ModelFaultSource } from '../model/model-pieces.ts'
import type { FaultSwitches } from './fault-switches.ts'

/** The pause between two pieces of a slow model, in milliseconds. */
const SLOW_PIECE_MS = 120

/** Reads the model's switches at each call of its endpoint. */
export function modelFaults(faultSwitches: FaultSwitches): ModelFaultSource {
  return {
    take() {
      const seconds = faultSwitches.number('modelSlow')
      const injected: ModelFaults = {
        ...(faultSwitches.isOn('modelDown') && { status: 503 }),
        ...(seconds !== undefined && { delayMs: seconds * 1000, pieceMs: SLOW_PIECE_MS }),
        ...(faultSwitches.isOn('modelSilent') && { hang: true }),
        ...(faultSwitches.isOn('modelInvents') && { invents: true }),
        ...(faultSwitches.isOn('modelEndless') && { endless: true }),
      }
      return Object.keys(injected).length > 0 ? injected : undefined
    },
  }
}
