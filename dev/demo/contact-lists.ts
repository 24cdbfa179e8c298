// What a demo contact is put together from. Numbers are from the ranges that regulators keep for fiction, addresses from the
// domains of RFC 2606, and every local part is numbered: nobody real is named.

export const GIVEN_NAMES = [
  'Ada', 'Aisha', 'Alexander', 'Amélie', 'Andrea', 'Anna', 'Ben', 'Björn', 'Carlos', 'Chloé', 'Daniel', 'David', 'Elena',
  'Emma', 'Fatima', 'Felix', 'Gabriel', 'Giulia', 'Grace', 'Hannah', 'Ibrahim', 'Inès', 'Jack', 'James', 'Joanna', 'João',
  'José', 'Julia', 'Kenji', 'Laura', 'Leah', 'Liam', 'Lucía', 'Łukasz', 'Maria', 'Mark', 'Marta', 'Mary Ann', 'Mehmet',
  'Michael', 'Mohammed', 'Nina', 'Noah', 'Olga', 'Oliver', 'Paul', 'Petra', 'Priya', 'Rachel', 'René', 'Robert', 'Sara',
  'Sofia', 'Søren', 'Thomas', 'Victoria', 'Wei', 'William', 'Zoë', 'Олена', '美咲',
];

export const FAMILY_NAMES = [
  'Adams', 'Andersson', 'Baker', 'Bauer', 'Brown', 'Campbell', 'Chen', 'Clark', 'Davies', 'Díaz', 'Dubois', 'Evans',
  'Fernández', 'Fischer', 'García', 'Green', 'Hansen', 'Hoffmann', 'Ivanova', 'Jansen', 'Johnson', 'Jones', 'Kaya', 'Khan',
  'Kim', 'Kowalski', 'Kumar', 'Lee', 'Lefèvre', 'López', 'MacDonald', 'Martin', 'Meyer', 'Moreau', 'Müller', 'Nakamura',
  'Nguyen', 'Novák', "O'Brien", 'Olsen', 'Patel', 'Pereira', 'Petrov', 'Rossi', 'Santos', 'Schäfer', 'Schmidt', 'Silva',
  'Singh', 'Smith', 'Smith, Jr.', 'Suzuki', 'Taylor', 'van den Berg', 'Walker', 'Weiß', 'White', 'Wilson', 'Wójcik', 'Young',
  'Шевченко', '山田',
];

export const JOB_TITLES = [
  '', '', 'Accountant', 'Account Manager', 'CEO', 'CTO', 'Consultant', 'Designer', 'Director, Sales', 'Engineer',
  'Head of Marketing', 'HR Manager', 'Office Manager', 'Owner', 'Product Manager', 'Purchasing', 'Sales & Marketing', 'Teacher',
  'VP "Growth"', 'Geschäftsführer', 'Responsable achats',
];

export const COMPANY_KINDS = [
  'Example Trading, Ltd.', 'Example Bakery', 'Example "Quality" Tools', 'Exemple & Fils', 'Beispiel GmbH & Co. KG',
  'Example Health', 'Example Logistics, Inc.', 'Example Studio', 'Ejemplo S.A.',
];

export const LIFECYCLE_STAGES = ['Subscriber', 'Lead', 'Marketing Qualified Lead', 'Opportunity', 'Customer', 'Other'];

export const NOTES = [
  '', '', '', '', '', '', 'Met at the trade fair, wants a call back', 'Said: "call me after the summer"',
  'Prefers mail.\nNo calls before 10:00, please.', 'Imported from the old system', 'Two orders; one "urgent",\r\none not.',
  'Née Example – moved in 2019 ✓',
];

/** Per country: phone formats, # for a digit. */
export const COUNTRIES: readonly (readonly [string, readonly string[]])[] = [
  ['United States', ['+1 202 555 01##', '(202) 555-01##', '202.555.01##', '+120255501##', '+1 (415) 555-01## x12']],
  ['United Kingdom', ['+44 20 7946 0###', '020 7946 0###', '+44 (0)20 7946 0###', '00442079460###']],
  ['Germany', ['+49 30 23125###', '030 / 23125-###', '+49 (0)30 23125###']],
  ['France', ['+33 1 99 00 ## ##', '01 99 00 ## ##']],
  ['Australia', ['+61 2 5550 ####', '(02) 5550 ####']],
  ['Sweden', ['+46 8 465 004 ##', '08-465 004 ##']],
];
