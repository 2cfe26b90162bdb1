/** The records of the company in the work set. All of it is invented. */

export const COLLEAGUES = {
  'Ines Moreau': { team: 'Billing', site: 'Harbour', manager: 'Tomasz Lis', first_day: '2021-03-15', phone: 4417 },
  'Tomasz Lis': { team: 'Finance', site: 'Mill', manager: 'Ruth Adeyemi', first_day: '2017-09-04', phone: 4402 },
  'Ruth Adeyemi': { team: 'Board', site: 'Harbour', manager: 'nobody', first_day: '2012-01-09', phone: 4400 },
  'Jonas Vik': { team: 'Platform', site: 'Orchard', manager: 'Priya Nair', first_day: '2023-06-01', phone: 4533 },
  'Priya Nair': { team: 'Platform', site: 'Mill', manager: 'Ruth Adeyemi', first_day: '2019-11-18', phone: 4530 },
  'Lotte Braun': { team: 'Support', site: 'Orchard', manager: 'Sami Haddad', first_day: '2024-02-12', phone: 4611 },
  'Sami Haddad': { team: 'Support', site: 'Harbour', manager: 'Ruth Adeyemi', first_day: '2018-05-22', phone: 4610 },
}

export const TASKS = {
  'WEB-14': {
    title: 'Login page is slow',
    owner: 'Jonas Vik',
    state: 'in progress',
    priority: 'high',
    opened: '2026-10-05',
  },
  'WEB-29': {
    title: 'Broken links in the footer',
    owner: 'Lotte Braun',
    state: 'open',
    priority: 'low',
    opened: '2026-11-02',
  },
  'PAY-7': {
    title: 'Refunds are booked twice',
    owner: 'Ines Moreau',
    state: 'in review',
    priority: 'urgent',
    opened: '2026-11-19',
  },
  'PAY-31': {
    title: 'New invoice layout',
    owner: 'Tomasz Lis',
    state: 'done',
    priority: 'medium',
    opened: '2026-08-27',
  },
}

export const SHIPMENTS = {
  'S-2041': { customer: 'Bakery Lund', weight: '18 kg', state: 'on its way', sent: '2026-11-24' },
  'S-2077': { customer: 'Hotel Aurora', weight: '240 kg', state: 'waiting for customs', sent: '2026-11-20' },
  'S-2102': { customer: 'Bakery Lund', weight: '35 kg', state: 'delivered', sent: '2026-11-12' },
}

export const ARTICLES = {
  'desk lamp': { price: '39 euros', stock: 120, supplier: 'Lumo' },
  'office chair': { price: '215 euros', stock: 14, supplier: 'Sedia Nord' },
  whiteboard: { price: '84 euros', stock: 0, supplier: 'Kant & Co' },
  headset: { price: '62 euros', stock: 57, supplier: 'Lumo' },
}

export const SITES = {
  Harbour: { city: 'Rotterdam', floors: 6, desks: 210, front_desk: 4001 },
  Mill: { city: 'Utrecht', floors: 3, desks: 85, front_desk: 4002 },
  Orchard: { city: 'Arnhem', floors: 2, desks: 40, front_desk: 4003 },
}

export const RULES = [
  'Travel: trips under four hours go by train, second class. Flights need the approval of the manager.',
  'Expenses: a receipt has to be handed in within 21 days. Meals on a trip are paid up to 28 euros a day.',
  'Holidays: everybody has 27 days a year. Up to 5 of them may be taken in the next year, until the end of March.',
  'Guests: a guest signs in at the front desk and wears a badge. Guests may not enter the server room.',
  'Equipment: a laptop is replaced every 4 years. A lost badge costs 15 euros.',
  'Parental leave: 16 weeks with full pay, to be asked for 8 weeks before.',
]
