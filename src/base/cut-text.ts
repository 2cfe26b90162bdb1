/** Returns the first `max` characters of a text, without half a surrogate pair at the end. */
export function cutText(text: string, max: number): string {
  return text.length > max ? text.slice(0, Math.max(0, max)).replace(/[\ud800-\udbff]$/, '') : text
}
