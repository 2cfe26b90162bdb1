/** What stands in the place of a page's text: a login, a question for consent, an empty application, a paywall. */
import type { PageFacts } from './page-pieces.ts'

/** The text that is read of a page, its first heading, the characters that are visible on it, and its address. */
interface ShownPage {
  text: string
  heading: string
  chars: number
  address: string
}

/** The most characters of such a page: all that are visible, or (`plain`) those beside its form. */
const MAX = { wall: 3000, plain: 400, check: 300, login: 250, teaser: 600, shell: 200, empty: 20, content: 40 }

const any = (...patterns: string[]) => new RegExp(patterns.join('|'), 'iu')

const LOGIN = any(
  '\\b(?:sign|log)[ -]?(?:in|on)\\b|anmeld(?:en|ung)|einloggen|se connecter|connectez-vous|connexion|identifiez-vous',
  'inici(?:ar|a|e) sesi[oó]n|acced[ei]\\b|accesso|fa[cç]a login|\\bentrar\\b|inlog(?:gen)?\\b|logga in|logg inn|zaloguj',
  'přihlá|oturum aç|kirjaudu|войти|вход|увійти|ログイン|サインイン|登录|登入|로그인|تسجيل الدخول',
)
const LOGIN_ADDRESS =
  /\/(?:[\w-]*(?:log|sign)[-_]?(?:in|on)|sso|saml2?|oauth2?|authorize)\b|^https?:\/\/(?:login|accounts|auth|sso|idp)\./i

const PRIVACY = any(
  'cookie|privacy|gdpr|tracking|personal(?:i[sz]ed)? (?:data|ads)|datenschutz|dsgvo|einwilligung|vie privée|traceurs',
  'privacidad|riservatezza|personuppgifter|prywatno|конфиденциальн|куки|プライバシー|クッキー|隐私|隱私|쿠키',
)
const ACCEPT = any(
  '\\b(?:accept|agree|allow all|consent)|zustimm|akzeptier|einverstanden|acept[ao]r?|aceit[ao]r?|accett[ao]|akkoord',
  'godk[äa]nn|godta|hyväksy|akcept|souhlas|kabul et|принять|соглас|同意|許可|接受|동의',
)
const BEFORE = any(
  'before you continue|bevor sie (?:fortfahren|weiter)|avant de continuer|antes de continuar|prima di continuare',
)
/** Other words in questions for consent. */
const CHOICE = any(
  'partner|advert|device|third[- ]part|vendor|choice|setting|preference|\\bads?\\b|analytics|imprint|werbung|einstellung',
  'gerät|daten\\b|widerruf|publicité|appareil|données|choix|paramètres|datos|dati\\b|dados|preferenc|configura',
)

const SUBSCRIBE = 'subscri(?:be|bers?|ptions?)\\b'
const READ = '(?:read|continue|access|only|unlock|full|exclusive|reserved)\\b'
const PAID = any(
  `\\b${SUBSCRIBE}[^.\\n]{0,60}\\b${READ}|\\b${READ}[^.\\n]{0,60}\\b${SUBSCRIBE}|already a (?:subscriber|member)`,
  'members?[- ]only (?:story|article|content)|(?:become a|for|only) members?\\b[^.\\n]{0,40}\\b(?:read|only|continue)',
  '\\bto (?:read|see) the (?:full|whole|entire|rest of the) (?:story|article)|\\bmembers only\\b',
  'reached your (?:free |monthly )*(?:article )?limit|nur für abonnent|abonnenten (?:vorbehalten|lesen)|jetzt abonnieren',
  '(?:mit|im) [^.\\n]{0,30}(?:\\+|plus|abo) (?:weiter)?lesen|weiterlesen mit|bezahlinhalt|réservée? (?:à nos|aux) abonn',
  'abonnez-vous|il (?:vous )?reste [^.\\n]{0,30}à lire|suscr[ií](?:bete|ptores)|riservato agli abbonati|abbonati per',
  'assinantes|assine (?:para|e)|voor abonnees|word abonnee|för prenumeranter|bli prenumerant|for abonnenter|tylko dla (?:prenum|subskr)',
  'для подписчиков|оформите подписку|有料会員|会員限定|订阅后|訂閱後|仅限会员|구독자',
)

