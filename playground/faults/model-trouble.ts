import type { MetTrouble, ModelTrouble } from '../model/model-pieces.ts'
import type { Trouble } from './trouble.ts'

/** The pause between two pieces of a slow model, in milliseconds. */
const SLOW_PIECE_MS = 120

/** Reads the model's switches at each call of its endpoint. */
export function modelTrouble(trouble: Trouble): ModelTrouble {
  return {
    meet() {
      const seconds = trouble.number('modelSlow')
      const met: MetTrouble = {
        ...(trouble.isOn('modelDown') && { status: 503 }),
        ...(seconds !== undefined && { delayMs: seconds * 1000, pieceMs: SLOW_PIECE_MS }),
        ...(trouble.isOn('modelSilent') && { hang: true }),
        ...(trouble.isOn('modelInvents') && { invents: true }),
        ...(trouble.isOn('modelEndless') && { endless: true }),
      }
      return Object.keys(met).length > 0 ? met : undefined
    },
  }
}
