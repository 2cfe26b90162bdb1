import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Sealed data cannot be opened. The message is a sentence for the operator. */
export class SealBroken extends Error {
  override name = 'SealBroken'
}

/** Encrypts stored data. `belongsTo` names its purpose: data sealed for one purpose cannot be opened for another. */
export interface Sealer {
  seal(text: string, belongsTo: string): string
  /** Returns whether the text was sealed with this sealer's key. */
  isOf(sealed: string): boolean
  /** @throws SealBroken */
  open(sealed: string, belongsTo: string): string
}

const FORM = 'v1'
const KEY_BYTES = 32
const KEY_ID_BYTES = 6
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals with SECRETS_KEY and opens with it or SECRETS_KEY_OLD, by the id in the sealed text. Undefined without a key.
 */
export function sealerFrom(keys: { SECRETS_KEY?: string | undefined; SECRETS_KEY_OLD?: string | undefined }) {
  if (keys.SECRETS_KEY === undefined) return undefined
  const sealer = sealerOf(keys.SECRETS_KEY)
  if (keys.SECRETS_KEY_OLD === undefined) return sealer
  const old = sealerOf(keys.SECRETS_KEY_OLD)
  return {
    ...sealer,
    open: (sealed, belongsTo) => (old.isOf(sealed) ? old : sealer).open(sealed, belongsTo),
  } satisfies Sealer
}

/**
 * AES-256-GCM with a key that HKDF-SHA256 (RFC 5869) derives from `secret`, which is random already (SECRETS_KEY).
 * Sealed text is `v1.KEY-ID.PAYLOAD`. The payload is nonce, tag and ciphertext in base64url. The id distinguishes
 * another key from changed text.
 */
export function sealerOf(secret: string): Sealer {
  const derived = Buffer.from(hkdfSync('sha256', secret, '', 'thinkaloud seal v1', KEY_BYTES + KEY_ID_BYTES))
  const key = derived.subarray(0, KEY_BYTES)
  const keyId = derived.subarray(KEY_BYTES).toString('hex')
  const bound = (belongsTo: string) => Buffer.from(`${FORM}.${keyId}.${belongsTo}`)
  return {
    seal(text, belongsTo) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound(belongsTo))
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return [FORM, keyId, Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')].join('.')
    },
    isOf: (sealed) => sealed.startsWith(`${FORM}.${keyId}.`),
    open(sealed, belongsTo) {
      const [form, id, payload = ''] = sealed.split('.')
      if (form !== FORM) throw new SealBroken('It was stored by another version.')
      if (id !== keyId) throw new SealBroken('It was stored with another SECRETS_KEY.')
      const bytes = Buffer.from(payload, 'base64url')
      const [nonce, tagEnd] = [bytes.subarray(0, NONCE_BYTES), NONCE_BYTES + TAG_BYTES]
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd)).setAAD(bound(belongsTo))
        return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8')
      } catch {
        throw new SealBroken('It was changed in the store.')
      }
    },
  }
}
