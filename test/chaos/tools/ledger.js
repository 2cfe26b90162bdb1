/** The scenarios' tool. It writes its input to an address at which the test counts. */
export default {
  name: 'ledger',
  description: 'Writes something down.',
  async run(text, { signal }) {
    const response = await fetch(process.env.CHAOS_LEDGER, { method: 'POST', body: text, signal })
    return response.text()
  },
}
