const DRAWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Returns whether the page may draw a file: a picture of a type that every browser supports. */
export function isPicture(mimetype) {
  return DRAWN.includes(mimetype)
}

export function sizeInWords(bytes) {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
