/** Calls the page's server, for the person at the page. */

export async function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(path + location.search, { method: 'POST', headers, body: JSON.stringify(body) }))
}

export async function get(path, params = {}) {
  return answerOf(await fetch(addressOf(path, params)))
}

/** Sends a message. Its files are uploaded first, one after the other. */
export async function say(message, files) {
  const ids = []
  const tables = files.flatMap(({ table }) => (table ? [table] : []))
  for (const { file, alt, table } of files) if (!table) ids.push(await upload(file, alt))
  await post('say', { ...message, files: ids, ...(tables.length > 0 && { tables }) })
}

async function upload(file, alt) {
  const headers = { 'content-type': 'application/octet-stream' }
  const address = addressOf('upload', { name: file.name, alt })
  return (await answerOf(await fetch(address, { method: 'POST', headers, body: file }))).id
}

function addressOf(path, params) {
  const address = new URL(path, window.location.href)
  address.search = new URLSearchParams([...new URLSearchParams(location.search), ...Object.entries(params)]).toString()
  return address
}

async function answerOf(response) {
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.error ?? `The playground answered ${response.status}.`)
  return answer
}
