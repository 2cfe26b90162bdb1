/** HTML's elements by name, in lower case, and their attributes. */
export type Attributes = Record<string, string>

export const words = (text: string) => new Set(text.split(' '))

/** Elements whose content is no text of the page. */
export const DROPPED = words('script style template svg math noscript iframe object canvas select title head rp')
export const BLOCKS = words(
  'p div section article aside header footer nav main figure figcaption blockquote pre ul ol li dl dt dd table thead ' +
    'tbody tfoot tr caption h1 h2 h3 h4 h5 h6 hr form fieldset address details summary body html',
)
export const STRUCK = words('del s strike')
