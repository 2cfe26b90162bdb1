/**
 * Writes LaTeX formulas in Unicode. No package does it: unicodeit 0.7 leaves fractions, words and environments as they
 * are and writes `\log` as łog, latex-to-unicode-converter 0.5 throws at `\sin` and `\text`, and others make MathML or
 * pictures.
 */
const GREEK =
  'alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν ' +
  'xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω ' +
  'Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω'

const SIGNS =
  'times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ ll ≪ ' +
  'gg ≫ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ to → rightarrow → longrightarrow → leftarrow ← gets ← ' +
  'leftrightarrow ↔ Rightarrow ⇒ Longrightarrow ⇒ implies ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔ mapsto ↦ uparrow ↑ ' +
  'downarrow ↓ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅ varnothing ∅ ' +
  'forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕ otimes ⊗ perp ⊥ parallel ∥ mid ∣ angle ∠ ' +
  'triangle △ degree ° infty ∞ partial ∂ nabla ∇ int ∫ iint ∬ iiint ∭ oint ∮ sum ∑ prod ∏ ldots … dots … cdots ⋯ vdots ⋮ ' +
  'ddots ⋱ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ prime ′ dagger † langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | ' +
  'rvert | vert | Vert ‖ therefore ∴ because ∵ blacksquare ■ square □ checkmark ✓ colon :'

const LETTERS = 'A 𝔸 B 𝔹 C ℂ D 𝔻 E 𝔼 F 𝔽 H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ'

/** The signs by the names of their commands, without the backslash. */
const SYMBOLS = pairs(`${GREEK} ${SIGNS}`)

/** `\mathbb{R}`. */
const DOUBLE_STRUCK = pairs(LETTERS)

const SUPERSCRIPTS = pairs('0 ⁰ 1 ¹ 2 ² 3 ³ 4 ⁴ 5 ⁵ 6 ⁶ 7 ⁷ 8 ⁸ 9 ⁹ + ⁺ - ⁻ − ⁻ = ⁼ ( ⁽ ) ⁾ n ⁿ i ⁱ T ᵀ ′ ′ ∘ ° ° °')

const SUBSCRIPTS = pairs('0 ₀ 1 ₁ 2 ₂ 3 ₃ 4 ₄ 5 ₅ 6 ₆ 7 ₇ 8 ₈ 9 ₉ + ₊ - ₋ − ₋ = ₌ ( ₍ ) ₎')

function pairs(list: string): ReadonlyMap<string, string> {
  const words = list.split(' ')
  return new Map(words.flatMap((name, i) => (i % 2 === 0 ? [[name, words[i + 1] ?? '']] : [])))
}

/** Deeper groups, which nobody writes, are shown unparsed. */
const MAX_DEPTH = 20

/** Commands that only change the look or the position of their argument. */
const STYLES = new Set(
  (
    'text textbf textit textrm texttt mathrm mathbf mathit mathsf mathtt mathcal mathfrak mathscr boldsymbol bm operatorname ' +
    'boxed fbox underline mbox hbox substack displaystyle textstyle limits nolimits left right middle big Big bigg Bigg bigl ' +
    'bigr Bigl Bigr biggl biggr Biggl Biggr nonumber notag tag'
  ).split(' '),
)

const DROPPED = new Set(['label', 'color', 'hspace', 'vspace', 'phantom'])
const FRACTION = /^[dtc]?frac$/

/** Marks above a letter, as Unicode's combining characters. */
const ACCENTS = pairs(
  'hat \u0302 widehat \u0302 bar \u0304 overline \u0305 vec \u20d7 tilde \u0303 dot \u0307 ddot \u0308',
)

/** Environments whose rows are those of a matrix. In any other environment the rows are lines. */
const MATRIX = /^(?:[pbBvV]?matrix|smallmatrix|array)\*?$/

/** Converts a LaTeX formula to readable text: `\frac{a}{b}` is a/b, `x^2` is x². Never throws; takes linear time. */
export function readableFormula(latex: string): string {
  const text = new FormulaReader(latex).group(0, '')
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .replace(/ (?=[,;] )/g, '')
        .trim(),
    )
    .filter((line) => line !== '')
    .join('\n')
}

class FormulaReader {
  readonly #source: string
  #at = 0
  /** One entry per open environment: whether `&` and `\\` separate the cells and rows of a matrix there. */
  readonly #open: boolean[] = []

  constructor(source: string) {
    this.#source = source
  }

  /** Reads up to and including the sign that closes the group, or up to the end. */
  group(depth: number, close: '' | '}' | ']'): string {
    let [text, wasWord] = ['', false]
    while (this.#at < this.#source.length) {
      const char = this.#source.charAt(this.#at)
      if (char === close) {
        this.#at += 1
        return text
      }
      const one = this.#one(depth)
      // A separate word keeps its distance from letters.
      const isWord = this.#isWord
      if ((wasWord && /^[\p{L}\d√(]/u.test(one)) || (isWord && /[\p{L}\d)]$/u.test(text.slice(-2)))) text += ' '
      text += one
      wasWord = isWord
    }
    return text
  }

  /** Whether the last item is a command's own name (sin, log) or a fraction. */
  #isWord = false

