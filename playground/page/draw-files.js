/** Draws the files of a message: small pictures, and other files by name, each with a download link. */
import { el, link } from './dom.js'
import { isPicture, sizeInWords } from './file-words.js'
import { icon } from './icons.js'

/** The texts in place of a file that cannot be shown. */
const GONE = {
  tombstone: 'This file was deleted.',
  hidden_by_limit: 'This file is hidden: the workspace’s limit is reached.',
}

export function drawFiles(message) {
  return (message.files ?? []).map((file) => {
    if (GONE[file.mode]) return el('p.file.quiet', {}, icon('file'), ' ', GONE[file.mode])
    return isPicture(file.mimetype) && file.url_private_download ? picture(file) : plain(file)
  })
}

/** Draws a picture. If it cannot be drawn, it is shown like other files. */
function picture(file) {
  const image = el('img', { src: address(file), alt: file.alt_txt ?? `Picture ${nameOf(file)}`, loading: 'lazy' })
  const figure = el('figure.picture', {}, image, el('figcaption', {}, ...head(file), download(file)))
  image.addEventListener('error', () => figure.replaceWith(plain(file)))
  return figure
}

/** Draws the beginning of a text file. */
function plain(file) {
  if (!file.preview) return el('p.file', {}, ...head(file), where(file))
  const preview = el('details', {}, el('summary', {}, ...head(file)), el('pre', { tabindex: '0' }, file.preview))
  return el('div.file', {}, preview, where(file))
}

function head(file) {
  const { size } = file
  return [
    icon('file'),
    ' ',
    el('strong.file-name', {}, nameOf(file)),
    size > 0 && el('span.quiet', {}, ` ${sizeInWords(size)}`),
    ' ',
  ]
}

function nameOf({ title, name }) {
  return title ?? name ?? 'file'
}

function where(file) {
  if (file.mode === 'external') return link(file.url_private, 'Open')
  return file.url_private_download && download(file)
}

function download(file) {
  return el('a', { href: address(file), download: file.name, 'aria-label': `Download ${nameOf(file)}` }, 'Download')
}

/** Returns the file's address on the page's server. Slack's own address needs the app's token. */
function address({ id, name }) {
  return `files/${id}/${encodeURIComponent(name)}${window.location.search}`
}
