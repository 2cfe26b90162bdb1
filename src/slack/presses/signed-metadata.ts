import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Installation } from '../client/installations.ts'
import type { DeliveryRecipient } from '../intake/authorized-team.ts'
import { recipientOf, type Context } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** The person who sees a view, and the installation that opens it. */
interface MetadataOwner {
  user: string
  installation: Installation
}

/** Signs a view's metadata for one person. `readMetadata` rejects changed metadata and other senders. */
export function signMetadata(text: string, owner: MetadataOwner): string {
  return `${signatureOf(text, owner)}.${text}`
}

/** Returns the view with signed metadata. */
export function signedView<T extends { private_metadata?: string }>(view: T, owner: MetadataOwner): T {
  return { ...view, private_metadata: signMetadata(view.private_metadata ?? '', owner) }
}

interface OpenedView extends DeliveryRecipient {
  metadata: string
}

/**
 * Returns who opened a view whose form or button was sent: its metadata, and the recipient of the delivery. Undefined
 * if the signature does not match this person.
 */
export async function openedBy(
  { private_metadata: signed = '' }: { private_metadata?: string },
  body: { user: { id: string } },
  context: Context,
  services: Services,
): Promise<OpenedView | undefined> {
  const recipient = await recipientOf({ context, isShared: true }, services)
  const metadata = recipient && readMetadata(signed, { ...recipient, user: body.user.id })
  return recipient && metadata !== undefined ? { ...recipient, metadata } : undefined
}

/** Returns the metadata, or undefined if the signature does not match this person. */
export function readMetadata(signed: string, owner: MetadataOwner): string | undefined {
  const [signature = '', ...rest] = signed.split('.')
  const text = rest.join('.')
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(text, owner))]
  return given.length === right.length && timingSafeEqual(given, right) ? text : undefined
}

function signatureOf(text: string, { user, installation }: MetadataOwner): string {
  return createHmac('sha256', installation.signingKey).update(`view-metadata\n${user}\n${text}`).digest('base64url')
}
