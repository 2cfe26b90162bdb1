/**
 * Judges the reading of bytes in an East Asian encoding. Nearly all bytes are characters in each of them, but only the
 * language's own has frequent ones: those that its standard put first, and the commonest syllables of Korean.
 */

const words = (text: string) => new Set(text)

/** Letters and syllables that are common in names, places and tables. Other readings of the same bytes hit few. */
const JAPANESE = words(
  '田中山本川村小林加藤佐伊木高橋東京大阪名古屋日人年月円会社株式員県市区町番号電話住所数量金額合計売上部長課者分前後間学生先時今私言見行来出入新品商店北南西海道府都井上下一二三四五六七八九十百千万内外国語議担当渡辺期限週' +
    '表予定確認書類注文請求発送納完了未済返信録報告連絡女男子様御簿開始終刻曜末休暇勤務給与税込別価格単算結果処理止変更追加削除登情管用紙印刷設図面工場製質問回答受付申契約支仕庫検索失敗成功警接続切断有無不可能性必要重度個件枚台目的地方法利料振口座銀現残差割引',
)
const SIMPLIFIED = words(
  '的一是不了人我在有他这中大来上国张王李刘陈杨赵黄周吴徐孙马朱胡郭何高林北京海广州深圳天津重庆成都南杭武汉市省区县公司限姓名地址电话金额数量合计日期年月元单价号产品员工部门经理三四五六七八九十百千万小明华文志建军' +
    '平发票客户订会议联系备注已付和到以要出可也你生能而子那得下自之用道行所然家事方多去法如同面起看定分好其些主心她本前因只想者意力它民第此使情性知全又正外由很最物手向政美相被利等或新己制身果加西回特代信表化老世位次' +
    '度任常先通教原提立及比解水真走各入口活更打女神安少才反受目太再感做接必件管直德命山指克保至形社便空治展科基眼非白界光放即像且思象完式色路住告求程死交取拉格望共清今切院候商存香港竹雄二个们为说时对后过么学现当没动' +
    '还进样开但从实无与长把机关点业将两间问并应战头体见什内给儿东声论处义几认条气题尔别变总报结务场资许统队决书则听却达强难权设记类据边该规觉术领确传师观让识带导争运码编库谢财笔签费账银质检测验',
)
const TRADITIONAL = words(
  '的一是不了人我在有他這中大來上國張王李劉陳楊趙黃周吳徐孫馬朱胡郭何高林台北臺灣雄新竹市縣區公司限姓名地址電話金額數量合計日期年月元單價號產品員工部門經理三四五六七八九十百千萬小明華文志建軍平發票客戶訂美玲香港會' +
    '議聯絡備註已付和到以要出可也你生能而子那得下自之用道行所然家事成方多去法如都同面起看定天分好其些主心她本前因只想者意力它民第此使情性知全又正外由很最重物手向政相被利等或己制身果加西回特代信表化老世位次度任常先海' +
    '通教原提立及比解水真走各入口系活更打女神安少才反受目太再感做接必件管直德命山指克保至形社便空治展科基眼非白界光放即像且思象完式色路南住告求程死交取拉格望共清今切院候商存庫州省京深津杭武二個們為說時對後過學現當沒' +
    '動還進樣開但從實無與長把機關點業將兩間問並應戰頭體見甚內給兒東聲論處義幾認條係氣題爾別變總報結務場資許統隊決書則聽卻達強難權設記類據邊該規覺術領確傳師觀讓識帶導爭運廣慶漢碼編謝財筆簽費帳銀質檢測驗姐',
)
const KOREAN = words(
  '이다는을가의에고하지한도를로사기어은들나대있자그아리인정시해서보일주제부전수장원과스상구신동성국여조소경요니세마라우무오유비치안모생관회공위게용면학트만야미금문내되연말적년달월화발합계총액번호명품목단김박최강윤임권황송류홍울산천광남북군읍네예급완료담당청철희영민준현진선재훈' +
    '것없거음개메취매출배중승됨길락처실할때와방러드으건반식레터많물음건론불람각업체디데심분간저점접속던렇습않같좋받행교통결재확입력파복역설양편린량외습근격형양력증건강함께써찾든너바니까님씨팀노트링크날짜지표운송크카테스르버베하차추후타투패페포프플피필토택특판히후점십백억만족독검색삭추등록답변질환율잔납변가격별평균항목총메뉴폴더열닫케팅컴퓨넷웹앱샵쇼핑택쿠폰딩렌랜런롯맵멜믹밍브블샘센셋슈슬싱업옵윈젝젠짐챗컨콘콜큐클킹텍텔톡튜팩퍼펀펙펜폼풀픽핑핸햄허헬홈',
)

