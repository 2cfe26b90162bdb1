import { createHmac, timingSafeEqual } from 'node:crypto'

export interface MetadataOwner {
  /** The person before whom the view is opened. */
  user: string
  /** The bot token of the installation that opens the view. */
  token: string
}

/** Metadata for a view, signed for one person: a view with other metadata, or sent by somebody else, is refused. */
export function signMetadata(text: string, owner: MetadataOwner): string {
  return `${signatureOf(text, owner)}.${text}`
}

/** The view with its metadata signed. */
export function signedView<T extends { private_metadata?: string }>(view: T, owner: MetadataOwner): T {
  return { ...view, private_metadata: signMetadata(view.private_metadata ?? '', owner) }
}

/** The metadata as it was signed for this person. Undefined where it was not. */
export function readMetadata(signed: string, owner: MetadataOwner): string | undefined {
  const [signature = '', ...rest] = signed.split('.')
  const text = rest.join('.')
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(text, owner))]
  return given.length === right.length && timingSafeEqual(given, right) ? text : undefined
}

function signatureOf(text: string, { user, token }: MetadataOwner): string {
  return createHmac('sha256', token).update(`view-metadata\n${user}\n${text}`).digest('base64url')
}
