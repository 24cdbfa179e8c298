"""
Reads CSV files a second time, by Python's csv module and the rules of imports written down anew.

Takes JSON of [[file in Base64, codec, delimiter], ...]. Prints each row under the header as a line of JSON,
[row number, offset of what follows, cells, fault], and an empty line behind each file. The only cell of a broken row is
its text.
"""
import base64, csv, json, re, sys

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
csv.field_size_limit(1 << 30)


def record(lines, at, delimiter):
    """The cells of the record that starts with this line, how many lines it has, and what is wrong with it."""
    reader = csv.reader((lines[n] for n in range(at, len(lines))), delimiter=delimiter, strict=True)
    try:
        return next(reader) or [""], reader.line_num, None
    except csv.Error as error:
        return [], 1, "unclosed_quote" if "unexpected end" in str(error) else "malformed_quote"


def starts_sound(lines, at, delimiter, columns):
    cells, _, fault = record(lines, at, delimiter)
    return fault is None and len(cells) == columns


def rows(data, codec, delimiter):
    text = data.decode(codec)
    lines = LINE.findall(text.removeprefix("\ufeff"))
    offset = len("\ufeff".encode(codec)) if text.startswith("\ufeff") else 0
    at, row, columns = 0, 1, 0
    while at < len(lines):
        cells, count, fault = record(lines, at, delimiter)
        if fault is not None:
            while at + count < len(lines) and not starts_sound(lines, at + count, delimiter, columns):
                count += 1
            cells = ["".join(lines[at:at + count])]
        elif row > 1 and any(cell.strip() for cell in cells[columns:]):
            fault = "surplus_cells"
        offset += sum(len(line.encode(codec)) for line in lines[at:at + count])
        if row == 1:
            columns = len(cells)
        elif any(cell.strip() for cell in cells):
            yield row, offset, cells, fault
        at, row = at + count, row + 1


for file, codec, delimiter in json.load(sys.stdin):
    for found in rows(base64.b64decode(file), codec, delimiter):
        print(json.dumps(found))
    print()