interface EastAsian {
  common: ReadonlySet<string>
  isKana: boolean
  /** How frequent a character of two bytes is, by its standard: 1 first, 2 second, 0 an extension. */
  level(lead: number, trail: number): 0 | 1 | 2
}

const rows = (first: number, last: number, end: number) => (lead: number, trail: number) =>
  trail < 0xa1 || lead < first ? 0 : lead <= last ? 1 : lead <= end ? 2 : 0

export const EAST_ASIAN: Record<string, EastAsian> = {
  shift_jis: { common: JAPANESE, isKana: true, level: (lead) => (lead < 0x98 ? 1 : lead <= 0xea ? 2 : 0) },
  'euc-jp': { common: JAPANESE, isKana: true, level: rows(0xb0, 0xcf, 0xf4) },
  gb18030: { common: SIMPLIFIED, isKana: false, level: rows(0xb0, 0xd7, 0xf7) },
  big5: { common: TRADITIONAL, isKana: false, level: (lead) => (lead <= 0xc6 ? 1 : lead <= 0xf9 ? 2 : 0) },
  'euc-kr': { common: KOREAN, isKana: false, level: rows(0xb0, 0xc8, 0) },
}

const LEVELS = [0.05, 0.5, 0.2] as const
const PUNCTUATION = /[、。「」『』（），：；！？・ー～￥￦〒※○●◎△▲□■◆◇★☆→←↑↓“”‘’…—　]/
const ENCLOSED = /[\u2460-\u24ff\u3200-\u33ff\uff00-\uff5e]/

/** Returns whether the katakana of half width before `at` stands beside another, and beside no Latin letter. */
function isHalfWord(part: Uint8Array, at: number): boolean {
  const beside = [part[at - 2] ?? 0, part[at] ?? 0]
  const isHalf = (byte: number) => byte >= 0xa0 && byte <= 0xdf
  return beside.some(isHalf) && !beside.some((byte) => /[a-z]/i.test(String.fromCharCode(byte)))
}

/** The number of characters that are looked up in ICU's dictionary of Chinese and Japanese words. */
const LOOKED_UP = 300
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' })

/** Returns the places of ideographs that stand in a word of the dictionary: wrong readings are hardly words. */
function inWords(text: string): Set<number> {
  const places = new Set<number>()
  const from = Math.max(0, text.search(/[^\0-\x7f]/))
  for (const { segment, index } of segmenter.segment(text.slice(from, from + LOOKED_UP)))
    if (/^\p{sc=Han}{2,}$/u.test(segment)) for (let i = 0; i < segment.length; i += 1) places.add(from + index + i)
  return places
}

/** Returns how well the reading looks, from -1 to 1; -1 if it has nothing but ASCII. */
export function eastAsianLook(part: Uint8Array, text: string, { common, isKana, level }: EastAsian): number {
  const known = inWords(text)
  let [sum, count, at, place] = [0, 0, 0, 0]
  for (const one of text) {
    const isKnown = known.has(place)
    place += one.length
    const code = one.codePointAt(0) ?? 0
    const [lead = 0, trail = 0] = part.subarray(at, at + 2)
    const isHalf = code >= 0xff61 && code <= 0xff9f && trail !== undefined && lead >= 0xa0 && lead <= 0xdf
    at += code < 0x80 || isHalf || (code === 0xfffd && trail < 0x80) ? 1 : 2
    if (code < 0x80) continue
    count += 1
    if (code === 0xfffd || /\p{C}/u.test(one)) sum -= 1
    else if (isKnown) sum += 1
    else if (common.has(one)) sum += 0.85
    else if (isHalf) sum += !isHalfWord(part, at) ? -0.3 : /[ｱ-ﾟｦｰ]/.test(one) ? 0.65 : 0.2
    else if (/[ぁ-ヿ々]/.test(one)) sum += isKana ? 1 : 0.3
    else if (PUNCTUATION.test(one)) sum += 0.8
    else if (ENCLOSED.test(one)) sum += 0.7
    else if (/[\p{sc=Han}가-힣]/u.test(one)) sum += LEVELS[level(lead, trail)]
    else sum -= 0.5
  }
  return count === 0 ? -1 : sum / count
}
