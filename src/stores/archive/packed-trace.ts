/** Packs traces. The prompts of a run repeat each other, so compression leaves about a hundredth. */
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { SealBroken, type Sealer } from '../../base/encryption.ts'
import { parseJson } from '../../base/parse-json.ts'
import { asRunTrace, type RunTrace } from '../runs/run-trace.ts'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/** The window is large enough to reach back over a whole prompt to the previous one. */
const HOW = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 24 } }

/** The maximum size of an unpacked trace. Bytes. */
const MAX_BYTES = 64_000_000

export async function packTrace(trace: RunTrace): Promise<string> {
  return (await compress(JSON.stringify(trace), HOW)).toString('base64')
}

/** @returns undefined for anything but a packed trace */
async function unpackTrace(packed: string): Promise<RunTrace | undefined> {
  const json = await decompress(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_BYTES }).catch(() => undefined)
  return json && asRunTrace(parseJson(json.toString('utf8'))).trace
}

/** Opens a trace that was sealed as `key`. @returns undefined if it cannot be opened or is not a packed trace */
export async function openTrace(
  kept: string,
  { key, sealer }: { key: string; sealer: Sealer | undefined },
): Promise<RunTrace | undefined> {
  try {
    return await unpackTrace(sealer?.open(kept, key) ?? kept)
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}
