/** The type of content that nothing else fits. */
export const UNKNOWN = 'application/octet-stream';

/** Whether a media type is the given one, or one of its kind: `image/*`. */
const matches = (pattern: string, mediaType: string): boolean =>
  pattern.endsWith('/*') ? mediaType.startsWith(pattern.slice(0, -1)) : mediaType === pattern;

/** Other names of the types that content is judged as, and formats that cannot be told from them by content. */
const ALSO: Record<string, readonly string[]> = {
  'application/gzip': ['application/x-gzip'],
  'application/rtf': ['text/rtf'],
  'application/x-cfb': [
    'application/msword',
    'application/vnd.ms-excel',
    'application/vnd.ms-powerpoint',
    'application/vnd.ms-outlook',
  ],
  'application/x-rar-compressed': ['application/vnd.rar'],
  'application/xml': ['text/xml'],
  'application/zip': ['application/x-zip-compressed'],
  'audio/mpeg': ['audio/mp3'],
  'audio/wav': ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
  'audio/x-m4a': ['audio/mp4', 'audio/m4a'],
  'image/apng': ['image/png'],
  'image/jpeg': ['image/jpg', 'image/pjpeg'],
  'image/x-icon': ['image/vnd.microsoft.icon'],
  'text/calendar': ['text/plain'],
  'text/plain': ['application/json', 'application/csv', 'application/x-ndjson', 'application/yaml'],
  'text/vcard': ['text/plain'],
  'text/vtt': ['text/plain'],
  'video/matroska': ['video/x-matroska'],
  'video/vnd.avi': ['video/x-msvideo', 'video/avi'],
};
/** Text that a browser acts on: not just any plain text. */
const MARKUP = new Set(['text/html', 'text/xml']);

/**
 * Whether one of these media types is accepted for content of this type. CSV, Markdown and other plain text cannot be
 * told apart: where one is accepted, any is.
 */
export const isAccepted = (accept: readonly string[], mediaType: string): boolean =>
  accept.some(
    (pattern) =>
      [mediaType, ...(ALSO[mediaType] ?? [])].some((name) => matches(pattern, name)) ||
      (mediaType === 'text/plain' && pattern.startsWith('text/') && !MARKUP.has(pattern)),
  );

const office = (name: string) => `application/vnd.openxmlformats-officedocument.${name}`;
const openDocument = (name: string) => `application/vnd.oasis.opendocument.${name}`;
/** Any text, also in another encoding than UTF-8. */
const TEXT = ['text/*', 'application/xml', 'image/svg+xml', 'application/x-ms-regedit', 'model/stl', UNKNOWN];
/** Recordings without a signature at their start exist. */
const MEDIA = ['audio/*', 'video/*', 'application/ogg', 'application/mp4', UNKNOWN];
/** Office's files before 2007; its encrypted files since then too. */
const COMPOUND = 'application/x-cfb';
const OLD_OFFICE = [COMPOUND, 'application/rtf', UNKNOWN];
const HEIF = ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence', 'image/avif'];

/** The types that the content of a file with this ending can have. Endings that are not here say nothing. */
const BY_ENDING: Record<string, readonly string[]> = {
  ...endings('pdf', ['application/pdf']),
  ...endings('png apng', ['image/png', 'image/apng']),
  ...endings('jpg jpeg jpe jfif', ['image/jpeg']),
  ...endings('gif', ['image/gif']),
  ...endings('webp', ['image/webp']),
  ...endings('bmp', ['image/bmp']),
  ...endings('tif tiff', ['image/tiff']),
  ...endings('heic heif avif', HEIF),
  ...endings('svg', ['image/svg+xml', 'application/xml', UNKNOWN]),
  ...endings('docx', [office('wordprocessingml.document'), 'application/zip', COMPOUND]),
  ...endings('xlsx', [office('spreadsheetml.sheet'), 'application/zip', COMPOUND]),
  ...endings('pptx', [office('presentationml.presentation'), 'application/zip', COMPOUND]),
  ...endings('odt', [openDocument('text'), 'application/zip']),
  ...endings('ods', [openDocument('spreadsheet'), 'application/zip']),
  ...endings('odp', [openDocument('presentation'), 'application/zip']),
  ...endings('doc xls ppt', OLD_OFFICE),
  ...endings('rtf', ['application/rtf']),
  ...endings('epub', ['application/epub+zip', 'application/zip']),
  ...endings('gz tgz', ['application/gzip']),
  ...endings('7z', ['application/x-7z-compressed']),
  ...endings('rar', ['application/x-rar-compressed']),
  ...endings('mp3 m4a aac wav flac ogg oga opus wma mp4 m4v mov webm mkv avi wmv mpg mpeg 3gp', MEDIA),
  ...endings('txt text log csv tsv md markdown json xml yaml yml ini html htm xhtml css js ics vcf', TEXT),
};
/** Types whose files are ZIP archives, so that `zip` is no wrong ending for them. */
const ZIPPED = /zip|openxml|opendocument|macroenabled|java-archive|android|apple|visio|3mf|xpinstall/;

function endings(names: string, types: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.split(' ').map((name) => [name, types]));
}

/** The ending of a file name, as systems read it: in lower case, without dots and spaces after it. Empty if none. */
export const endingOf = (fileName: string): string =>
  /\.([a-z0-9]{1,10})$/.exec(fileName.toLowerCase().replace(/[.\s]+$/, ''))?.[1] ?? '';

/** Whether content of this type contradicts the ending of the file's name. */
export function contradicts(ending: string, mediaType: string): boolean {
  if (ending === 'zip') return !ZIPPED.test(mediaType);
  return Object.hasOwn(BY_ENDING, ending) && !BY_ENDING[ending]!.some((pattern) => matches(pattern, mediaType));
}

const NAMES: Record<string, string> = {
  'application/octet-stream': 'of an unknown type',
  'application/pdf': 'PDF',
  'application/x-elf': 'a program',
  'application/x-mach-binary': 'a program',
  'application/x-msdownload': 'a program',
  'application/zip': 'a ZIP archive',
  'image/svg+xml': 'SVG',
  'text/html': 'HTML',
  'text/plain': 'plain text',
};
/** A media type in words, for a message: "is HTML (text/html)". */
export const inWords = (mediaType: string): string =>
  Object.hasOwn(NAMES, mediaType) ? `${NAMES[mediaType]!} (${mediaType})` : mediaType;

/** What a browser or another program might run as a page or script, if it were told this type. */
const RUNNABLE =
  /^text\/html$|[/+]xml$|script|shockwave|java|wasm|msdownload|x-elf|mach-binary|ms-htmlhelp|ms-shortcut|regedit|x-xpinstall|chrome-extension/;

/** The Content-Type that a file of this type is served with: what might be run is only bytes. */
export function servedType(mediaType: string): string {
  if (RUNNABLE.test(mediaType)) return UNKNOWN;
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}
