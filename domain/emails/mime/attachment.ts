/** A file that an email carries. */
export interface Attachment {
  /** At most 100 characters. */
  fileName: string;
  mediaType: string;
  content: Uint8Array;
}

const LINE_CHARS = 76;

/**
 * The headers and the body of a part with a file, in base64 (RFC 2045). A name that is not ASCII is given as RFC 2231
 * has it, and in ASCII for programs that do not know that.
 */
export function attachmentPart({ fileName, mediaType, content }: Attachment): Buffer {
  const ascii = fileName.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\]/g, "'");
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  const head =
    `Content-Type: ${mediaType}\r\nContent-Transfer-Encoding: base64\r\n` +
    `Content-Disposition: attachment;\r\n filename="${ascii}"` +
    (ascii === fileName ? '' : `;\r\n filename*=UTF-8''${encoded}`);
  const body = Buffer.from(content)
    .toString('base64')
    .replace(new RegExp(`.{${LINE_CHARS}}`, 'g'), '$&\r\n');
  return Buffer.from(`${head}\r\n\r\n${body}`, 'latin1');
}
