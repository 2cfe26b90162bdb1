/** Tells years from other whole numbers of four digits. */

/** Words before a year, and none before a quantity. */
const BEFORE_YEAR =
  /(?:\b(?:in|since|during|year|years|copyright|born|spring|summer|autumn|fall|winter|early|mid|late|fy|q[1-4]|h[12]|im|seit|jahr|jahre|en|depuis|desde|nel|dal|année|año|anno|roku|w|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)|[©])[ \u00a0-]$/i
/** Words before either. */
const BEFORE_EITHER =
  /\b(?:a|an|the|of|from|by|before|after|between|around|circa|its|his|her|their|vor|nach)\s$|\b(?:1\d|20)\d\d\s(?:and|to|or|through|until|till|bis|und)\s$/i
/** A quantity follows: several things. */
const THINGS = /^\s\p{Ll}{2,20}s\b(?!['’])/u
const CHANGED =
  /\b(?:rose|grew|grown|increas\w*|fell|fall\w*|drop\w*|declin\w*|went|up|down|sum|total|average|mean)\b[^.;]{0,40}$/i

/** Returns whether a number is four digits in a place where a year stands, such as `since 2019`, `(1987)`, `2026年`. */
export function isWrittenAsYear(text: string, before: string, after: string): boolean {
  if (!/^(?:1\d|20)\d\d$/.test(text)) return false
  if (/^\s?[年년]/.test(after) || /^['’]s\b/.test(after)) return true
  if (/\(\s?$/.test(before) && /^\s?[),]/.test(after)) return true
  if (/^\s?[–-]\s?(?:1\d|20)?\d\d(?!\d)/.test(after) || /(?:1\d|20)\d\d\s?[–-]\s?$/.test(before))
    return !CHANGED.test(before)
  if (BEFORE_YEAR.test(before)) return true
  // `the 2024 report`, `the 1996 Olympics`, but `of 1800 units`.
  if (BEFORE_EITHER.test(before)) return !THINGS.test(after) && !CHANGED.test(before)
  return /^\s\p{Lu}\p{Ll}{2,}/u.test(after) && !/[\d=+*/×$€£¥|:]\s?$/.test(before)
}
