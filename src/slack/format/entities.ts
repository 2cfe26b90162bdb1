/** HTML's named character references that models write, as HTML 4 defines them. */

/** The names of the characters from U+00A1 on. */
const LATIN =
  'iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest ' +
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
/** From U+0391 and from U+03B1 on. */
const GREEK = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau'
const GREEK_END = ' upsilon phi chi psi omega'
const SIGNS: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ' },
  ...{
    OElig: 'Œ',
    oelig: 'œ',
    Scaron: 'Š',
    scaron: 'š',
    Yuml: 'Ÿ',
    fnof: 'ƒ',
    circ: 'ˆ',
    tilde: '˜',
    zwnj: '',
    zwj: '',
  },
  ...{
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    sbquo: '‚',
    ldquo: '“',
    rdquo: '”',
    bdquo: '„',
    lrm: '',
    rlm: '',
  },
  ...{
    dagger: '†',
    Dagger: '‡',
    bull: '•',
    hellip: '…',
    permil: '‰',
    prime: '′',
    Prime: '″',
    lsaquo: '‹',
    rsaquo: '›',
  },
  ...{ euro: '€', trade: '™', larr: '←', uarr: '↑', rarr: '→', darr: '↓', harr: '↔', crarr: '↵', lArr: '⇐', uArr: '⇑' },
  ...{ rArr: '⇒', dArr: '⇓', hArr: '⇔', forall: '∀', part: '∂', exist: '∃', empty: '∅', nabla: '∇', isin: '∈' },
  ...{ notin: '∉', ni: '∋', prod: '∏', sum: '∑', minus: '−', lowast: '∗', radic: '√', prop: '∝', infin: '∞', ang: '∠' },
  ...{ and: '∧', or: '∨', cap: '∩', cup: '∪', int: '∫', there4: '∴', sim: '∼', cong: '≅', asymp: '≈', ne: '≠' },
  ...{ equiv: '≡', le: '≤', ge: '≥', sub: '⊂', sup: '⊃', nsub: '⊄', sube: '⊆', supe: '⊇', oplus: '⊕', otimes: '⊗' },
  ...{ perp: '⊥', sdot: '⋅', lceil: '⌈', rceil: '⌉', lfloor: '⌊', rfloor: '⌋', lang: '⟨', rang: '⟩', loz: '◊' },
  ...{
    spades: '♠',
    clubs: '♣',
    hearts: '♥',
    diams: '♦',
    check: '✓',
    cross: '✗',
    star: '☆',
    approx: '≈',
    leq: '≤',
    geq: '≥',
  },
}

const named = new Map(Object.entries(SIGNS))
for (const [i, name] of LATIN.split(' ').entries()) named.set(name, name === 'shy' ? '' : String.fromCharCode(0xa1 + i))
for (const [i, name] of `${GREEK}${GREEK_END}`.split(' ').entries()) {
  named.set(name, String.fromCharCode(0x3b1 + i))
  if (name !== 'sigmaf') named.set(name[0]!.toUpperCase() + name.slice(1), String.fromCharCode(0x391 + i))
}

/** Decodes named references once: `&amp;rarr;` becomes `&rarr;`. The result must be escaped again. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#39|([a-z][a-z\d]{1,7}));/gi, (entity, name?: string) =>
    name === undefined ? "'" : (named.get(name) ?? entity),
  )
}
