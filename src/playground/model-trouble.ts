import type { Trouble } from './trouble.ts'
import type { Json } from './types.ts'

/** What is wrong with one call of the model. */
export interface MetModelTrouble {
  /** The HTTP status in place of an answer. */
  status?: number
  /** The pauses before the first piece and before each of the others. */
  delayMs?: number
  pieceMs?: number
  /** Nothing ever comes. */
  hang?: true
  /** It does not end at its action: it goes on with an observation and an answer of its own. */
  invents?: true
  /** It never ends. */
  endless?: true
}

/** Asked at every call of the model; undefined where nothing is wrong. */
export interface ModelTrouble {
  meet(body: Json): MetModelTrouble | undefined
}

/** How slowly a slow model writes, in milliseconds a piece. */
const SLOW_PIECE_MS = 120

/** The switches of the model, for its endpoint. */
export function modelTrouble(trouble: Trouble): ModelTrouble {
  return {
    meet() {
      const seconds = trouble.number('modelSlow')
      const met: MetModelTrouble = {
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