  /** Reads one sign, group or command with its arguments. */
  #one(depth: number): string {
    const char = this.#source.charAt(this.#at)
    this.#at += 1
    this.#isWord = false
    if (char === '\\') return this.#command(depth)
    if (char === '{') return this.#inner(depth, '}')
    if (char === '^') return raised(this.#argument(depth), SUPERSCRIPTS, '^')
    if (char === '_') return raised(this.#argument(depth), SUBSCRIPTS, '_')
    if (char === '&') return this.#open.at(-1) === true ? ', ' : ' '
    return { '~': ' ', '}': '', '\n': ' ', '*': '∗', '`': 'ˋ', $: '' }[char] ?? char
  }

  #inner(depth: number, close: '}' | ']'): string {
    if (depth < MAX_DEPTH) return this.group(depth + 1, close)
    const end = this.#source.indexOf(close, this.#at)
    const text = this.#source.slice(this.#at, end < 0 ? undefined : end)
    this.#at = end < 0 ? this.#source.length : end + 1
    return text
  }

  /** Reads the argument of a command, `^` or `_`: a group or one sign. */
  #argument(depth: number): string {
    while (/\s/.test(this.#source.charAt(this.#at))) this.#at += 1
    if (this.#source.charAt(this.#at) === '}' || this.#at >= this.#source.length) return ''
    if (depth >= MAX_DEPTH) return this.#source.charAt(this.#at++)
    return this.#one(depth + 1).trim()
  }

  /** Reads a command's optional argument, in brackets. */
  #option(depth: number): string {
    if (this.#source.charAt(this.#at) !== '[') return ''
    this.#at += 1
    return this.#inner(depth, ']').trim()
  }

  #command(depth: number): string {
    COMMAND.lastIndex = this.#at
    const name = COMMAND.exec(this.#source)?.[0] ?? ''
    this.#at += name.length
    if (!/^[a-z]/i.test(name)) return this.#sign(name)
    const text = this.#commandText(name, depth)
    this.#isWord = text === name || FRACTION.test(name)
    return text
  }

  #commandText(name: string, depth: number): string {
    if (FRACTION.test(name)) return `${operand(this.#argument(depth))}/${operand(this.#argument(depth))}`
    if (name === 'sqrt') {
      const root = this.#option(depth)
      return `${root === '' || root === '2' ? '' : raised(root, SUPERSCRIPTS, '')}√${operand(this.#argument(depth))}`
    }
    if (/^[dt]?binom$/.test(name)) return `C(${this.#argument(depth)}, ${this.#argument(depth)})`
    if (name === 'mathbb') return [...this.#argument(depth)].map((one) => DOUBLE_STRUCK.get(one) ?? one).join('')
    if (name === 'begin' || name === 'end') return this.#environment(name, this.#argument(depth))
    const accent = ACCENTS.get(name)
    if (accent !== undefined) return `${this.#argument(depth)}${accent}`
    if (DROPPED.has(name)) {
      this.#argument(depth)
      return ''
    }
    if (STYLES.has(name)) return this.#styled(name)
    return name === 'quad' || name === 'qquad' ? '  ' : (SYMBOLS.get(name) ?? name)
  }

  /** Converts `\,`, `\\` and the like. */
  #sign(sign: string): string {
    if (sign === '\\') return this.#open.at(-1) === true ? '; ' : '\n'
    if (/^[,;:> \n]$/.test(sign)) return ' '
    if (sign === '|') return '‖'
    return sign === '!' || sign === '(' || sign === ')' || sign === '[' || sign === ']' ? '' : sign
  }

  /** Drops a style command: its argument follows and is read by itself. `\left.` shows nothing. */
  #styled(name: string): string {
    if ((name === 'left' || name === 'right') && this.#source.charAt(this.#at) === '.') this.#at += 1
    return ''
  }

  #environment(name: 'begin' | 'end', kind: string): string {
    const isMatrix = MATRIX.test(kind.replaceAll('∗', '*'))
    if (name === 'end') {
      const wasMatrix = this.#open.pop() ?? isMatrix
      return wasMatrix ? ']' : ''
    }
    this.#open.push(isMatrix)
    // Skips the column specification of an array.
    if (kind === 'array' && this.#source.charAt(this.#at) === '{') {
      const end = this.#source.indexOf('}', this.#at)
      this.#at = end < 0 ? this.#source.length : end + 1
    }
    return isMatrix ? '[' : ''
  }
}

const COMMAND = /[a-zA-Z]+\*?|[^]?/y

/** Superscript or subscript signs if Unicode has all of them, else the mark and the text. */
function raised(text: string, signs: ReadonlyMap<string, string>, mark: '^' | '_' | ''): string {
  const chars = [...text.replace(/\s+/g, '')]
  if (chars.length > 0 && chars.every((char) => signs.has(char))) return chars.map((char) => signs.get(char)).join('')
  return text === '' ? '' : `${mark}${operand(text)}`
}

/** Puts the text in brackets unless it is one word or number. */
function operand(text: string): string {
  const trimmed = text.trim()
  if ([...trimmed].length === 1) return trimmed
  return /^[\p{L}\p{N}\p{M}.,′°₀-₉⁰-⁹²³¹√]*$/u.test(trimmed) || /^\([^()]*\)$/.test(trimmed) ? trimmed : `(${trimmed})`
}
