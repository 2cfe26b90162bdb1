/** The one tool of the scenarios: it writes its input down at an address that the test counts at. */
export default {
  name: 'ledger',
  description: 'Writes something down.',
  async run(text, { signal }) {
    const response = await fetch(process.env.CHAOS_LEDGER, { method: 'POST', body: text, signal })
    return response.text()
  },
}
