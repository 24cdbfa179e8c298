import { ZipFile } from 'yazl';

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n');
/** The start of a Windows program. */
export const PROGRAM = Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0'), Buffer.alloc(200)]);
export const SVG = Buffer.from(
  '<?xml version="1.0"?>\n<!-- drawn -->\n<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
);
export const HTML = Buffer.from('\n<!DOCTYPE html>\n<html><script>alert(document.domain)</script></html>');

/** A ZIP archive with these files. */
export async function zipOf(files: Record<string, Buffer | string>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), name);
  archive.end();
  const pieces: Buffer[] = [];
  for await (const piece of archive.outputStream) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces);
}