const CHECK = any(
  'just a moment|attention required|are you (?:a )?(?:human|robot)|not a robot|you are (?:a )?human|captcha',
  'pardon our interruption|checking your browser|unusual traffic|(?:bist du|sind sie) ein (?:mensch|roboter)|un robot',
)

const DENIED =
  /^(?:access (?:to this page has been )?denied|(?:403 )?forbidden|zugriff verweigert|accès refusé|acceso denegado)\b/i
const SCRIPTED = /java ?script|enable scripts/i
const ENABLE = any(
  'enable|activat|turn on|requir|needs?\\b|disabled|aktivier|einschalt|activ[aeé]|habilit|attiva|включ|有効|启用|啟用',
)
const LOADING =
  /^[\s#]*(?:please wait|loading|wird geladen|lädt|laden|chargement|cargando|carregando|caricamento|загрузка|読み込み中|加载中)[\s.…]*$/i

/** Returns a sentence that says what the page is, or undefined if it has a text of its own. */
export function wallOf(page: ShownPage, facts: PageFacts): string | undefined {
  const { chars } = page
  const text = page.text.slice(0, MAX.wall)
  if (chars >= MAX.wall) return undefined
  if (facts.plainChars < MAX.check && CHECK.test(`${facts.title}\n${text}`))
    return 'This page asks for a proof that a person reads it, so it cannot be read. Another try will not help.'
  if (DENIED.test(facts.title) && facts.plainChars < MAX.check) return 'The site denies access to this page.'
  if (isLogin(page, facts)) return 'This is a login page, so the page behind it cannot be read.'
  if (isConsent(text, facts)) return 'This page only asks for consent to cookies, so the text behind it cannot be read.'
  if (isEmptyApp(text, facts)) return 'This page has no text of its own: it is an application that needs JavaScript.'
  if (chars < MAX.teaser && (facts.isPaid || PAID.test(text)))
    return 'This page is behind a paywall: only subscribers can read it.'
  return undefined
}

/** Returns whether a text that is read ends where only subscribers can read on. */
export function endsAtPaywall({ text }: ShownPage, { isPaid }: PageFacts): boolean {
  return isPaid || (text.length < MAX.wall && PAID.test(text.slice(-MAX.teaser)))
}

function isLogin(
  { heading, address }: ShownPage,
  { hasPassword, hasUser, title, buttons, plainChars }: PageFacts,
): boolean {
  if (hasPassword) return plainChars < MAX.plain
  if (plainChars >= MAX.login || !LOGIN.test(`${title}\n${heading}`)) return false
  return hasUser || LOGIN_ADDRESS.test(address) || LOGIN.test(buttons)
}

/** Nearly all sentences are about cookies, and something can be accepted. */
function isConsent(text: string, { buttons }: PageFacts): boolean {
  if (!BEFORE.test(text) && !(PRIVACY.test(text) && ACCEPT.test(`${text} ${buttons}`))) return false
  const others = text.split('\n').filter((line) => ![PRIVACY, ACCEPT, BEFORE, CHOICE].some((words) => words.test(line)))
  return others.filter(isSentence).join(' ').length < MAX.content
}

function isSentence(line: string): boolean {
  return !line.startsWith('- ') && line.trim().split(/\s+/).length >= 5
}

function isEmptyApp(text: string, { scripts, hasRoot, noscript, plainChars }: PageFacts): boolean {
  if (text.length >= MAX.shell) return false
  if (SCRIPTED.test(text) && ENABLE.test(text)) return true
  if (SCRIPTED.test(noscript) && (hasRoot || plainChars < MAX.shell / 4)) return true
  return scripts > 0 && (hasRoot || text.length < MAX.empty || LOADING.test(text))
}
