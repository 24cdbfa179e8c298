/** A CSV file of new contacts; `name` makes their addresses different from those of other files. */
export function makeFile(name: string, rows: number): Buffer {
  const lines = Array.from(
    { length: rows },
    (_, n) =>
      `Given${n % 997},Family${n % 1009},person.${name}.${n}@example.com,+1 555 01${String(n % 100).padStart(2, '0')},Engineer`,
  );
  return Buffer.from(`firstName,lastName,email,phone,jobTitle\n${lines.join('\n')}\n`);
}
