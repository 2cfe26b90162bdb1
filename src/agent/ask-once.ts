import type { Model, ModelRequest } from './types.ts'

/** Asks a model one thing, in one message without tools, and returns its whole answer. @throws what the model throws */
export async function askOnce(model: Model, prompt: string, call: Omit<ModelRequest, 'messages'>): Promise<string> {
  let text = ''
  for await (const event of model.stream({ ...call, messages: [{ role: 'user', content: prompt }] })) {
    if (event.type === 'restart') text = ''
    if (event.type === 'text') text += event.text
  }
  return text
}
