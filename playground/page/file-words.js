/** How files are told of. */
const DRAWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Returns whether it may be drawn: a picture of the kinds that every browser knows. */
export function isPicture(mimetype) {
  return DRAWN.includes(mimetype)
}

/** @param {number} bytes */
export function sizeInWords(bytes) {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
