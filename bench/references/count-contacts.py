"""Counts what an import of a generated contacts file must count, by an independent implementation: python3 count-contacts.py FILE"""
import csv, json, re, sys

EMAIL = re.compile(r"[a-z0-9.]+@example\.(com|net|org)")
rejected, rows, seen = 0, 0, {}
with open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="") as file:
    reader = csv.reader(file)
    width = len(next(reader))
    for row in reader:
        if not any(cell.strip() for cell in row):
            continue
        rows += 1
        first, last, email, phone = (cell.strip() for cell in row[:4])
        text = "".join(row)
        sound = len(row) == width and "\0" not in text and not any("\udc80" <= char <= "\udcff" for char in text)
        email = email.lower()
        if sound and first and last and len(last) <= 100 and len(phone) <= 50 and EMAIL.fullmatch(email) and ".." not in email:
            seen[email] = seen.get(email, 0) + 1
        else:
            rejected += 1
print(json.dumps({"rows": rows, "created": len(seen), "duplicates": sum(seen.values()) - len(seen), "rejected": rejected}))
