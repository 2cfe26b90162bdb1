/** The words that are labels, and the characters that count as space beside and inside them. */

export type ReactLabel =
  'thought' | 'action' | 'input' | 'observation' | 'answer' | 'question' | 'loneInput' | 'loneAction' | 'loneAnswer'

/** Horizontal white space, zero-width included, as a regular expression fragment. */
export const SPACE = '[ \\t\\u00a0\\u3000\\u200b-\\u200d\\u2060\\ufeff]'
const PART = `(?:${SPACE}|[_-]){0,3}`

/**
 * The labels of ReAct in many languages: regular expression fragments without groups, separated by a comma and a space.
 * The `lone…` words are common in prose and count as labels only in context.
 */
export const REACT: Record<ReactLabel, string[]> = {
  thought: pieces(
    'thoughts?, 思考, 想法, 思路, 생각, 사고, gedanke, pensée, réflexion, pensamiento, pensamento, pensiero, мысль, ' +
      'размышление, gedachte, myśl, düşünce, suy nghĩ',
  ),
  input: pieces(
    `action${PART}\\d{1,4}${PART}input, (?:action|tool)${PART}(?:input|args|arguments?|param(?:eter)?s?), ` +
      '(?:行动|动作|操作|工具)(?:的?输入|参数), (?:行動|動作|操作|工具)(?:の?入力|輸入|參數), (?:アクション|ツール)の?入力, ' +
      '(?:행동|액션|도구|작업) ?입력, aktionseingabe, aktions-?input, eingabe der aktion, ' +
      "entrée (?:de l['’]action|d['’]action|de l['’]outil), entrada de (?:la )?acción, entrada da ação, " +
      "input dell['’]azione, actie-?invoer, dane wejściowe akcji, ввод(?:ные данные)? действия, " +
      'входные данные(?: действия)?, eylem girdisi, đầu vào hành động',
  ),
  action: pieces(
    '(?:next )?action(?: name| to take)?, 行动, 动作, 操作, 行動, 動作, アクション, 행동, 액션, aktion, acción, ação, azione, ' +
      'действие, actie, akcja, eylem, hành động',
  ),
  observation: pieces(
    'observation, 观察结果, 观察, 觀察結果, 觀察, 観察結果, 観察, 관찰, beobachtung, observación, observação, osservazione, ' +
      'наблюдение, observatie, obserwacja, gözlem, quan sát',
  ),
  answer: pieces(
    `final${PART}(?:answer|response)(?: is)?, 最[终後后終](?:答案|回答|答复), 最終的な(?:答え|回答), 최종 ?답변?, ` +
      '(?:endgültige|finale|abschließende) antwort, réponse finale, respuesta final, resposta final, risposta finale, ' +
      '(?:окончательный|финальный|итоговый) ответ, (?:definitieve?|uiteindelijke) antwoord, ' +
      '(?:ostateczna|końcowa) odpowiedź, (?:nihai|son) cevap, câu trả lời cuối cùng',
  ),
  question: pieces('question, 问题, 問題, 質問, 질문, frage, pregunta, pergunta, domanda, вопрос, vraag'),
  loneInput: pieces('input, 输入, 輸入, 入力, 입력, eingabe, entrée, entrada, ввод, arg(?:ument)?s, param(?:eter)?s'),
  loneAction: pieces('tool(?: name)?, 工具, ツール, 도구'),
  loneAnswer: pieces(
    'answer, (?:the )?final answer is, 答案, 回答, 答え, 답변, 정답, antwort, réponse, respuesta, resposta, risposta, ответ, ' +
      'antwoord, odpowiedź, cevap',
  ),
}

function pieces(list: string): string[] {
  return list.split(', ')
}
